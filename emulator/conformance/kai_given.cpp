#include "emulator/conformance/kai_given.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "actors/kai/names.h"
#include "actors/scheduling/pod_info.h"
#include "actors/scheduling/resources.h"
#include "emulator/config/values.h"
#include "emulator/conformance/kai_queue.h"
#include "emulator/conformance/task_states.h"
#include "messages/labels.h"

namespace troupe::conformance {
namespace {

using config::Given;
using std::chrono::minutes;

constexpr const char* kNodeCpu = "20";
constexpr const char* kNodeMemory = "20G";
constexpr std::uint32_t kNodePods = 110;
constexpr const char* kTaskCpu = "1";
constexpr const char* kTaskMemory = "1G";
constexpr const char* kNamespace = "default";
constexpr const char* kSchedulerName = "kai-scheduler";

std::string or_default(const std::string& text, const char* fallback) {
  return text.empty() ? fallback : text;
}

std::string class_of(const Given::Job& job) {
  return or_default(job.class_(), "train");
}
int priority_of(const Given::Job& job) {
  if (job.has_priority()) return job.priority();
  return kai::shipped_class(class_of(job)).value_or(kai::kDefaultPriority);
}

void set(ResourceMap& amounts, std::string_view resource, const std::string& quantity) {
  set_amount(amounts, resource, Quantity::parse(quantity).value_or(Quantity()));
}

k8s::Node node_object(const Given::Node& spec, const std::string& name) {
  k8s::Node node;
  node.mutable_metadata()->set_name(name);
  node.mutable_metadata()->set_uid("uid-" + name);
  LabelMap& labels = *node.mutable_metadata()->mutable_labels();
  set_label(labels, "kubernetes.io/hostname", name);
  set_label(labels, "nvidia.com/gpu.memory", "100");
  for (const config::KeyValue& label : spec.labels()) set_label(labels, label.key(), label.value());
  for (const config::NodeGroup::Taint& taint : spec.taints()) {
    k8s::Taint& added = *node.mutable_spec()->add_taints();
    added.set_key(taint.key());
    added.set_value(taint.value());
    added.set_effect(taint.effect());
  }
  ResourceMap& amounts = *node.mutable_status()->mutable_allocatable();
  set(amounts, "cpu", or_default(spec.cpu(), kNodeCpu));
  set(amounts, "memory", or_default(spec.memory(), kNodeMemory));
  set(amounts, "pods", std::to_string(spec.has_pods() ? spec.pods() : kNodePods));
  set(amounts, scheduling::kGpuResource, std::to_string(spec.gpus()));
  *node.mutable_status()->mutable_capacity() = amounts;
  k8s::Condition& ready = *node.mutable_status()->add_conditions();
  ready.set_type("Ready");
  ready.set_status("True");
  return node;
}

k8s::Pod pod_object(const Given::Job& job, std::uint32_t gpus, std::size_t index) {
  k8s::Pod pod;
  const std::string name = job.name() + "-" + std::to_string(index);
  pod.mutable_metadata()->set_name(name);
  pod.mutable_metadata()->set_namespace_(kNamespace);
  pod.mutable_metadata()->set_uid("uid-" + name);
  k8s::PodSpec& spec = *pod.mutable_spec();
  spec.set_scheduler_name(kSchedulerName);
  for (const config::KeyValue& label : job.node_selector()) {
    set_label(*spec.mutable_node_selector(), label.key(), label.value());
  }
  *spec.mutable_tolerations() = job.tolerations();
  k8s::Container& container = *spec.add_containers();
  container.set_name("main");
  ResourceMap& requests = *container.mutable_resources()->mutable_requests();
  set(requests, "cpu", or_default(job.cpu(), kTaskCpu));
  set(requests, "memory", or_default(job.memory(), kTaskMemory));
  if (gpus > 0) set(requests, scheduling::kGpuResource, std::to_string(gpus));
  return pod;
}

kai::JobSettings settings_of(const Given::Job& job, scheduling::LabelClasses& classes) {
  const std::vector<Given::Task> tasks = tasks_of(job);
  kai::JobSettings settings;
  settings.name_space = kNamespace;
  settings.name = job.name();
  settings.uid = "uid-" + job.name();
  settings.queue = job.queue();
  settings.priority = priority_of(job);
  settings.preemptible =
      job.has_preemptible() ? job.preemptible() : settings.priority < kai::kNonPreemptibleFrom;
  settings.min_member = static_cast<int>(job.has_min() ? job.min() : tasks.size());
  if (!job.stale_for().empty()) {
    settings.stale_since = kGivenTime - config::duration_or(job.stale_for(), {});
  }
  for (const Given::SubGroup& group : job.sub_groups()) {
    const int minimum = static_cast<int>(std::max(1U, group.min()));
    settings.sub_groups.push_back({group.name(), minimum, group.parent()});
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Given::Task& task = tasks[i];
    kai::TaskSettings added;
    const std::uint32_t gpus = task.has_gpus() ? task.gpus() : job.gpus();
    added.pod = scheduling::make_pod_info(
        std::make_shared<const k8s::Pod>(pod_object(job, gpus, i)), classes);
    added.status = status_named(or_default(task.state(), "Pending"));
    added.node = task.node();
    added.sub_group = task.sub_group();
    if (task.has_priority()) added.priority = task.priority();
    settings.tasks.push_back(std::move(added));
  }
  return settings;
}

// The older before the younger.
std::vector<std::size_t> by_age(const Given& given) {
  std::vector<std::size_t> order(static_cast<std::size_t>(given.jobs_size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&given](std::size_t a, std::size_t b) {
    return priority_of(given.jobs(static_cast<int>(a))) >
           priority_of(given.jobs(static_cast<int>(b)));
  });
  return order;
}

}  // namespace

std::vector<std::string> names_of(const Given::Node& node) {
  if (!node.has_count()) return {node.name()};
  std::vector<std::string> names;
  for (std::uint32_t k = 0; k < node.count(); ++k) {
    names.push_back(node.name() + "-" + std::to_string(k));
  }
  return names;
}

std::vector<Given::Task> tasks_of(const Given::Job& job) {
  std::vector<Given::Task> tasks;
  if (job.tasks().empty()) tasks.resize(std::max(1U, job.count()));
  for (const Given::Task& task : job.tasks()) {
    tasks.insert(tasks.end(), std::max(1U, task.count()), task);
  }
  return tasks;
}

bool has_place(const std::string& state) {
  return state == "Binding" || state == "Bound" || state == "Running" || state == "Releasing";
}

void add_nodes(const Given& given, scheduling::ClusterCache& cache) {
  for (const Given::Node& node : given.nodes()) {
    for (const std::string& name : names_of(node)) {
      cache.set_node(std::make_shared<const k8s::Node>(node_object(node, name)));
    }
  }
}

std::vector<kai::QueueSettings> queues_of(const Given& given) {
  std::vector<kai::QueueSettings> queues;
  const auto add = [&queues](const QueueRow& row) {
    queues.push_back(queue_settings(row, queues.size()));
  };
  for (const Given::Department& department : given.departments()) {
    QueueRow row{department.name()};
    if (department.has_quota()) row.quota = department.quota();
    if (department.has_limit()) row.limit = department.limit();
    row.weight = department.has_weight() ? department.weight() : std::max(0.0, row.quota);
    if (department.has_priority()) row.priority = department.priority();
    add(row);
  }
  bool needs_default = false;
  for (const Given::Queue& queue : given.queues()) {
    QueueRow row{queue.name(), or_default(queue.parent(), kDefaultDepartment), queue.quota()};
    needs_default = needs_default || queue.parent().empty();
    if (queue.has_limit()) row.limit = queue.limit();
    row.weight = queue.weight();
    if (queue.has_priority()) row.priority = queue.priority();
    add(row);
  }
  if (needs_default) add({kDefaultDepartment});
  return queues;
}

std::vector<kai::JobSettings> jobs_of(const Given& given, scheduling::LabelClasses& classes) {
  std::vector<kai::JobSettings> jobs;
  for (const Given::Job& job : given.jobs()) jobs.push_back(settings_of(job, classes));
  SimTime created = kTimeZero;
  for (const std::size_t index : by_age(given)) {
    jobs[index].created = created;
    created += minutes(1);
  }
  return jobs;
}

}  // namespace troupe::conformance
