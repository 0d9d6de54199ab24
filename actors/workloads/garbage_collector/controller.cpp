#include "actors/workloads/garbage_collector/controller.h"

#include <algorithm>
#include <utility>

#include "actors/workloads/garbage_collector/metadata_patch.h"
#include "actors/workloads/objects/metadata.h"
#include "messages/same_message.h"

namespace troupe::workloads {
namespace {

/// Kinds that own others or are owned, beyond those of the shared informers.
constexpr std::string_view kOtherKinds[] = {"BindRequest", "CronJob",  "DaemonSet",  "NodeClaim",
                                            "NodePool",    "PodGroup", "StatefulSet"};

/// cmd/kube-controller-manager/app/core.go: each deletion takes two calls, hence twice the others'
/// QPS.
ControllerOptions at_twice_the_rate(ControllerOptions options) {
  options.client.qps *= 2;
  return options;
}

/// An owner of a kind that is not modelled, perhaps with the name of one that is.
bool is_foreign(const GraphNode& node) {
  return !node.seen && find_kind(node.api_version, node.key.kind()) == nullptr;
}

}  // namespace

template <class T>
void GarbageCollector::follow(Informer<T>& informer) {
  using Object = std::shared_ptr<const T>;
  informer.on_add([this](Context& context, const Object& object) { on_seen(context, *object); });
  informer.on_update([this](Context& context, const Object& before, const Object& after) {
    if (before->metadata().uid() != after->metadata().uid())
      on_gone(context, before->metadata().uid());
    on_seen(context, *after);
  });
  informer.on_delete([this](Context& context, const Object& object) {
    on_gone(context, object->metadata().uid());
  });
}

GarbageCollector::GarbageCollector(SharedInformers& informers, ControllerOptions options)
    : SyncingController(informers, at_twice_the_rate(std::move(options)), "garbage-collector") {
  follow(informers.pods);
  follow(informers.nodes);
  follow(informers.replica_sets);
  follow(informers.deployments);
  follow(informers.jobs);
  follow(informers.leader_worker_sets);
  follow(informers.pytorch_jobs);
  follow(informers.ray_clusters);
  follow(informers.services);
  follow(informers.endpoint_slices);
  follow(informers.budgets);
}

void GarbageCollector::start(Context& context) {
  SyncingController::start(context);
  for (const std::string_view kind : kOtherKinds) {
    others_.emplace_back(
        api_, kind,
        [this](Context& later, const google::protobuf::Message& object) { on_seen(later, object); },
        [this](Context& later, const std::string& uid) { on_gone(later, uid); });
    others_.back().start(context);
  }
}

void GarbageCollector::on_seen(Context& context, const google::protobuf::Message& object) {
  add_work(context, graph_.observe(key_of(object), meta_of(object)));
}

void GarbageCollector::on_gone(Context& context, const std::string& uid) {
  const GraphWork work = graph_.erase(uid);
  if (!work.look_at.empty()) absent_.insert(uid);
  add_work(context, work);
}

void GarbageCollector::add_work(Context& context, const GraphWork& work) {
  for (const std::string& uid : work.look_at) enqueue(context, uid);
  for (const std::string& uid : work.orphan) enqueue(context, uid);
}

void GarbageCollector::sync(Context& context, const std::string& key) {
  const GraphNode* node = graph_.find(key);
  const bool nothing_to_do =
      node == nullptr || is_foreign(*node) ||
      (node->leaving && !node->deletes_first && !node->orphans) ||
      (node->seen && node->owners.empty() && !node->deletes_first && !node->orphans);
  if (nothing_to_do) {
    finish(context, key);
    return;
  }
  const auto dependents = static_cast<std::int64_t>(node->dependents.size());
  after_deciding(context, dependents, [this, key, orphans = node->orphans](Context& later) {
    if (orphans) {
      orphan_dependents(later, key);
    } else {
      read(later, key);
    }
  });
}

void GarbageCollector::read(Context& context, const std::string& uid) {
  const GraphNode* node = graph_.find(uid);
  if (node == nullptr) {
    finish(context, uid);
    return;
  }
  api_.get(context, node->key, [this, uid](Context& later, const ApiResult& result) {
    const bool same = result.ok() && meta_of(result.object().message()).uid() == uid;
    if (same) {
      examine(later, uid, result.object());
      return;
    }
    if (result.ok() || result.not_found()) {
      on_gone(later, uid);
      absent_.insert(uid);
    }
    finish(later, uid, result.ok() || result.not_found());
  });
}

void GarbageCollector::examine(Context& context, const std::string& uid, const Payload& live) {
  const GraphNode* node = graph_.find(uid);
  if (node == nullptr) {
    finish(context, uid);
  } else if (node->deletes_first) {
    wait_for_dependents(context, uid, live);
  } else if (meta_of(live.message()).owner_references().empty()) {
    // What is there and no watch has shown is looked at again: it may come and go between two
    // watches.
    finish(context, uid, node->seen);
  } else {
    ask_for_owners(context, std::make_shared<Inquiry>(Inquiry{uid, live, {}}));
  }
}

bool GarbageCollector::is_known(const k8s::OwnerReference& owner, Inquiry& inquiry) const {
  if (absent_.contains(owner.uid())) {
    inquiry.owners[owner.uid()] = OwnerState::Dangling;
    return true;
  }
  if (find_kind(owner.api_version(), owner.kind()) != nullptr) return false;
  // Of a kind that is not modelled: nobody here can have deleted it.
  inquiry.owners[owner.uid()] = OwnerState::Solid;
  return true;
}

void GarbageCollector::ask_for_owners(Context& context, const InquiryPtr& inquiry) {
  const k8s::ObjectMeta& meta = meta_of(inquiry->live.message());
  for (; inquiry->next < meta.owner_references_size(); ++inquiry->next) {
    const k8s::OwnerReference& owner = meta.owner_references(inquiry->next);
    if (is_known(owner, *inquiry)) continue;
    const bool namespaced = find_kind(owner.kind())->namespaced;
    api_.get(context, object_key(owner.kind(), namespaced ? meta.namespace_() : "", owner.name()),
             [this, inquiry](Context& later, const ApiResult& result) {
               on_owner(later, inquiry, result);
             });
    return;
  }
  conclude(context, *inquiry);
}

void GarbageCollector::on_owner(Context& context, const InquiryPtr& inquiry,
                                const ApiResult& result) {
  const std::string& uid = meta_of(inquiry->live.message()).owner_references(inquiry->next).uid();
  if (!result.ok() && !result.not_found()) {
    finish(context, inquiry->uid, false);
    return;
  }
  OwnerState state = OwnerState::Dangling;
  if (result.ok() && meta_of(result.object().message()).uid() == uid) {
    const k8s::ObjectMeta& owner = meta_of(result.object().message());
    const bool waits = owner.has_deletion_timestamp() && has_finalizer(owner, kForegroundFinalizer);
    state = waits ? OwnerState::Waiting : OwnerState::Solid;
  } else {
    absent_.insert(uid);
  }
  inquiry->owners[uid] = state;
  ++inquiry->next;
  ask_for_owners(context, inquiry);
}

void GarbageCollector::conclude(Context& context, const Inquiry& inquiry) {
  const std::string uid = inquiry.uid;
  const GraphNode* node = graph_.find(uid);
  if (node == nullptr) {
    finish(context, uid);
    return;
  }
  const auto deletes_first = [this](const std::string& dependent) {
    const GraphNode* below = graph_.find(dependent);
    return below != nullptr && below->deletes_first;
  };
  const Surroundings around{
      .has_dependents = !node->dependents.empty(),
      .dependent_deletes_first = std::ranges::any_of(node->dependents, deletes_first)};
  const Judgement judgement = judge(meta_of(inquiry.live.message()), inquiry.owners, around);
  const auto end = [this, uid](Context& later, bool ok) { finish(later, uid, ok); };
  switch (judgement.what) {
    case Judgement::What::Keep:
      finish(context, uid, node->seen);
      break;
    case Judgement::What::DropOwners:
      patch(
          context, inquiry.live,
          [&](k8s::ObjectMeta& meta) {
            for (const auto& [owner, state] : inquiry.owners) {
              if (state != OwnerState::Solid) drop_owner(meta, owner);
            }
          },
          end);
      break;
    case Judgement::What::Unblock:
      patch(
          context, inquiry.live,
          [](k8s::ObjectMeta& meta) {
            for (auto& owner : *meta.mutable_owner_references())
              owner.set_block_owner_deletion(false);
          },
          [this, uid](Context& later, bool) { finish(later, uid, false); });
      break;
    case Judgement::What::Delete:
      remove(context, inquiry, judgement.propagation);
      break;
  }
}

void GarbageCollector::remove(Context& context, const Inquiry& inquiry,
                              const std::string& propagation) {
  const k8s::ObjectMeta& meta = meta_of(inquiry.live.message());
  api_.remove(
      context, key_of(inquiry.live.message()),
      {.uid = meta.uid(), .resource_version = meta.resource_version(), .propagation = propagation},
      [this, uid = inquiry.uid](Context& later, const ApiResult& result) {
        finish(later, uid, result.ok() || result.not_found());
      });
}

void GarbageCollector::wait_for_dependents(Context& context, const std::string& uid,
                                           const Payload& live) {
  const std::vector<std::string> blockers = graph_.blockers_of(uid);
  if (blockers.empty()) {
    patch(
        context, live, [](k8s::ObjectMeta& meta) { remove_finalizer(meta, kForegroundFinalizer); },
        [this, uid](Context& later, bool ok) { finish(later, uid, ok); });
    return;
  }
  for (const std::string& blocker : blockers) {
    if (!graph_.find(blocker)->deletes_first) enqueue(context, blocker);
  }
  finish(context, uid);
}

void GarbageCollector::orphan_dependents(Context& context, const std::string& uid) {
  const GraphNode* node = graph_.find(uid);
  if (node == nullptr) {
    finish(context, uid);
    return;
  }
  struct Open {
    std::size_t count = 1;
    bool ok = true;
  };
  const auto open = std::make_shared<Open>();
  const Done one_less = [this, uid, open](Context& later, bool ok) {
    open->ok &= ok;
    if (--open->count > 0) return;
    if (!open->ok) {
      finish(later, uid, false);
      return;
    }
    change(
        later, uid, [](k8s::ObjectMeta& meta) { remove_finalizer(meta, kOrphanFinalizer); },
        [this, uid](Context& last, bool done) { finish(last, uid, done); });
  };
  for (const std::string& dependent : node->dependents) {
    ++open->count;
    change(
        context, dependent, [uid](k8s::ObjectMeta& meta) { drop_owner(meta, uid); }, one_less);
  }
  one_less(context, true);
}

void GarbageCollector::patch(Context& context, const Payload& live, const Edit& edit, Done done) {
  k8s::ObjectMeta after = meta_of(live.message());
  edit(after);
  if (same_message(after, meta_of(live.message()))) {
    done(context, true);
    return;
  }
  MetadataPatch patch = metadata_patch(live.message(), after);
  api_.patch_object(context, std::move(patch.partial), patch.options,
                    [done = std::move(done)](Context& later, const ApiResult& result) {
                      done(later, result.ok() || result.not_found());
                    });
}

void GarbageCollector::change(Context& context, const std::string& uid, const Edit& edit,
                              const Done& done) {
  const GraphNode* node = graph_.find(uid);
  if (node == nullptr) {
    done(context, true);
    return;
  }
  api_.get(context, node->key, [this, uid, edit, done](Context& later, const ApiResult& result) {
    if (result.ok() && meta_of(result.object().message()).uid() == uid) {
      patch(later, result.object(), edit, done);
    } else {
      done(later, result.ok() || result.not_found());
    }
  });
}

}  // namespace troupe::workloads
