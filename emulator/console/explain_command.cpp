// explain: which layer holds an object where it is, and the numbers that the layer gave for it.
#include <algorithm>

#include "emulator/console/command_line.h"
#include "emulator/console/read_commands.h"
#include "messages/conditions.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/kai.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/labels.h"
#include "messages/selector.h"

namespace troupe::console {
namespace {

constexpr const char* kExplainUsage = "usage: explain KIND NAME [-n NAMESPACE]";
constexpr std::size_t kReasons = 6;  // of the last things said about an object

/// What is found: who holds it, why in a sentence, and what backs it.
struct Explanation {
  std::string state;
  std::string held_by;  ///< "scheduler"; "nobody" where nothing is waited for
  std::vector<std::string> because = {};
};

class Explainer {
 public:
  explicit Explainer(const RunView& run) : run_(run) {}

  Explanation explain(const ObjectName& name, const Payload& object) const {
    Explanation result;
    if (const auto* pod = object.as<k8s::Pod>()) {
      result = of_pod(*pod);
    } else if (const auto* node = object.as<k8s::Node>()) {
      result = of_node(*node);
    } else if (const auto* claim = object.as<karpenter::NodeClaim>()) {
      result = of_claim(*claim);
    } else if (const auto* deployment = object.as<k8s::Deployment>()) {
      result = of_replicas(name, deployment->metadata(), deployment->spec().selector(),
                           deployment->spec().replicas(), deployment->status().ready_replicas());
    } else if (const auto* set = object.as<k8s::ReplicaSet>()) {
      result = of_replicas(name, set->metadata(), set->spec().selector(), set->spec().replicas(),
                           set->status().ready_replicas());
    } else if (const auto* stateful = object.as<k8s::StatefulSet>()) {
      result = of_replicas(name, stateful->metadata(), stateful->spec().selector(),
                           stateful->spec().replicas(), stateful->status().ready_replicas());
    } else if (const auto* hpa = object.as<k8s::HorizontalPodAutoscaler>()) {
      result = of_autoscaler(*hpa);
    } else if (const auto* group = object.as<kai::PodGroup>()) {
      result = of_pod_group(*group);
    } else {
      result = {"exists", "nobody"};
    }
    const std::vector<Note> notes = run_.view.notes(name.full());
    const std::size_t skip = notes.size() > kReasons ? notes.size() - kReasons : 0;
    for (std::size_t i = skip; i < notes.size(); ++i) result.because.push_back(said(notes[i]));
    return result;
  }

 private:
  [[nodiscard]] std::string ago(SimTime then) const {
    return age_text((run_.now - then).count()) + " ago";
  }
  [[nodiscard]] std::string lasting(SimTime since) const {
    return age_text((run_.now - since).count());
  }
  [[nodiscard]] std::string said(const Note& note) const {
    return note.source + " said " +
           (note.count > 1 ? std::to_string(note.count) + " times, last " : "") + ago(note.last) +
           ": " + note.reason + ": " + note.message;
  }

  [[nodiscard]] Explanation of_pod(const k8s::Pod& pod) const {
    const k8s::ObjectMeta& meta = pod.metadata();
    if (meta.has_deletion_timestamp()) {
      return {"Terminating",
              "kubelet",
              {"it was asked to go " +
               ago(from_ns(meta.deletion_timestamp()) -
                   std::chrono::seconds(meta.deletion_grace_period_seconds())) +
               " and has " + std::to_string(meta.deletion_grace_period_seconds()) +
               " s of grace on " + pod.spec().node_name()}};
    }
    if (!pod.spec().scheduling_gates().empty()) {
      return {"SchedulingGated",
              "its author",
              {"scheduling gate " + pod.spec().scheduling_gates(0).name() + " is not removed"}};
    }
    const std::string& phase = pod.status().phase();
    if (phase == "Succeeded" || phase == "Failed") {
      return {pod_status(pod), "nobody", {"its containers have ended"}};
    }
    if (pod.spec().node_name().empty()) return of_pending_pod(pod);
    return of_bound_pod(pod);
  }

  [[nodiscard]] Explanation of_pending_pod(const k8s::Pod& pod) const {
    const std::string scheduler =
        pod.spec().scheduler_name().empty() ? "default-scheduler" : pod.spec().scheduler_name();
    Explanation result{"Pending, without a node", "scheduler", {}};
    result.because.push_back(scheduler + " has not bound it for " +
                             age_text(to_ns(run_.now) - pod.metadata().creation_timestamp()));
    const std::string group(label_or(pod.metadata().annotations(), "pod-group-name"));
    const Payload* gang = run_.view.find("PodGroup", key_of(pod.metadata().namespace_(), group));
    if (gang != nullptr) {
      const auto& spec = *gang->as<kai::PodGroup>();
      result.because.push_back("its gang " + group + " in queue " + spec.spec().queue() +
                               " needs " + std::to_string(spec.spec().min_member()) +
                               " members at once");
    }
    add_capacity(result);
    std::size_t under_way = 0;
    for (const auto& [key, object] : run_.view.objects("NodeClaim")) {
      const auto& claim = *object.as<karpenter::NodeClaim>();
      if (is_true(claim.status().conditions(), "Initialized")) continue;
      ++under_way;
      result.because.push_back("NodeClaim " + key + " is under way: " + claim_stage(claim));
    }
    if (under_way != 0) result.held_by = "provisioner";
    for (const Note& note : run_.view.notes("cloud/0")) result.because.push_back(said(note));
    return result;
  }

