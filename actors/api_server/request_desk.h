// The API server's desk: each request from its arrival to its reply, across the store's answers in
// between.
//
// A write is computed on the cached object, which is usually the newest, and compared by the store;
// where the cache was stale it is computed again on what the store returned. Nothing is refused on
// the cache's word alone: a refusal is checked against the store first. (etcd3 store
// GuaranteedUpdate does the same.)
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/api_client/callback_timers.h"
#include "actors/api_server/mutation.h"
#include "actors/api_server/object_selector.h"
#include "actors/context.h"

namespace troupe::apiserver {

class RequestDesk {
 public:
  /// How often a write is computed again before it is refused with 409.
  static constexpr std::uint32_t kMaxAttempts = 16;
  /// k8s.io/apiserver registry: a generated name that was taken is tried this often
  /// (RetryGenerateName).
  static constexpr std::uint32_t kMaxNames = 8;
  /// storage/cacher blockTimeout: how long a list waits for the cache to reach its version.
  static constexpr Duration kCacheWait = std::chrono::seconds(3);
  /// kube-apiserver --request-timeout: what the store never answered is forgotten.
  static constexpr Duration kForget = std::chrono::seconds(60);

  RequestDesk(const WatchCache& cache, Address store) : cache_(cache), store_(store) {}

  void handle(Context& context, const Delivery& delivery, const api::ApiRequest& request);
  void on_txn_reply(Context& context, const Delivery& delivery, const api::StoreTxnReply& reply);
  void on_read_reply(Context& context, const Delivery& delivery, const api::StoreReadReply& reply);
  /// The store refused a transaction or a read.
  void on_store_refused(Context& context, const Payload& refused);
  /// The cache has moved on: lists that wait for a version may be answered.
  void on_cache_advanced(Context& context);
  /// Answers a request that is not looked at any further.
  static void refuse(Context& context, const Delivery& delivery, const api::ApiRequest& request,
                     const Status& status);
  /// Forgets requests that the store has not answered for too long.
  void forget_old(SimTime now);
  bool receive(Context& context, const Delivery& timer) { return timers_.receive(context, timer); }

 private:
  enum class Stage {
    Read,             // GET and LIST
    ReadForEviction,  // an eviction looks at the pod itself, never at the cache
    ChargeBudget,
    Write,
  };

  struct Operation {
    Address client;
    Payload message;  // keeps the request alive
    const api::ApiRequest* request = nullptr;
    const Kind* kind = nullptr;
    ObjectSelector selector;  // of a list
    SimTime since;
    Stage stage = Stage::Read;
    bool live = false;     // the object in hand came from the store
    bool creates = false;  // the transaction in flight expects nothing there
    bool in_transaction = false;
    std::uint32_t attempt = 0;
    Payload pod;     // of an eviction
    Payload budget;  // that the eviction is charged to
  };
  using OperationPtr = std::unique_ptr<Operation>;

  void list(Context& context, OperationPtr operation);
  void wait_for_cache(Context& context, OperationPtr operation, std::int64_t revision);
  void answer_from_cache(Context& context, const Operation& operation);
  void attempt(Context& context, OperationPtr operation, const Payload& current);
  void attempt_create(Context& context, OperationPtr operation);
  void begin_eviction(Context& context, OperationPtr operation, const Payload& pod);
  void attempt_charge(Context& context, OperationPtr operation);
  void proceed(Context& context, OperationPtr operation, const Payload& current, Decision decision);
  void retry(Context& context, OperationPtr operation, const Payload& current);
  void read(Context& context, OperationPtr operation, const api::ObjectKey& key);
  void transact(Context& context, OperationPtr operation, const Payload& current,
                Decision decision);
  void finish(Context& context, const Operation& operation, const Payload& object);
  void reply_object(Context& context, const Operation& operation, int code, const Payload& object);
  void reply_list(Context& context, const Operation& operation, std::int64_t revision,
                  std::vector<Payload> items);
  static void reply_status(Context& context, const Operation& operation, const Status& status);
  static void send_reply(Context& context, const Operation& operation, api::ApiReply reply,
                         std::vector<Payload> attachments);
  [[nodiscard]] Mutation mutation_of(const Operation& operation, SimTime now) const;
  OperationPtr take(std::uint64_t id);

  const WatchCache& cache_;
  Address store_;
  CallbackTimers timers_;
  std::uint64_t last_id_ = 0;  // of transactions, reads and waiting lists
  std::int64_t known_revision_ = 0;
  std::int64_t in_flight_ = 0;  // transactions
  std::map<std::uint64_t, OperationPtr> operations_;
  std::map<std::uint64_t, std::pair<std::int64_t, OperationPtr>> waiting_lists_;
};

}  // namespace troupe::apiserver
