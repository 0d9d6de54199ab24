// Controllers whose pods have names that say which one of the object's pods each is.
//
// Such a controller needs no memory of what it asked for: a pod that the cache does not show yet is
// asked for again, and refused because it exists. What is to be done is a pure function of the
// object and its pods.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/workloads/core/controller.h"
#include "actors/workloads/core/pod_writes.h"
#include "actors/workloads/objects/owners.h"
#include "messages/kinds.h"
#include "messages/same_message.h"

namespace troupe::workloads {

/// What one sync of a T does, in this order.
template <class T>
struct NamedPodsPlan {
  std::vector<PodPtr> remove;
  std::vector<k8s::Pod> create;
  T updated;                                     ///< the object with the status that it is to have
  std::optional<Duration> again = std::nullopt;  ///< when to look anew, whatever happens
};

template <class T>
class NamedPodsController final : public SyncingController {
 public:
  using Plan = NamedPodsPlan<T>;
  using Planner = Plan (*)(const T& object, const OwnedPods& pods, SimTime now);

  NamedPodsController(SharedInformers& informers, Informer<T>& objects,
                      const ControllerOptions& options, std::string name, Planner planner)
      : SyncingController(informers, options, std::move(name)),
        objects_(objects),
        planner_(planner) {
    const auto look = [this](Context& context, const ObjectPtr& object) {
      enqueue(context, path_of(object->metadata()));
    };
    objects.on_add(look);
    objects.on_update([look](Context& context, const ObjectPtr&, const ObjectPtr& after) {
      look(context, after);
    });
    const auto look_at_owner = [this](Context& context, const PodPtr& pod) {
      const k8s::OwnerReference* owner = controller_of(pod->metadata());
      if (owner == nullptr || owner->kind() != kind_of<T>().name) return;
      enqueue(context, pod->metadata().namespace_() + "/" + owner->name());
    };
    informers.pods.on_add(look_at_owner);
    informers.pods.on_update([look_at_owner](Context& context, const PodPtr&, const PodPtr& after) {
      look_at_owner(context, after);
    });
    informers.pods.on_delete(look_at_owner);
  }

 protected:
  void sync(Context& context, const std::string& key) override {
    const ObjectPtr object = objects_.get(key);
    if (object == nullptr || object->metadata().has_deletion_timestamp()) {
      finish(context, key);
      return;
    }
    const OwnedPods& pods = informers_.pods_by_owner.owned_by(object->metadata().uid());
    const auto plan = std::make_shared<Plan>(planner_(*object, pods, context.now()));
    if (plan->again) enqueue_after(context, key, *plan->again);
    after_deciding(context, static_cast<std::int64_t>(pods.all().size()),
                   [this, key, object, plan](Context& later) { remove(later, key, object, plan); });
  }

 private:
  using ObjectPtr = std::shared_ptr<const T>;
  using PlanPtr = std::shared_ptr<Plan>;

  void remove(Context& context, const std::string& key, const ObjectPtr& object,
              const PlanPtr& plan) {
    delete_pods(
        api_, context, plan->remove,
        {.each =
             [this, object, plan](Context& later, std::size_t index, const ApiResult& result) {
               if (!result.ok()) return;
               record(later, *object, "Normal", "SuccessfulDeletePod",
                      "Deleted pod: " + plan->remove[index]->metadata().name());
             },
         .done = [this, key, object, plan](
                     Context& later,
                     const PodWrites::End& end) { create(later, key, object, plan, end.ok()); }});
  }

  void create(Context& context, const std::string& key, const ObjectPtr& object,
              const PlanPtr& plan, bool ok) {
    create_pods(api_, context, plan->create,
                {.each =
                     [this, object](Context& later, std::size_t, const ApiResult& result) {
                       if (const auto pod = result.ok() ? result.as<k8s::Pod>() : nullptr) {
                         record(later, *object, "Normal", "SuccessfulCreatePod",
                                "Created pod: " + pod->metadata().name());
                       } else if (!result.ok() && !result.already_exists()) {
                         record(later, *object, "Warning", "FailedCreatePod",
                                "Error creating: " + result.message);
                       }
                     },
                 .done =
                     [this, key, object, plan, ok](Context& later, const PodWrites::End& end) {
                       update_status(later, key, object, plan, ok && end.ok());
                     }});
  }

  void update_status(Context& context, const std::string& key, const ObjectPtr& object,
                     const PlanPtr& plan, bool ok) {
    if (same_message(plan->updated.status(), object->status())) {
      finish(context, key, ok);
      return;
    }
    api_.update_status(context, plan->updated,
                       [this, key, ok](Context& later, const ApiResult& result) {
                         finish(later, key, ok && (result.ok() || result.not_found()));
                       });
  }

  Informer<T>& objects_;
  Planner planner_;
};

}  // namespace troupe::workloads
