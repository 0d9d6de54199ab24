// A KAI queue: what it may have, has and is asked for.
#include <algorithm>
#include <map>

#include "actors/kai/amount_text.h"
#include "actors/kai/cluster_view.h"
#include "actors/kai/names.h"
#include "actors/kai/queue_info.h"
#include "actors/scheduling/pod_info.h"
#include "emulator/console/explanation.h"
#include "messages/conditions.h"
#include "messages/k8s/core.pb.h"

namespace troupe::console {
namespace {

/// The queues with what the pods of their gangs have and ask for.
class QueuesNow {
 public:
  explicit QueuesNow(const RunView& run) : forest_(settings(run)) {
    kai::Quantities total;
    for (const auto& [name, object] : run.view.objects("Node")) {
      const auto& node = *object.as<k8s::Node>();
      if (is_true(node.status().conditions(), "Ready")) {
        total += kai::quantities_of(scheduling::resources_of(node.status().allocatable()));
      }
    }
    for (const auto& [name, object] : run.view.objects("Pod")) {
      charge(run, *object.as<k8s::Pod>(), total);
    }
    forest_.divide(total);
  }

  [[nodiscard]] const kai::QueueInfo* find(const std::string& name) const {
    return forest_.find(name);
  }
  /// Pods of that gang without a node.
  [[nodiscard]] std::size_t pending(const std::string& group) const {
    const auto found = pending_.find(group);
    return found == pending_.end() ? 0 : found->second;
  }

 private:
  static std::vector<kai::QueueSettings> settings(const RunView& run) {
    std::vector<kai::QueueSettings> all;
    for (const auto& [name, object] : run.view.objects("Queue")) {
      all.push_back(kai::settings_of(*object.as<kai::Queue>()));
    }
    return all;
  }

  void charge(const RunView& run, const k8s::Pod& pod, kai::Quantities& total) {
    const std::string& phase = pod.status().phase();
    if (phase == "Succeeded" || phase == "Failed") return;
    const bool bound = !pod.spec().node_name().empty();
    const kai::Quantities amount = kai::quantities_of(scheduling::requests_of(pod.spec()));
    const std::string gang = kai::group_of(pod);
    const Payload* group = gang.empty() ? nullptr : run.view.find("PodGroup", gang);
    if (group == nullptr) {
      if (bound) total -= amount;  // of another scheduler: not to be shared out
      return;
    }
    const auto& spec = group->as<kai::PodGroup>()->spec();
    if (!bound) ++pending_[gang];
    kai::QueueInfo* queue = forest_.find(spec.queue());
    if (queue == nullptr) return;
    if (bound) forest_.add_allocated(*queue, amount, spec.preemptibility() != "non-preemptible");
    if (bound || pod.spec().scheduling_gates().empty()) forest_.add_request(*queue, amount);
  }

  kai::QueueForest forest_;
  std::map<std::string, std::size_t> pending_;
};

std::string share_text(const kai::QueueInfo& queue, kai::Resource resource, const char* unit) {
  const kai::ResourceShare& share = queue.share(resource);
  const auto text = [resource](std::int64_t amount) { return kai::amount_text(resource, amount); };
  return std::string(unit) + " " + text(share.allocated) + " allocated, " + text(share.request) +
         " asked for, quota " + text(share.deserved) + ", limit " + text(share.max_allowed) +
         ", fair share " + text(share.fair_share);
}

bool is_at_limit(const kai::QueueInfo& queue) {
  const kai::ResourceShare& gpu = queue.share(kai::Resource::Gpu);
  return gpu.max_allowed != kai::kUnlimited && gpu.request > gpu.max_allowed;
}

std::vector<std::string> lines_of(const QueuesNow& queues, const std::string& name) {
  std::vector<std::string> lines;
  for (const kai::QueueInfo* at = queues.find(name); at != nullptr; at = at->parent) {
    lines.push_back("queue " + at->name() + ": " + share_text(*at, kai::Resource::Gpu, "GPUs") +
                    (is_at_limit(*at) ? "; more is asked for than its limit lets in" : ""));
  }
  if (lines.empty())
    lines.push_back("there is no queue " + name + ", or none of its parent's name");
  return lines;
}

}  // namespace

std::vector<std::string> queue_lines(const RunView& run, const std::string& queue) {
  return lines_of(QueuesNow(run), queue);
}

Explanation explain_queue(const RunView& run, const kai::Queue& queue) {
  const QueuesNow queues(run);
  const std::string& name = queue.metadata().name();
  const kai::QueueInfo* info = queues.find(name);
  if (info == nullptr) {
    return {
        "left out", "its author", {"its parent " + queue.spec().parent_queue() + " is missing"}};
  }
  const kai::ResourceShare& gpu = info->share(kai::Resource::Gpu);
  Explanation result{"has all that is asked of it", "nobody", lines_of(queues, name)};
  result.because.push_back(share_text(*info, kai::Resource::Cpu, "CPU cores"));
  result.because.push_back(share_text(*info, kai::Resource::Memory, "memory in GB"));
  if (gpu.request > gpu.allocated) {
    result.held_by = is_at_limit(*info) ? "its limit" : "scheduler";
    result.state = "asks for " + kai::amount_text(kai::Resource::Gpu, gpu.request - gpu.allocated) +
                   " GPUs more than it has";
  }
  for (const auto& [key, object] : run.view.objects("PodGroup")) {
    const auto& group = *object.as<kai::PodGroup>();
    const std::size_t pending = queues.pending(key);
    if (group.spec().queue() != name || pending == 0) continue;
    const auto& conditions = group.status().scheduling_conditions();
    result.because.push_back("gang " + key + " waits with " + std::to_string(pending) + " pods" +
                             (conditions.empty() ? "" : ": " + conditions.rbegin()->message()));
  }
  return result;
}

}  // namespace troupe::console
