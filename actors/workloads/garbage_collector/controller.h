// Deletes what belongs to nobody any more.
//
// Deleted in the background, an owner goes at once and its dependents follow; in the foreground, it
// stays until those dependents that block it are gone; orphaning, it first makes its dependents
// forget it. The graph of owners comes from watches and may be late, so before anything is deleted
// both the object and its owners are read from the store. kubernetes/kubernetes,
// pkg/controller/garbagecollector/garbagecollector.go. Kinds that nobody watches are no dependents
// here; as owners they are asked for now and then.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/garbage_collector/absent_owners.h"
#include "actors/workloads/garbage_collector/judgement.h"
#include "actors/workloads/garbage_collector/metadata_informer.h"
#include "actors/workloads/garbage_collector/owner_graph.h"

namespace troupe::workloads {

class GarbageCollector final : public SyncingController {
 public:
  GarbageCollector(SharedInformers& informers, ControllerOptions options);

  void start(Context& context) override;

 protected:
  /// The key is an object's uid.
  void sync(Context& context, const std::string& key) override;

 private:
  /// Of one object: how its owners are, as far as they have been asked for.
  struct Inquiry {
    std::string uid;
    Payload live;
    std::map<std::string, OwnerState> owners;
    int next = 0;
  };
  using InquiryPtr = std::shared_ptr<Inquiry>;
  using Edit = std::function<void(k8s::ObjectMeta&)>;
  using Done = std::function<void(Context&, bool ok)>;

  template <class T>
  void follow(Informer<T>& informer);
  void on_seen(Context& context, const google::protobuf::Message& object);
  void on_gone(Context& context, const std::string& uid);
  void add_work(Context& context, const GraphWork& work);

  void read(Context& context, const std::string& uid);
  void examine(Context& context, const std::string& uid, const Payload& live);
  void ask_for_owners(Context& context, const InquiryPtr& inquiry);
  /// True if the state of that owner is known without asking.
  bool is_known(const k8s::OwnerReference& owner, Inquiry& inquiry) const;
  void on_owner(Context& context, const InquiryPtr& inquiry, const ApiResult& result);
  void conclude(Context& context, const Inquiry& inquiry);
  void remove(Context& context, const Inquiry& inquiry, const std::string& propagation);
  void wait_for_dependents(Context& context, const std::string& uid, const Payload& live);
  void orphan_dependents(Context& context, const std::string& uid);
  void patch(Context& context, const Payload& live, const Edit& edit, Done done);
  /// Reads the object and changes its metadata; that it is gone is fine.
  void change(Context& context, const std::string& uid, const Edit& edit, const Done& done);

  OwnerGraph graph_;
  AbsentOwners absent_;
  std::deque<MetadataInformer>
      others_;  ///< of kinds that the manager's other controllers do not watch
};

}  // namespace troupe::workloads
