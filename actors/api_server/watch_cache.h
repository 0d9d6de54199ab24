// An API server's copy of the store: the present objects of each kind, and the late changes for
// watches that resume.
//
// It is fed by the store's stream, and so behind it by that stream's latency. A history keeps the
// changes of each kind for a while; a watch that asks for an older version is told 410.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "messages/api.pb.h"
#include "messages/payload.h"
#include "messages/sim_time.h"

namespace troupe::apiserver {

/// One change, as the cache saw it.
struct CachedEvent {
  std::int64_t revision = 0;
  api::WatchEvent::Type type = api::WatchEvent::ADDED;
  Payload object;
  Payload previous;
  SimTime at;
};

class WatchCache {
 public:
  using Objects = std::map<std::string, Payload, std::less<>>;

  struct Limits {
    /// k8s.io/apiserver storage/cacher: eventFreshDuration.
    Duration fresh = std::chrono::seconds(75);
    /// storage/cacher: defaultLowerBoundCapacity.
    std::size_t minimum = 100;
    /// The real bound is 102,400 events of a kind (defaultUpperBoundCapacity); fewer here, for
    /// memory's sake.
    std::size_t maximum = 16'384;
    /// Nothing older stays, whatever the minimum.
    Duration compaction = std::chrono::minutes(5);
  };

  explicit WatchCache(Limits limits) : limits_(limits) {}

  /// Replaces everything by the store's present state; the history is gone.
  void reset(std::int64_t revision, const std::vector<Payload>& objects);
  /// Applies a change; false if the cache has it already.
  bool apply(const std::string& kind, const std::string& path, CachedEvent event);

  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] std::int64_t revision() const { return revision_; }
  /// The objects of a kind, in order of "namespace/name".
  [[nodiscard]] const Objects& objects(std::string_view kind) const;
  /// The object, or an empty payload.
  [[nodiscard]] Payload get(std::string_view kind, std::string_view path) const;

  /// The oldest version of a kind from which a watch may go on, as of `now`.
  [[nodiscard]] std::int64_t oldest(std::string_view kind, SimTime now);
  /// Forgets the history of a kind, or of every one: no watch may go on from an earlier version.
  void compact(std::string_view kind);
  /// The changes of a kind after that version, oldest first.
  void for_each_since(std::string_view kind, std::int64_t revision,
                      const std::function<void(const CachedEvent&)>& visit) const;

 private:
  struct KindCache {
    Objects objects;
    std::deque<CachedEvent> history;
    std::int64_t forgotten = 0;  // the newest revision that left the history
  };

  void trim(KindCache& kind, SimTime now) const;

  Limits limits_;
  bool ready_ = false;
  std::int64_t revision_ = 0;
  std::int64_t base_ = 0;  // of the last reset: no kind's history reaches further back
  std::map<std::string, KindCache, std::less<>> kinds_;
};

}  // namespace troupe::apiserver
