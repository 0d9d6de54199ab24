// The store as an actor: transactions and reads from the API servers, and a stream of every change
// to each of them.
//
// It is the one part of a cluster that outlives a crash. Whatever a transaction changed is
// persisted before its reply leaves. The API server that shares its host dies with it; the others
// find out and subscribe again.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/api_server/store.h"
#include "messages/runtime.pb.h"

namespace troupe::apiserver {

class StoreActor final : public Actor {
 public:
  struct Options {
    Duration compaction = std::chrono::minutes(5);  ///< kube-apiserver --etcd-compaction-interval
    /// Objects that exist from the beginning, in their order, unless a restart brings back what was
    /// persisted.
    std::vector<Payload> preload = {};
  };

  explicit StoreActor(Options options);

  void receive(Context& context, const Delivery& delivery) override;

  [[nodiscard]] const Store& store() const { return store_; }

 private:
  struct Subscriber {
    Address address;
    std::uint64_t stream = 0;
    Duration lag{0};
  };

  void begin(Context& context, const Delivery& first);
  void restore(const runtime::Restored& restored);
  void transact(Context& context, const Delivery& delivery, const api::StoreTxn& txn);
  void read(Context& context, const Delivery& delivery, const api::StoreRead& request);
  void subscribe(Context& context, const Delivery& delivery, const api::StoreSubscribe& request);
  void renew(Context& context, const api::RenewNodeLease& renewal);
  void record(Context& context, const Store::Commit& commit);
  void stream_to(Context& context, const Subscriber& subscriber, const Store::Commit& commit,
                 const Payload& event);

  Store store_;
  std::vector<Payload> preload_;
  bool begun_ = false;
  std::vector<Subscriber> subscribers_;  // in order of their subscription
};

}  // namespace troupe::apiserver