  void add_capacity(Explanation& result) const {
    std::size_t free = 0, taken = 0, faulty = 0, away = 0;
    for (const auto& [node, there] : run_.view.gpus()) {
      for (const GpuView& gpu : there.gpus) {
        if (!gpu.fault.empty()) {
          ++faulty;
        } else if (!gpu.allocatable) {
          ++away;
        } else {
          ++(gpu.pods.empty() ? free : taken);
        }
      }
    }
    result.because.push_back("GPUs: " + std::to_string(free) + " free, " + std::to_string(taken) +
                             " given, " + std::to_string(faulty) + " faulty, " +
                             std::to_string(away) + " not allocatable yet");
  }

  [[nodiscard]] Explanation of_bound_pod(const k8s::Pod& pod) const {
    const std::string& node = pod.spec().node_name();
    const k8s::Condition* ready = find_condition(pod.status().conditions(), "Ready");
    const auto view = run_.view.pods().find(pod.metadata().uid());
    const std::string stage = view == run_.view.pods().end() ? "" : view->second.stage;
    const auto host = run_.view.hosts().find("node/" + node);
    if (host != run_.view.hosts().end() && !host->second.up) {
      return {pod_status(pod),
              "node",
              {"node " + node + " is down for " + lasting(host->second.since) +
               "; the API server does not know better"}};
    }
    if (ready != nullptr && ready->status() == "True") {
      Explanation result{"Running and Ready", "nobody", {"it serves on " + node}};
      if (view != run_.view.pods().end()) {
        result.because.push_back(view->second.busy ? "its GPUs are busy" : "its GPUs have no work");
      }
      return result;
    }
    Explanation result{pod_status(pod), "kubelet", {}};
    for (const k8s::ContainerStatus& status : pod.status().container_statuses()) {
      if (status.state().has_waiting()) {
        result.because.push_back("container " + status.name() +
                                 " waits: " + status.state().waiting().reason() + " " +
                                 status.state().waiting().message());
      }
      if (status.state().has_running() && !status.ready()) {
        result.held_by = "engine";
        result.because.push_back("container " + status.name() + " runs for " +
                                 age_text(to_ns(run_.now) - status.state().running().started_at()) +
                                 " and is not ready, " + std::to_string(status.restart_count()) +
                                 " restarts");
      }
    }
    if (!stage.empty()) {
      result.because.push_back("its workload is " + stage + " for " + lasting(view->second.since));
    }
    if (result.because.empty()) {
      result.because.push_back("the kubelet of " + node + " has not started its containers");
    }
    return result;
  }

  [[nodiscard]] Explanation of_node(const k8s::Node& node) const {
    const std::string& name = node.metadata().name();
    const k8s::Condition* ready = find_condition(node.status().conditions(), "Ready");
    const bool is_ready = ready != nullptr && ready->status() == "True";
    Explanation result{is_ready ? "Ready" : "NotReady", is_ready ? "nobody" : "kubelet", {}};
    if (ready != nullptr) {
      result.because.push_back("Ready is " + ready->status() + " for " +
                               lasting(from_ns(ready->last_transition_time())) + ": " +
                               ready->reason() + " " + ready->message());
    }
    if (node.spec().unschedulable())
      result.because.push_back("it is cordoned: nothing new is placed on it");
    const auto host = run_.view.hosts().find("node/" + name);
    if (host != run_.view.hosts().end()) {
      result.because.push_back("its machine is " + std::string(host->second.up ? "up" : "down") +
                               " for " + lasting(host->second.since) + ", crashed " +
                               std::to_string(host->second.crashes) + " times");
      if (!host->second.up) result.held_by = "machine";
    }
    const auto gpus = run_.view.gpus().find(name);
    if (gpus != run_.view.gpus().end()) {
      for (std::size_t i = 0; i < gpus->second.gpus.size(); ++i) {
        const GpuView& gpu = gpus->second.gpus[i];
        if (!gpu.fault.empty()) {
          result.because.push_back("GPU " + std::to_string(i) + " is faulty: " + gpu.fault);
        }
      }
    }
    return result;
  }

  [[nodiscard]] static std::string claim_stage(const karpenter::NodeClaim& claim) {
    for (const char* type : {"Launched", "Registered", "Initialized"}) {
      const k8s::Condition* condition = find_condition(claim.status().conditions(), type);
      if (condition != nullptr && condition->status() == "True") continue;
      const std::string why =
          condition == nullptr ? "" : ", " + condition->reason() + " " + condition->message();
      return std::string("not ") + type + why;
    }
    return "Initialized";
  }

