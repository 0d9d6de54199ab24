#include "actors/kai/cluster_view.h"

#include <charconv>
#include <cmath>
#include <utility>

#include "actors/kai/names.h"
#include "messages/timestamp.h"

namespace troupe::kai {
namespace {

/// A float of KAI's in our integers; -1 is unlimited.
std::int64_t scaled(double value, std::int64_t factor) {
  return value < 0
             ? kUnlimited
             : static_cast<std::int64_t>(std::floor(value * static_cast<double>(factor) + 0.5));
}

QueueSettings::Bounds bounds_of(const QueueResource& resource, std::int64_t factor) {
  return {scaled(resource.quota(), factor), scaled(resource.limit(), factor),
          scaled(resource.over_quota_weight(), kMilli)};
}

/// A queue of KAI's chart: no quota, no limit, weight 1.
QueueSettings shipped_queue(std::string_view name, std::string_view parent) {
  QueueSettings queue;
  queue.name = name;
  queue.parent = parent;
  for (auto& bounds : queue.bounds) bounds = {0, kUnlimited, 1000};
  return queue;
}

std::optional<int> task_priority(const k8s::Pod& pod) {
  const std::string_view text = label_or(pod.metadata().labels(), kTaskPriorityLabel);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<SimTime> stale_mark(const PodGroup& group) {
  const std::string_view text = label_or(group.metadata().annotations(), kStaleAnnotation);
  if (text.empty()) return std::nullopt;
  const Result<SimTime> parsed = parse_timestamp(text);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

bool has_failed(const BindRequest& request) {
  return request.status().phase() == "Failed";
}

bool is_preemptible(const PodGroup& group, int priority) {
  if (group.spec().preemptibility() == "preemptible") return true;
  if (group.spec().preemptibility() == "non-preemptible") return false;
  return priority < kNonPreemptibleFrom;
}

}  // namespace

QueueSettings settings_of(const Queue& queue) {
  QueueSettings settings;
  settings.name = queue.metadata().name();
  settings.parent = queue.spec().parent_queue();
  if (queue.spec().has_priority()) settings.priority = queue.spec().priority();
  settings.created = from_ns(queue.metadata().creation_timestamp());
  const QueueResources& resources = queue.spec().resources();
  settings.bounds = {bounds_of(resources.cpu(), 1),
                     bounds_of(resources.memory(), kBytesPerMegabyte),
                     bounds_of(resources.gpu(), kMilli)};
  return settings;
}

TaskStatus status_of(const k8s::Pod& pod, const BindRequest* request) {
  const std::string& phase = pod.status().phase();
  if (phase == "Succeeded") return TaskStatus::Succeeded;
  if (phase == "Failed") return TaskStatus::Failed;
  if (phase == "Unknown") return TaskStatus::Unknown;
  if (pod.metadata().has_deletion_timestamp()) return TaskStatus::Releasing;
  if (phase == "Running") return TaskStatus::Running;
  if (!pod.spec().node_name().empty()) return TaskStatus::Bound;
  if (request != nullptr && !has_failed(*request)) return TaskStatus::Binding;
  return pod.spec().scheduling_gates().empty() ? TaskStatus::Pending : TaskStatus::Gated;
}

std::string group_of(const k8s::Pod& pod) {
  const std::string* group = find_label(pod.metadata().annotations(), kPodGroupAnnotation);
  return group != nullptr ? pod.metadata().namespace_() + "/" + *group : std::string();
}

ClusterView::ClusterView(ApiClient& api, SessionOptions options)
    : options_(std::move(options)),
      nodes_(api),
      pods_(api),
      queues_(api),
      groups_(api),
      requests_(api),
      classes_(api) {
  watch_pods();
  watch_others();
}

void ClusterView::watch_pods() {
  pods_.on_add([this](Context&, const PodObject& pod) { take_pod(pod); });
  pods_.on_update([this](Context&, const PodObject& before, const PodObject& after) {
    drop_pod(before);
    take_pod(after);
  });
  pods_.on_delete([this](Context&, const PodObject& pod) { drop_pod(pod); });
}

void ClusterView::watch_others() {
  const auto changed = [this](Context&, const auto&...) { ++version_; };
  const auto set_node = [this](const std::shared_ptr<const k8s::Node>& node) {
    cache_.set_node(node);
    ++version_;
  };
  nodes_.on_add([set_node](Context&, const auto& node) { set_node(node); });
  nodes_.on_update([set_node](Context&, const auto&, const auto& node) { set_node(node); });
  nodes_.on_delete([this](Context&, const auto& node) {
    cache_.remove_node(node->metadata().name());
    ++version_;
  });
  const auto watch = [&changed](auto& informer) {
    informer.on_add(changed);
    informer.on_update(changed);
    informer.on_delete(changed);
  };
  watch(queues_);
  watch(groups_);
  watch(requests_);
  watch(classes_);
}

void ClusterView::start(Context& context) {
  nodes_.start(context);
  pods_.start(context);
  queues_.start(context);
  groups_.start(context);
  requests_.start(context);
  classes_.start(context);
}

bool ClusterView::synced() const {
  return nodes_.synced() && pods_.synced() && queues_.synced() && groups_.synced() &&
         requests_.synced() && classes_.synced();
}

void ClusterView::take_pod(const PodObject& pod) {
  ++version_;
  const scheduling::PodPtr info = scheduling::make_pod_info(pod, cache_.label_classes());
  if (!pod->spec().node_name().empty() && !scheduling::is_finished(*pod)) cache_.set_pod(info);
  const std::string group = group_of(*pod);
  if (!group.empty()) members_[group][path_of(pod->metadata())] = info;
}

void ClusterView::drop_pod(const PodObject& pod) {
  ++version_;
  cache_.remove_pod(pod->metadata().uid());
  const auto at = members_.find(group_of(*pod));
  if (at == members_.end()) return;
  at->second.erase(path_of(pod->metadata()));
  if (at->second.empty()) members_.erase(at);
}

void ClusterView::remember_stale(const std::string& group, std::optional<SimTime> since) {
  if (!since && !stale_.contains(group)) return;
  stale_[group] = since;
}

SessionInput ClusterView::session_input(SimTime now) {
  cache_.refresh(snapshot_);
  SessionInput input{snapshot_, queues(), {}, now, options_};
  for (const auto& [path, group] : groups_.cache()) {
    if (is_up(*group)) input.jobs.push_back(job_of(*group));
  }
  std::erase_if(stale_, [this](const auto& entry) { return !groups_.get(entry.first); });
  return input;
}

std::vector<std::shared_ptr<const BindRequest>> ClusterView::stale_requests() const {
  std::vector<std::shared_ptr<const BindRequest>> stale;
  for (const auto& [path, request] : requests_.cache()) {
    const bool node_gone = cache_.find_node(request->spec().selected_node()) == nullptr;
    if (has_failed(*request) || node_gone) stale.push_back(request);
  }
  return stale;
}

bool ClusterView::is_up(const PodGroup& group) const {
  const int backoff =
      group.spec().has_scheduling_backoff() ? group.spec().scheduling_backoff() : -1;
  const auto& conditions = group.status().scheduling_conditions();
  if (backoff == -1 || conditions.empty()) return true;
  // One try only, and it has failed in this node pool.
  return conditions.rbegin()->node_pool() != kDefaultNodePool;
}

JobSettings ClusterView::job_of(const PodGroup& group) const {
  JobSettings job;
  job.name_space = group.metadata().namespace_();
  job.name = group.metadata().name();
  job.uid = group.metadata().uid();
  job.queue = group.spec().queue();
  job.priority = priority_of(group.spec().priority_class_name());
  job.preemptible = is_preemptible(group, job.priority);
  job.created = from_ns(group.metadata().creation_timestamp());
  job.min_member = group.spec().has_min_member() ? group.spec().min_member() : 1;
  for (const SubGroup& sub_group : group.spec().sub_groups()) {
    job.sub_groups.push_back({sub_group.name(), sub_group.min_member(), sub_group.parent()});
  }
  const auto stale = stale_.find(job.full_name());
  job.stale_since = stale != stale_.end() ? stale->second : stale_mark(group);
  const auto members = members_.find(job.full_name());
  if (members == members_.end()) return job;
  for (const auto& [path, pod] : members->second) job.tasks.push_back(task_of(pod));
  return job;
}

TaskSettings ClusterView::task_of(const scheduling::PodPtr& pod) const {
  const k8s::Pod& object = *pod->pod;
  const auto request = requests_.get(object.metadata().namespace_(), object.metadata().name());
  TaskSettings task;
  task.pod = pod;
  task.status = status_of(object, request.get());
  task.node = object.spec().node_name();
  task.counted = !task.node.empty();
  if (task.status == TaskStatus::Binding) task.node = request->spec().selected_node();
  task.sub_group = std::string(label_or(object.metadata().labels(), kSubGroupLabel));
  task.priority = task_priority(object);
  return task;
}

int ClusterView::priority_of(const std::string& class_name) const {
  if (const auto found = classes_.get(class_name)) return found->value();
  if (const auto shipped = shipped_class(class_name)) return *shipped;
  for (const auto& [name, priority_class] : classes_.cache()) {
    if (priority_class->global_default()) return priority_class->value();
  }
  return kDefaultPriority;
}

std::vector<QueueSettings> ClusterView::queues() const {
  std::vector<QueueSettings> queues;
  for (const auto& [name, queue] : queues_.cache()) queues.push_back(settings_of(*queue));
  if (!queues_.get(kDefaultQueue)) {
    queues.push_back(shipped_queue(kDefaultQueue, kDefaultParentQueue));
    if (!queues_.get(kDefaultParentQueue)) queues.push_back(shipped_queue(kDefaultParentQueue, ""));
  }
  return queues;
}

}  // namespace troupe::kai
