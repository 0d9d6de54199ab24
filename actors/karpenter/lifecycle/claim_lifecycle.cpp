#include "actors/karpenter/lifecycle/claim_lifecycle.h"

#include <utility>

#include "actors/karpenter/lifecycle/claim_deletion.h"
#include "actors/karpenter/lifecycle/condition_types.h"
#include "actors/karpenter/lifecycle/initialization.h"
#include "actors/karpenter/lifecycle/launch.h"
#include "actors/karpenter/lifecycle/liveness.h"
#include "actors/karpenter/lifecycle/registration.h"
#include "actors/karpenter/scheduling/labels.h"
#include "messages/same_message.h"

namespace troupe::karpenter {
namespace {

/// pkg/controllers/nodeclaim/lifecycle/controller.go: MaxConcurrentReconciles and the rate limiter.
constexpr WorkQueueOptions kClaimQueue{.workers = 1000,
                                       .backoff_min = std::chrono::seconds(1),
                                       .backoff_max = std::chrono::minutes(1)};

}  // namespace

ClaimLifecycle::ClaimLifecycle(Manager& manager, PoolHealthTracker& health)
    : KeyedController(kClaimQueue), manager_(manager), health_(health), finalizer_(manager) {
  manager.claims.on_add(
      [this](Context& context, const auto& claim) { enqueue(context, claim->metadata().name()); });
  manager.claims.on_update([this](Context& context, const auto&, const auto& claim) {
    enqueue(context, claim->metadata().name());
  });
  manager.claims.on_delete(
      [this](Context&, const auto& claim) { launched_.erase(claim->metadata().uid()); });
  watch_nodes();
}

void ClaimLifecycle::watch_nodes() {
  const auto look = [this](Context& context, const k8s::Node& node) {
    if (const auto claim = manager_.state.claim_of(node))
      enqueue(context, claim->metadata().name());
  };
  manager_.nodes.on_add([look](Context& context, const auto& node) { look(context, *node); });
  manager_.nodes.on_update(
      [look](Context& context, const auto&, const auto& node) { look(context, *node); });
  manager_.nodes.on_delete([look](Context& context, const auto& node) { look(context, *node); });
}

void ClaimLifecycle::reconcile(Context& context, const std::string& name) {
  const auto claim = manager_.claims.get(name);
  if (claim == nullptr) return finish(context, name);
  if (claim->metadata().has_deletion_timestamp()) {
    return finalizer_.finalize(context, claim, [this, name](Context& later, const Outcome& end) {
      finish(later, name, end);
    });
  }
  const auto pass = std::make_shared<Pass>(Pass{name, claim, *claim, nullptr, {}});
  if (has_finalizer(claim->metadata(), kTerminationFinalizer)) return launch(context, pass);
  add_finalizer(context, pass);
}

// Before anything is launched, or an instance could be left behind by a claim that was deleted.
void ClaimLifecycle::add_finalizer(Context& context, const PassPtr& pass) {
  NodeClaim claim = *pass->stored;
  static_cast<void>(troupe::add_finalizer(*claim.mutable_metadata(), kTerminationFinalizer));
  manager_.api.update(context, std::move(claim),
                      [this, pass](Context& later, const ApiResult& result) {
                        const auto written = result.as<NodeClaim>();
                        if (!result.ok() || written == nullptr) {
                          return finish(later, pass->name, {.ok = result.not_found()});
                        }
                        pass->stored = written;
                        pass->claim = *written;
                        launch(later, pass);
                      });
}

// ---- launch ----

void ClaimLifecycle::launch(Context& context, const PassPtr& pass) {
  NodeClaim& claim = pass->claim;
  begin_conditions(claim, from_ns(claim.metadata().creation_timestamp()));
  if (!is_undecided(claim, kLaunched)) {
    launched_.erase(claim.metadata().uid());
    return register_node(context, pass);
  }
  const auto known = launched_.find(claim.metadata().uid());
  if (known != launched_.end()) {
    record_launch(claim, known->second, manager_.catalogue(), context.now());
    return register_node(context, pass);
  }
  Result<cloud::LaunchInstance> request = launch_request(claim, manager_.catalogue());
  if (!request) {
    manager_.events.record(context, claim,
                           {"Warning", "InsufficientCapacityError", request.error().message});
    return give_up(context, pass, "insufficient_capacity");
  }
  manager_.cloud.launch(context, std::move(*request),
                        [this, pass](Context& later, const cloud::LaunchInstanceReply* reply) {
                          take_launch(later, pass, reply);
                        });
}

void ClaimLifecycle::take_launch(Context& context, const PassPtr& pass,
                                 const cloud::LaunchInstanceReply* reply) {
  NodeClaim& claim = pass->claim;
  if (reply != nullptr) manager_.mark_unavailable(context, dry_offerings(*reply));
  if (reply != nullptr && reply->error().empty()) {
    launched_[claim.metadata().uid()] = reply->instance();
    record_launch(claim, reply->instance(), manager_.catalogue(), context.now());
    return register_node(context, pass);
  }
  if (reply != nullptr && is_insufficient_capacity(*reply)) {
    manager_.events.record(
        context, claim,
        {"Warning", "InsufficientCapacityError",
         "all offerings that the NodeClaim allows lack capacity: " + reply->error()});
    return give_up(context, pass, "insufficient_capacity");
  }
  const std::string error = reply == nullptr ? "no answer from the cloud" : reply->error();
  record_launch_failure(claim, error, context.now());
  pass->outcome.ok = false;
  register_node(context, pass);
}

// ---- registration and initialization ----

void ClaimLifecycle::register_node(Context& context, const PassPtr& pass) {
  NodeClaim& claim = pass->claim;
  const std::string& id = claim.status().provider_id();
  pass->node = manager_.state.node_of(id);
  if (condition_is(claim, kRegistered)) return initialize(context, pass);
  if (!check_nodes(claim, manager_.state.nodes_with(id), context.now())) {
    return initialize(context, pass);
  }
  if (lacks_unregistered_taint(*pass->node)) {
    manager_.events.record(context, claim,
                           {"Warning", "UnregisteredTaintMissing",
                            "Missing karpenter.sh/unregistered taint which prevents registration "
                            "related race conditions"});
  }
  manager_.api.update(
      context, registered_node(claim, *pass->node),
      [this, pass](Context& later, const ApiResult& result) { registered(later, pass, result); });
}

void ClaimLifecycle::registered(Context& context, const PassPtr& pass, const ApiResult& result) {
  const auto node = result.as<k8s::Node>();
  if (!result.ok() || node == nullptr) {
    pass->outcome.ok = false;
    return check_life(context, pass);
  }
  pass->node = node;
  record_registration(pass->claim, *node, context.now());
  record_health(pass->claim, true);
  initialize(context, pass);
}

void ClaimLifecycle::initialize(Context& context, const PassPtr& pass) {
  if (condition_is(pass->claim, kInitialized) ||
      !check_initialized(pass->claim, pass->node.get(), context.now())) {
    return check_life(context, pass);
  }
  k8s::Node label;
  label.mutable_metadata()->set_name(pass->node->metadata().name());
  label.mutable_metadata()->set_uid(pass->node->metadata().uid());
  set_label(*label.mutable_metadata()->mutable_labels(), kInitializedLabel, "true");
  manager_.api.patch(context, std::move(label), {},
                     [this, pass](Context& later, const ApiResult& result) {
                       if (result.ok()) {
                         record_initialization(pass->claim, later.now());
                       } else {
                         pass->outcome.ok = false;
                       }
                       check_life(later, pass);
                     });
}

// ---- the end of a pass ----

void ClaimLifecycle::check_life(Context& context, const PassPtr& pass) {
  const Liveness liveness =
      check_liveness(pass->claim, manager_.profile.launch_timeout, context.now());
  if (liveness.delete_reason.empty()) {
    pass->outcome.again = liveness.check_again;
    return write_metadata(context, pass);
  }
  record_health(pass->claim, false);
  give_up(context, pass, liveness.delete_reason);
}

// The rest that follows keeps a claim that is gone, in a cache that is late, from a second launch.
void ClaimLifecycle::give_up(Context& context, const PassPtr& pass, std::string_view reason) {
  delete_claim(manager_, context, pass->claim, reason, [this, pass](Context& later, bool ok) {
    pass->outcome = {.ok = ok};
    end(later, pass, true);
  });
}

void ClaimLifecycle::write_metadata(Context& context, const PassPtr& pass) {
  if (same_message(pass->claim.metadata(), pass->stored->metadata())) {
    return write_status(context, pass, false);
  }
  manager_.api.update(context, pass->claim, [this, pass](Context& later, const ApiResult& result) {
    const auto written = result.as<NodeClaim>();
    if (!result.ok() || written == nullptr) {
      pass->outcome.ok = false;
      return end(later, pass, false);
    }
    *pass->claim.mutable_metadata() = written->metadata();
    write_status(later, pass, true);
  });
}

void ClaimLifecycle::write_status(Context& context, const PassPtr& pass, bool wrote) {
  if (same_message(pass->claim.status(), pass->stored->status())) return end(context, pass, wrote);
  manager_.api.update_status(context, pass->claim,
                             [this, pass](Context& later, const ApiResult& result) {
                               if (!result.ok()) pass->outcome.ok = false;
                               end(later, pass, result.ok());
                             });
}

void ClaimLifecycle::end(Context& context, const PassPtr& pass, bool wrote) {
  if (!wrote) return finish(context, pass->name, pass->outcome);
  manager_.api.timers().after(context, kRest, "rest", [this, pass](Context& later) {
    finish(later, pass->name, pass->outcome);
  });
}

void ClaimLifecycle::record_health(const NodeClaim& claim, bool success) {
  health_.record(std::string(label_or(claim.metadata().labels(), kNodePoolLabel)), success);
}

}  // namespace troupe::karpenter