  [[nodiscard]] Explanation of_claim(const karpenter::NodeClaim& claim) const {
    const auto holds = [&claim](const char* type) {
      return is_true(claim.status().conditions(), type);
    };
    const std::string holder = holds("Initialized")  ? "nobody"
                               : holds("Registered") ? "kubelet and device plugin"
                               : holds("Launched")   ? "machine that boots"
                                                     : "cloud";
    Explanation result{claim_stage(claim), holder, {}};
    for (const k8s::Condition& condition : claim.status().conditions()) {
      result.because.push_back(condition.type() + " is " + condition.status() + " for " +
                               lasting(from_ns(condition.last_transition_time())) + " " +
                               condition.reason() + " " + condition.message());
    }
    if (!holds("Launched")) {
      for (const Note& note : run_.view.notes("cloud/0")) result.because.push_back(said(note));
    }
    return result;
  }

  // Its pods by who holds them, and what its autoscaler last decided.
  [[nodiscard]] Explanation of_replicas(const ObjectName& name, const k8s::ObjectMeta& meta,
                                        const k8s::LabelSelector& selector, std::int64_t desired,
                                        std::int64_t ready) const {
    Explanation result{
        std::to_string(ready) + " of " + std::to_string(desired) + " replicas ready", "nobody", {}};
    std::map<std::string, std::size_t> holders;
    for (const auto& [key, object] : run_.view.objects("Pod")) {
      const auto& pod = *object.as<k8s::Pod>();
      if (pod.metadata().namespace_() != meta.namespace_()) continue;
      if (!matches(selector, pod.metadata().labels())) continue;
      const Explanation one = of_pod(pod);
      if (one.held_by == "nobody") continue;
      ++holders[one.held_by];
      result.because.push_back("pod " + key + " is " + one.state + ", held by " + one.held_by +
                               (one.because.empty() ? "" : ": " + one.because.front()));
    }
    std::size_t most = 0;
    for (const auto& [holder, count] : holders) {
      if (count > most) result.held_by = holder;
      most = std::max(most, count);
    }
    if (holders.empty() && ready < desired) result.held_by = "its controller";
    for (const auto& [key, object] : run_.view.objects("HorizontalPodAutoscaler")) {
      const auto& hpa = *object.as<k8s::HorizontalPodAutoscaler>();
      const k8s::CrossVersionObjectReference& target = hpa.spec().scale_target_ref();
      if (target.kind() != name.kind->name || target.name() != meta.name()) continue;
      if (hpa.metadata().namespace_() != meta.namespace_()) continue;
      const Explanation scaler = of_autoscaler(hpa);
      result.because.push_back("autoscaler " + key + ": " + scaler.state);
    }
    return result;
  }

  [[nodiscard]] static Explanation of_autoscaler(const k8s::HorizontalPodAutoscaler& hpa) {
    Explanation result{
        "wants " + std::to_string(hpa.status().desired_replicas()) + " replicas, has " +
            std::to_string(hpa.status().current_replicas()) + ", bounds " +
            std::to_string(hpa.spec().has_min_replicas() ? hpa.spec().min_replicas() : 1) + " to " +
            std::to_string(hpa.spec().max_replicas()),
        "autoscaler",
        {}};
    for (const k8s::Condition& condition : hpa.status().conditions()) {
      result.because.push_back(condition.type() + " is " + condition.status() + ": " +
                               condition.reason() + ": " + condition.message());
    }
    return result;
  }

  [[nodiscard]] static Explanation of_pod_group(const kai::PodGroup& group) {
    Explanation result{"gang of at least " + std::to_string(group.spec().min_member()),
                       "scheduler",
                       {"queue " + group.spec().queue()}};
    for (const kai::SchedulingCondition& condition : group.status().scheduling_conditions()) {
      result.because.push_back(condition.type() + ": " + condition.reason() + ": " +
                               condition.message());
    }
    if (group.status().scheduling_conditions().empty()) result.held_by = "nobody";
    return result;
  }

  const RunView& run_;
};

}  // namespace

Answer explain(const RunView& run, const std::vector<std::string>& words, bool json) {
  const Result<CommandLine> line = parse_words(words, {{'n', "namespace"}});
  if (!line) return bad_usage(line.error().message + "\n" + kExplainUsage);
  const Result<ObjectName> name = object_name(line->arguments, line->get("namespace", "default"));
  if (!name) return bad_usage(name.error().message + "\n" + kExplainUsage);
  const Payload* object = run.view.find(name->kind->name, name->key);
  if (object == nullptr) {
    return refused(std::string(name->kind->plural) + " \"" + name->key + "\" not found");
  }
  const Explanation found = Explainer(run).explain(*name, *object);
  Answer answer;
  answer.json = {{"object", name->full()},
                 {"state", found.state},
                 {"heldBy", found.held_by},
                 {"because", found.because}};
  if (json) {
    answer.text = answer.json.dump(2) + "\n";
    return answer;
  }
  answer.text = name->full() + ": " + found.state + "\nheld by: " + found.held_by + "\n";
  for (const std::string& reason : found.because) answer.text += "  - " + reason + "\n";
  return answer;
}

}  // namespace troupe::console
