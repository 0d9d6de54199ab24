// List and watch: the half of an informer that does not know its type.
//
// client-go's Reflector. It lists at resourceVersion "0" (whatever the server's cache has, which
// may be older than what this process knew before it restarted), then watches from there. A watch
// that breaks is resumed from the last version seen; an expired version (410) leads to a new list,
// from the store. A list replaces the cache: what it does not name is deleted, so a deletion that
// fell into a gap is noticed, though not when it happened.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "actors/api_client/api_client.h"

namespace troupe {

struct InformerOptions {
  std::string name_space = {};  ///< empty: all
  std::vector<api::FieldSelector> fields = {};
  std::vector<api::LabelRequirement> labels = {};
  Duration resync{0};  ///< how often every object is shown again to on_update; 0: never
};

/// "spec.nodeName" = "node-1".
[[nodiscard]] api::FieldSelector field_is(std::string_view field, std::string_view value);
/// The label has one of the values.
[[nodiscard]] api::LabelRequirement label_in(std::string_view key, std::vector<std::string> values);

class Reflector : private WatchListener {
 public:
  /// client-go reflector.go: the backoff manager between two tries to list or watch.
  static constexpr Duration kBackoffMin = std::chrono::milliseconds(800);
  static constexpr Duration kBackoffMax = std::chrono::seconds(30);
  static constexpr Duration kBackoffReset = std::chrono::minutes(2);
  /// A watch from which nothing was heard for this long, bookmarks included, is taken for broken:
  /// the API server sends a bookmark a minute.
  static constexpr Duration kSilence = std::chrono::seconds(90);

  Reflector(ApiClient& client, std::string_view kind, InformerOptions options);
  ~Reflector() override = default;
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  /// Begins to list. Call it once, from the actor's start or later.
  void start(Context& context);
  /// True once the first list is in the cache.
  [[nodiscard]] bool synced() const { return synced_; }
  /// The version of the newest event or list seen; empty before the first.
  [[nodiscard]] const std::string& resource_version() const { return version_; }
  /// How often it has listed.
  [[nodiscard]] std::uint64_t lists() const { return lists_; }

 protected:
  // What the typed half does. The path is "namespace/name".
  virtual void set(Context& context, const std::string& path, const Payload& object) = 0;
  virtual void erase(Context& context, const std::string& path, const Payload& last_state) = 0;
  [[nodiscard]] virtual std::string path_of_object(const Payload& object) const = 0;
  [[nodiscard]] virtual std::vector<std::string> paths() const = 0;
  virtual void resync(Context& context) = 0;
  virtual void first_synced(Context& context) = 0;

 private:
  void on_watch_event(Context& context, const api::WatchEvent& event,
                      const Payload& payload) override;
  void on_watch_broken(Context& context) override;
  void list(Context& context);
  void on_list(Context& context, const ApiResult& result);
  void replace(Context& context, const std::vector<Payload>& items);
  void watch(Context& context);
  void retry(Context& context, void (Reflector::*step)(Context&));
  void arm_silence(Context& context, Duration delay);
  void arm_resync(Context& context);

  ApiClient& client_;
  std::string kind_;
  InformerOptions options_;
  std::string version_;
  bool version_expired_ = false;
  bool synced_ = false;
  std::uint64_t lists_ = 0;
  std::uint64_t watch_id_ = 0;
  SimTime last_event_ = kTimeZero;
  SimTime last_retry_ = kTimeZero;
  std::uint32_t failures_ = 0;  // since the last quiet while
  std::uint64_t retries_ = 0;   // ever: the index of the jitter's draw
};

}  // namespace troupe
