// The API client: what every controller, scheduler and kubelet uses to read and write the cluster.
//
// It does what client-go does and no more. Requests leave at the client's QPS and burst, in order.
// Each ends in exactly one call of its callback: the server's answer, or code 504 when none came in
// time, which says nothing about whether the request was applied. Nothing is ever sent twice unless
// the caller asks again. Informers (informer.h) hang on the client and share its connection, which
// is to one API server replica at a time (connection.h).
//
//   class Evictor final : public Actor {
//    public:
//     void receive(Context& context, const Delivery& delivery) override {
//       if (api_.receive(context, delivery)) return;    // replies, watch events, timers
//       ...
//     }
//    private:
//     void evict(Context& context, const k8s::Pod& pod) {
//       api_.evict(context, key_of(pod), {.uid = pod.metadata().uid()},
//                  [this](Context& later, const ApiResult& result) {
//                    if (result.too_many_requests()) retry(later);
//                  });
//     }
//     ApiClient api_{{.qps = 20, .burst = 30}};
//     Informer<k8s::Pod> pods_{api_};
//   };
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/api_client/api_result.h"
#include "actors/api_client/callback_timers.h"
#include "actors/api_client/connection.h"
#include "actors/api_client/object_key.h"
#include "actors/api_client/token_bucket.h"
#include "actors/context.h"
#include "messages/api.pb.h"
#include "messages/hosts.pb.h"

namespace troupe {

/// Called once with the end of a request.
using ApiCallback = std::function<void(Context&, const ApiResult&)>;

struct ApiClientOptions {
  std::uint32_t api_servers = 1;  ///< replicas to choose from: apiserver/0 up to apiserver/N-1
  double qps = 5;                 ///< client-go's rest.DefaultQPS; 0: no limit
  std::uint32_t burst = 10;       ///< client-go's rest.DefaultBurst
  /// How long to wait for a reply once the request has left. The kubelet's heartbeat client waits
  /// 10 s (its node status period); controllers set no timeout, and would find a dead connection
  /// after 45 s (HTTP/2 health check).
  Duration timeout = std::chrono::seconds(10);
  /// Tells apart the clients of one actor: a second ApiClient in it needs another number.
  std::uint32_t channel = 0;
  /// Requests that may wait for a token; more are refused with 429, reason ClientQueueFull.
  std::size_t queue_limit = 100'000;

  static ApiClientOptions of(const hosts::ControllerClient& config);
};

/// What a DELETE or an eviction may add.
struct DeleteOptions {
  std::string uid;               ///< 409 unless the object has this uid; empty: any
  std::string resource_version;  ///< 409 unless it has this version; empty: any
  std::optional<std::int64_t> grace_period_seconds;  ///< absent: the object's own
  std::string propagation;  ///< "Background" (default), "Foreground" or "Orphan"
};

/// What a patch may add. A field that the partial object leaves out stays as it is; `clear` names
/// those to remove, by their JSON path: "spec.nodeName", "metadata.finalizers",
/// "metadata.annotations.example.com/key".
struct PatchOptions {
  std::vector<std::string> clear = {};
  std::string subresource = {};       ///< "" or "status"
  std::string resource_version = {};  ///< 409 unless the object has this version; empty: any
  /// Lists that have keys in Kubernetes (containers by name, conditions by type, ...) merge by key.
  bool strategic = false;
};

struct ListOptions {
  std::string kind;
  std::string name_space = {};  ///< empty: all
  std::string resource_version =
      {};  ///< "0": the server's cache, however old; empty: the store; N: no older than N
  std::vector<api::FieldSelector> fields = {};
  std::vector<api::LabelRequirement> labels = {};
};

/// What hangs on a client and receives the events of its watches.
class WatchListener {
 public:
  virtual ~WatchListener() = default;
  virtual void on_watch_event(Context& context, const api::WatchEvent& event,
                              const Payload& payload) = 0;
  /// The connection that carried the watch is gone, with the watch.
  virtual void on_watch_broken(Context& context) = 0;
};

class ApiClient {
 public:
  explicit ApiClient(ApiClientOptions options = {});
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // ---- writes ----
  template <class T>
  void create(Context& context, T object, ApiCallback done) {
    write(context, api::CREATE, "", Payload::of(std::move(object)), std::move(done));
  }
  /// Replaces the object, status left alone. A resourceVersion in it must be the current one: else
  /// 409.
  template <class T>
  void update(Context& context, T object, ApiCallback done) {
    write(context, api::UPDATE, "", Payload::of(std::move(object)), std::move(done));
  }
  /// Replaces the status alone. A resourceVersion in the object must be the current one: else 409.
  template <class T>
  void update_status(Context& context, T object, ApiCallback done) {
    write(context, api::UPDATE, "status", Payload::of(std::move(object)), std::move(done));
  }
  /// Creates the object or merges it into the one that exists.
  template <class T>
  void apply(Context& context, T object, ApiCallback done) {
    write(context, api::APPLY, "", Payload::of(std::move(object)), std::move(done));
  }
  /// Merges a partial object, which names the object in its metadata, into the one that exists.
  template <class T>
  void patch(Context& context, T partial, const PatchOptions& options, ApiCallback done) {
    patch_object(context, Payload::of(std::move(partial)), options, std::move(done));
  }
  /// The same for an object of any kind.
  void patch_object(Context& context, Payload partial, const PatchOptions& options,
                    ApiCallback done);
  void remove(Context& context, const api::ObjectKey& key, const DeleteOptions& options,
              ApiCallback done);
  /// Gives a pod its node. 409 if it has one, is being deleted, or has another uid.
  void bind(Context& context, const api::ObjectKey& pod, const std::string& uid,
            const std::string& node, ApiCallback done);
  /// Deletes a pod unless a disruption budget forbids it: then 429.
  void evict(Context& context, const api::ObjectKey& pod, const DeleteOptions& options,
             ApiCallback done);
  /// Sets spec.replicas through the subresource "scale".
  void scale(Context& context, const api::ObjectKey& key, std::int64_t replicas, ApiCallback done);
  /// An object of any kind, for code that does not know its type.
  void write(Context& context, api::Verb verb, const std::string& subresource, Payload object,
             ApiCallback done);

