// Who watches what, found without asking every watcher.
//
// A thousand kubelets watch the pods of their own node. A change must reach one of them and cost
// nothing for the others, so a watcher with a field selector is filed under the value that its
// first field must have; only watchers without one see every change of their kind. Events go to the
// watchers of a change in the order in which they began.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "actors/api_server/object_selector.h"
#include "actors/api_server/watch_cache.h"
#include "messages/address.h"

namespace troupe::apiserver {

struct Watcher {
  Address client;
  std::uint64_t watch_id = 0;
  const Kind* kind = nullptr;
  ObjectSelector selector;
  std::int64_t after = 0;  ///< nothing up to this version is sent
};

/// What a watcher sees of a change.
struct SeenEvent {
  api::WatchEvent::Type type = api::WatchEvent::ADDED;
  Payload object;
};

/// An object that begins to match is ADDED, one that ceases to match is DELETED with its last
/// matching state; nothing if it matches neither before nor after.
[[nodiscard]] std::optional<SeenEvent> seen_by(const Watcher& watcher, const CachedEvent& event);

class WatchHub {
 public:
  using Send = std::function<void(const Watcher&, const SeenEvent&)>;

  void add(Watcher watcher);
  void remove(const Address& client, std::uint64_t watch_id);
  /// Removes every watcher of that life of a client; true if there was one.
  bool remove_client(const Address& client);
  /// Removes and returns all watchers.
  std::vector<Watcher> clear();
  /// Those of one kind.
  std::vector<Watcher> clear(const Kind& kind);

  /// Calls `send` for each watcher that sees the change.
  void publish(const Kind& kind, const CachedEvent& event, const Send& send) const;
  void for_each(const std::function<void(const Watcher&)>& visit) const;
  [[nodiscard]] std::size_t size() const { return watchers_.size(); }

 private:
  using Number = std::uint64_t;  // of a watcher, in order of arrival
  struct FieldIndex {
    std::shared_ptr<const FieldPath> field;
    std::map<std::string, std::set<Number>> by_value;
  };
  struct KindIndex {
    std::set<Number> general;
    std::map<std::string, FieldIndex> fields;  // by path
  };

  void unfile(Number number);
  void collect(const FieldIndex& index, const Payload& object, std::set<Number>& found) const;

  Number last_ = 0;
  std::map<Number, Watcher> watchers_;
  std::map<std::pair<Address, std::uint64_t>, Number> numbers_;
  std::map<std::string, KindIndex, std::less<>> kinds_;
};

}  // namespace troupe::apiserver
