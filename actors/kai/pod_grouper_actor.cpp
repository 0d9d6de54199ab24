#include "actors/kai/pod_grouper_actor.h"

#include <utility>

#include "actors/kai/cluster_view.h"
#include "actors/kai/names.h"
#include "actors/kai/reconciler_options.h"
#include "actors/scheduling/pod_status.h"
#include "messages/facts.pb.h"
#include "messages/labels.h"

namespace troupe::kai {
namespace {

/// Who declares the gang, in the facts.
constexpr const char* kDeclaredBy = "PodGroup";

// kubeflow.org, common_types.go; MPIJob's controller writes them on its pods.
constexpr std::string_view kJobNameLabel = "training.kubeflow.org/job-name";
constexpr std::string_view kJobRoleLabel = "training.kubeflow.org/job-role";

}  // namespace

PodGrouperActor::PodGrouperActor(hosts::KaiPodGrouperConfig config)
    : scheduler_name_(config.scheduler_name().empty() ? "kai-scheduler" : config.scheduler_name()),
      api_(ApiClientOptions::of(config.client())),
      events_api_(events_client(config.client())),
      events_(events_api_, "pod-grouper", config.write_events()),
      pods_(api_),
      groups_(api_),
      classes_(api_),
      owners_(api_, pods_),
      queue_(reconciler_queue(config.workers(), config.backoff_min_ns(), config.backoff_max_ns()),
             [this](Context& context, const std::string& path) { reconcile(context, path); }) {
  if (!config.queue_label().empty()) options_.queue_label = config.queue_label();
  if (!config.default_queue().empty()) options_.default_queue = config.default_queue();
  options_.class_exists = [this](const std::string& name) {
    return classes_.get(name) != nullptr || shipped_class(name).has_value();
  };
  options_.pod_gang = [this](const std::string& gang) { return owners_.get<grove::PodGang>(gang); };
  options_.ray_cluster = [this](const std::string& cluster) {
    return owners_.get<ray::RayCluster>(cluster);
  };
  options_.has_launcher = [this](const std::string& job) { return has_launcher(job); };
  watch();
}

bool PodGrouperActor::has_launcher(const std::string& mpi_job) const {
  for (const auto& [path, pod] : pods_.cache()) {
    const auto& labels = pod->metadata().labels();
    if (label_or(labels, kJobRoleLabel) == "launcher" &&
        pod->metadata().namespace_() + "/" + std::string(label_or(labels, kJobNameLabel)) ==
            mpi_job &&
        !pod->metadata().has_deletion_timestamp()) {
      return true;
    }
  }
  return false;
}

void PodGrouperActor::watch() {
  pods_.on_add([this](Context& context, const PodObject& pod) {
    declare_member(context, *pod);
    consider(context, pod);
  });
  pods_.on_update([this](Context& context, const PodObject& before, const PodObject& after) {
    if (group_of(*before) != group_of(*after)) declare_member(context, *after);
    consider(context, after);
  });
  groups_.on_add([this](Context& context, const std::shared_ptr<const PodGroup>& group) {
    declare(context, *group);
  });
}

void PodGrouperActor::start(Context& context) {
  classes_.start(context);
  owners_.start(context);
  groups_.start(context);
  pods_.start(context);
}

void PodGrouperActor::receive(Context& context, const Delivery& delivery) {
  if (api_.receive(context, delivery) || events_api_.receive(context, delivery)) return;
  queue_.receive(context, delivery);
}

bool PodGrouperActor::synced() const {
  return pods_.synced() && groups_.synced() && classes_.synced() && owners_.synced();
}

void PodGrouperActor::consider(Context& context, const PodObject& pod) {
  if (pod->spec().scheduler_name() != scheduler_name_) return;
  // A bare pod that names its group was grouped by whoever made it.
  if (pod->metadata().owner_references().empty() && !group_of(*pod).empty()) return;
  queue_.add(context, path_of(pod->metadata()));
}

void PodGrouperActor::reconcile(Context& context, const std::string& path) {
  const PodObject pod = pods_.get(path);
  if (!pod) {
    queue_.forget(path);
    finish(context, path);
    return;
  }
  if (!synced()) {
    queue_.retry(context, path);
    finish(context, path);
    return;
  }
  const auto owners = owners_.owners_of(context, *pod);
  if (!synced()) {
    queue_.retry(context, path);
    finish(context, path);
    return;
  }
  if (!owners) {
    if (pod->metadata().has_deletion_timestamp()) {
      finish(context, path);
    } else {
      fail(context, pod, owners.error().message);
    }
    return;
  }
  const Result<Grouping> grouping = group_pod(*pod, *owners, options_);
  if (!grouping) {
    fail(context, pod, grouping.error().message);
    return;
  }
  apply(context, pod, *grouping);
}

void PodGrouperActor::apply(Context& context, const PodObject& pod, const Grouping& grouping) {
  const auto then_assign = [this, pod, grouping](Context& later, const ApiResult& result) {
    if (result.ok()) {
      assign(later, pod, grouping);
    } else {
      fail(later, pod, result.message);
    }
  };
  const auto existing = groups_.get(path_of(grouping.group.metadata()));
  if (!existing) {
    api_.create(context, grouping.group, then_assign);
  } else if (auto updated = updated_group(*existing, grouping.group)) {
    api_.update(context, *std::move(updated), then_assign);
  } else {
    assign(context, pod, grouping);
  }
}

void PodGrouperActor::assign(Context& context, const PodObject& pod, const Grouping& grouping) {
  const std::string path = path_of(pod->metadata());
  const k8s::ObjectMeta& meta = pod->metadata();
  const std::string& group = grouping.group.metadata().name();
  if (label_or(meta.annotations(), kPodGroupAnnotation) == group &&
      label_or(meta.labels(), kSubGroupLabel) == grouping.sub_group) {
    queue_.forget(path);
    finish(context, path);
    return;
  }
  k8s::Pod partial = scheduling::partial_of(*pod);
  set_label(*partial.mutable_metadata()->mutable_annotations(), kPodGroupAnnotation, group);
  if (!grouping.sub_group.empty()) {
    set_label(*partial.mutable_metadata()->mutable_labels(), kSubGroupLabel, grouping.sub_group);
  }
  api_.patch(context, std::move(partial), {},
             [this, pod, path](Context& later, const ApiResult& result) {
               if (!result.ok() && !result.not_found()) {
                 fail(later, pod, result.message);
                 return;
               }
               queue_.forget(path);
               finish(later, path);
             });
}

void PodGrouperActor::fail(Context& context, const PodObject& pod, const std::string& why) {
  const std::string path = path_of(pod->metadata());
  events_.record(context, *pod, {"Warning", "PodGrouperWarning", why});
  queue_.retry(context, path);
  finish(context, path);
}

void PodGrouperActor::finish(Context& context, const std::string& path) {
  queue_.done(context, path);
}

void PodGrouperActor::declare(Context& context, const PodGroup& group) const {
  if (minimum_of(group) <= 1) return;
  facts::GangDeclared declared;
  declared.set_gang(path_of(group.metadata()));
  declared.set_by(kDeclaredBy);
  for (const SubGroupSettings& pod_set : pod_sets_of(group)) {
    auto& added = *declared.add_sub_groups();
    added.set_name(pod_set.name);
    added.set_minimum(static_cast<std::uint32_t>(pod_set.min_member));
  }
  context.emit(Payload::of(std::move(declared)));
}

void PodGrouperActor::declare_member(Context& context, const k8s::Pod& pod) const {
  const std::string gang = group_of(pod);
  if (gang.empty()) return;
  const auto group = groups_.get(gang);
  if (group && minimum_of(*group) <= 1) return;
  facts::GangMember member;
  member.set_gang(gang);
  member.set_sub_group(
      std::string(label_or(pod.metadata().labels(), kSubGroupLabel, kDefaultSubGroup)));
  member.set_uid(pod.metadata().uid());
  member.set_by(kDeclaredBy);
  context.emit(Payload::of(std::move(member)));
}

}  // namespace troupe::kai
