// etcd, as far as Kubernetes sees it: one revision counter, objects by key, compare-and-swap, and
// the log of late changes.
//
// Every change of anything takes the next revision, which becomes the object's resourceVersion. A
// write says on which revision of the object it was computed; if that is not the current one it
// fails and nothing changes. The log reaches back for the compaction window, so that an API server
// that lost its stream can go on where it was.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "messages/api.pb.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe::apiserver {

class Store {
 public:
  /// One change.
  struct Commit {
    std::int64_t revision = 0;
    api::ObjectKey key;
    api::WatchEvent::Type type = api::WatchEvent::ADDED;
    Payload object;    ///< the new state, or the last one if it was deleted, with this revision
    Payload previous;  ///< the state before, if there was one
    SimTime at;
  };
  struct Object {
    Payload object;
    std::int64_t revision = 0;
  };

  explicit Store(Duration compaction) : compaction_(compaction) {}

  /// Writes the object, or deletes it if `object` is empty, if its revision is `expected` (0: it
  /// must not exist). Returns the change, or null if the revision is another. An object that
  /// carries the revision that it is about to get is kept as it is; any other is copied to be given
  /// it.
  const Commit* commit(const api::ObjectKey& key, std::int64_t expected, const Payload& object,
                       SimTime now);
  /// The object, or one with revision 0.
  [[nodiscard]] Object get(const api::ObjectKey& key) const;
  /// Every object of a kind, in order of "namespace/name"; of every kind, kinds in order, if `kind`
  /// is empty.
  [[nodiscard]] std::vector<Payload> list(std::string_view kind) const;
  [[nodiscard]] std::int64_t revision() const { return revision_; }

  /// The changes after that revision, or null where they are compacted away.
  [[nodiscard]] bool has_log_since(std::int64_t revision) const { return revision >= compacted_; }
  [[nodiscard]] const std::deque<Commit>& log() const { return log_; }

  /// What was persisted, after a crash: the objects with the revisions that they carry.
  void restore(std::int64_t revision,
               const std::vector<std::pair<api::ObjectKey, Payload>>& objects);

 private:
  using Objects = std::map<std::string, Object, std::less<>>;

  const Commit& append(Commit commit);

  Duration compaction_;
  std::int64_t revision_ = 0;
  std::int64_t compacted_ = 0;  // every change after it is in the log
  std::map<std::string, Objects, std::less<>> kinds_;
  std::deque<Commit> log_;
};

}  // namespace troupe::apiserver
