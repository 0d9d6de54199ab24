// An API server replica: requests, watches, and a cache that follows the store.
//
// Replica 0 shares its host with the store, which it starts; the others reach it over the network,
// and so see each change a little later, and a reader of theirs may see the past. Requests are the
// desk's work (request_desk.h); here is the traffic of watches, node leases and health checks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/api_client/callback_timers.h"
#include "actors/api_server/disturbances.h"
#include "actors/api_server/request_desk.h"
#include "actors/api_server/watch_cache.h"
#include "actors/api_server/watch_hub.h"
#include "messages/hosts.pb.h"
#include "messages/runtime.pb.h"

namespace troupe::apiserver {

class ApiServerActor final : public Actor {
 public:
  struct Options {
    std::uint32_t replica = 0;
    Duration bookmark_period =
        std::chrono::minutes(1);  ///< storage/cacher defaultBookmarkFrequency
    Duration lag{0};              ///< of the cache behind the store, beyond the network
    WatchCache::Limits cache = {};
    std::vector<Payload> preload = {};  ///< replica 0: the objects that exist from the beginning
  };

  /// A client that kept watches and was not heard of for this long is taken for dead: three of its
  /// signs of life.
  static constexpr Duration kClientSilence = std::chrono::seconds(180);
  /// How often a remote replica asks whether the store's stream lives: etcd's progress
  /// notifications come every 5 s.
  static constexpr Duration kProgressPeriod = std::chrono::seconds(5);
  /// Messages held while the cache is filled for the first time.
  static constexpr std::size_t kMaxParked = 100'000;

  explicit ApiServerActor(Options options);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

  [[nodiscard]] const WatchCache& cache() const { return cache_; }
  [[nodiscard]] std::size_t watchers() const { return hub_.size(); }

 private:
  bool from_store(Context& context, const Delivery& delivery);
  void from_client(Context& context, const Delivery& delivery);
  void subscribe(Context& context);
  void check_progress(Context& context);
  void on_snapshot(Context& context, const Payload& snapshot, std::int64_t revision);
  void on_store_event(Context& context, const Payload& payload, const api::StoreEvent& event);
  void on_refused(Context& context, const Delivery& delivery);

  void begin_watch(Context& context, const Delivery& delivery, const api::WatchRequest& request);
  void send_initial(Context& context, const Watcher& watcher);
  void send_since(Context& context, const Watcher& watcher, std::int64_t revision);
  void send_event(Context& context, const Watcher& watcher, const SeenEvent& seen,
                  std::int64_t revision);
  void send_error(Context& context, const Address& client, std::uint64_t watch_id, int code);
  void send_bookmarks(Context& context);

  void on_lease_renewed(Context& context, const std::string& node);
  // api_server_faults.cpp
  bool on_fault(Context& context, const Delivery& delivery);
  void end_watches(Context& context, const fault::EndWatches& end);
  bool disturbed(Context& context, const Delivery& delivery);
  void handle(Context& context, const Delivery& delivery);
  void forget_client(const Address& client);
  void forget_silent_clients(SimTime now);

  Options options_;
  Address store_;
  WatchCache cache_;
  WatchHub hub_;
  RequestDesk desk_;
  Disturbances disturbances_;
  CallbackTimers timers_;
  std::vector<Delivery> parked_;  // until the cache is ready
  std::set<std::pair<Address, std::uint64_t>> lease_watches_;
  std::map<Address, SimTime> clients_;  // with watches: when each was last heard of
  std::uint64_t stream_ = 0;            // of the subscription in force
  SimTime store_heard_ = kTimeZero;
  std::uint64_t bookmarks_ = 0;
};

/// Builds the root actor of a host of kind "apiserver" from its runtime::HostStart. Attachment 0 is
/// a hosts::ApiServerConfig; an api::WatchCacheConfig may follow; every other attachment is an
/// object that exists from the beginning.
[[nodiscard]] std::unique_ptr<Actor> build_api_server(const Payload& host_start);

}  // namespace troupe::apiserver