  // ---- reads ----
  void get(Context& context, const api::ObjectKey& key, ApiCallback done);
  /// The k8s::Scale of a Deployment, ReplicaSet, StatefulSet or LeaderWorkerSet.
  void get_scale(Context& context, const api::ObjectKey& key, ApiCallback done);
  void list(Context& context, const ListOptions& options, ApiCallback done);

  // ---- node leases: no object, no reply, no QPS ----
  void renew_node_lease(Context& context, const std::string& node);
  using LeaseHandler = std::function<void(Context&, const std::string& node)>;
  /// Calls `handler` for each renewal that reaches the API servers from now on.
  void subscribe_node_leases(Context& context, LeaseHandler handler);

  /// Handles the delivery if it is this client's: replies, watch events, refused connections,
  /// timers.
  bool receive(Context& context, const Delivery& delivery);

  // ---- for informers and other parts of this folder ----
  CallbackTimers& timers() { return timers_; }
  /// Starts a watch; `request.watch_id` is filled in and returned.
  std::uint64_t watch(Context& context, api::WatchRequest request, WatchListener& listener);
  void stop_watch(Context& context, std::uint64_t watch_id);
  /// Gives up the connection and every watch on it; the next request goes to the next replica.
  void reconnect(Context& context);
  [[nodiscard]] const ApiClientOptions& options() const { return options_; }
  /// The API server replica that the next request goes to.
  [[nodiscard]] std::uint32_t replica(const Context& context) const {
    return connection_.replica(context);
  }
  /// Requests that wait for a token or for a reply.
  [[nodiscard]] std::size_t outstanding() const { return waiting_.size() + pending_.size(); }

 private:
  struct Waiting {  // for a token
    Payload message;
    Via via;
    std::uint64_t id = 0;
    ApiCallback done;  // null for a watch
    SimTime at;
  };
  struct Pending {  // for a reply
    ApiCallback done;
    std::uint64_t connection = 0;
  };

  void submit(Context& context, api::ApiRequest request, Payload object, ApiCallback done);
  void throttle(Context& context, Waiting request);
  void send_now(Context& context, Waiting request);
  void arm_throttle(Context& context);
  void finish(Context& context, std::uint64_t id, const ApiResult& result);
  void on_reply(Context& context, const Delivery& delivery, const api::ApiReply& reply);
  bool on_watch_event(Context& context, const Delivery& delivery, const api::WatchEvent& event);
  bool on_refused(Context& context, const Payload& refused);
  void arm_deadline(Context& context);
  void expire(Context& context);
  void arm_health(Context& context);
  void check_health(Context& context);
  void send_lease_subscription(Context& context);
  [[nodiscard]] bool is_mine(std::uint64_t id) const;
  [[nodiscard]] std::uint64_t connection_id() const;

  ApiClientOptions options_;
  TokenBucket bucket_;
  Connection connection_;
  CallbackTimers timers_;
  std::uint64_t last_id_;  // of requests and watches: they share one sequence
  std::deque<Waiting> waiting_;
  std::map<std::uint64_t, Pending> pending_;
  std::deque<std::pair<SimTime, std::uint64_t>> deadlines_;  // in order: all wait equally long
  bool deadline_armed_ = false;
  bool health_armed_ = false;
  std::map<std::uint64_t, WatchListener*> watches_;
  LeaseHandler lease_handler_;
  std::uint64_t lease_watch_ = 0;
};

}  // namespace troupe
