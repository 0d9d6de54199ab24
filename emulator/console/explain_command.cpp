// explain: which layer holds an object where it is, and the numbers that the layer gave for it.
#include <algorithm>
#include <charconv>

#include "emulator/console/command_line.h"
#include "emulator/console/explanation.h"
#include "messages/conditions.h"
#include "messages/k8s/apps.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/kai.pb.h"
#include "messages/karpenter.pb.h"
#include "messages/labels.h"
#include "messages/lws.pb.h"
#include "messages/selector.h"

namespace troupe::console {
namespace {

constexpr const char* kExplainUsage = "usage: explain KIND NAME [-n NAMESPACE]";
constexpr std::size_t kReasons = 6;  // of the last things said about an object

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
    } else if (const auto* queue = object.as<kai::Queue>()) {
      result = explain_queue(run_, *queue);
    } else if (const auto* service = object.as<k8s::Service>()) {
      result = of_service(name, *service);
    } else if (const auto* groups = object.as<lws::LeaderWorkerSet>()) {
      result = of_leader_worker_set(name, *groups);
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
      for (std::string& line : queue_lines(run_, spec.spec().queue())) {
        result.because.push_back(std::move(line));
      }
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
      const auto given = std::ranges::count_if(
          gpus->second.gpus, [](const GpuView& gpu) { return !gpu.pods.empty(); });
      const auto offered = std::ranges::count_if(
          gpus->second.gpus, [](const GpuView& gpu) { return gpu.allocatable; });
      result.because.push_back("GPUs: " + std::to_string(gpus->second.gpus.size()) + " in it, " +
                               std::to_string(offered) + " allocatable, " + std::to_string(given) +
                               " given to pods");
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

  [[nodiscard]] Explanation of_autoscaler(const k8s::HorizontalPodAutoscaler& hpa) const {
    Explanation result{
        "wants " + std::to_string(hpa.status().desired_replicas()) + " replicas, has " +
            std::to_string(hpa.status().current_replicas()) + ", bounds " +
            std::to_string(hpa.spec().has_min_replicas() ? hpa.spec().min_replicas() : 1) + " to " +
            std::to_string(hpa.spec().max_replicas()),
        "autoscaler",
        {}};
    const std::string name = "hpa/" + key_of(hpa.metadata().namespace_(), hpa.metadata().name());
    if (const ScalerView* last = run_.view.scaler(name)) {
      result.because.push_back("it looked " + ago(last->at) + ": " + std::to_string(last->current) +
                               " replicas, wants " + std::to_string(last->desired) + ": " +
                               last->reason);
      if (last->current == last->desired) result.held_by = "nobody";
    }
    result.because.push_back("metrics now/target: " + targets_text(hpa));
    for (const k8s::Condition& condition : hpa.status().conditions()) {
      result.because.push_back(condition.type() + " is " + condition.status() + ": " +
                               condition.reason() + ": " + condition.message());
    }
    return result;
  }

  [[nodiscard]] Explanation of_leader_worker_set(const ObjectName& name,
                                                 const lws::LeaderWorkerSet& set) const {
    k8s::LabelSelector selector;
    set_label(*selector.mutable_match_labels(), "leaderworkerset.sigs.k8s.io/name",
              set.metadata().name());
    return of_replicas(name, set.metadata(), selector, set.spec().replicas(),
                       set.status().ready_replicas());
  }

  [[nodiscard]] Explanation of_pod_group(const kai::PodGroup& group) const {
    const k8s::ObjectMeta& meta = group.metadata();
    std::size_t bound = 0, pending = 0, gated = 0;
    for (const auto& [key, object] : run_.view.objects("Pod")) {
      const auto& pod = *object.as<k8s::Pod>();
      if (pod.metadata().namespace_() != meta.namespace_()) continue;
      if (label_or(pod.metadata().annotations(), "pod-group-name") != meta.name()) continue;
      const bool waits = pod.spec().node_name().empty();
      ++(!waits ? bound : pod.spec().scheduling_gates().empty() ? pending : gated);
    }
    Explanation result{"gang of at least " + std::to_string(group.spec().min_member()) + ": " +
                           std::to_string(bound) + " pods have a node, " + std::to_string(pending) +
                           " wait, " + std::to_string(gated) + " are gated",
                       pending == 0 ? "nobody" : "scheduler",
                       queue_lines(run_, group.spec().queue())};
    for (const kai::SchedulingCondition& condition : group.status().scheduling_conditions()) {
      result.because.push_back(condition.type() + " since " +
                               ago(from_ns(condition.last_transition_time())) + ": " +
                               condition.reason() + ": " + condition.message());
    }
    if (pending != 0) add_capacity(result);
    return result;
  }

  // Those who serve it by who holds them, then what became of what was asked of it.
  [[nodiscard]] Explanation of_service(const ObjectName& name, const k8s::Service& service) const {
    k8s::LabelSelector selector;
    *selector.mutable_match_labels() = service.spec().selector();
    std::int64_t all = 0, ready = 0;
    for (const auto& [key, object] : run_.view.objects("Pod")) {
      const auto& pod = *object.as<k8s::Pod>();
      if (pod.metadata().namespace_() != service.metadata().namespace_()) continue;
      if (selector.match_labels().empty() || !matches(selector, pod.metadata().labels())) continue;
      ++all;
      if (is_true(pod.status().conditions(), "Ready")) ++ready;
    }
    Explanation result = of_replicas(name, service.metadata(), selector, all, ready);
    std::vector<std::string> lines = service_lines(run_, name.key);
    result.because.insert(result.because.begin(), lines.begin(), lines.end());
    return result;
  }

  const RunView& run_;
};

Answer answer_of(const std::string& object, const Explanation& found, bool json) {
  Answer answer;
  answer.json = {{"object", object},
                 {"state", found.state},
                 {"heldBy", found.held_by},
                 {"because", found.because}};
  if (json) {
    answer.text = answer.json.dump(2) + "\n";
    return answer;
  }
  answer.text = object + ": " + found.state + "\nheld by: " + found.held_by + "\n";
  for (const std::string& reason : found.because) answer.text += "  - " + reason + "\n";
  return answer;
}

// "request 17", "request/17": no object, but the client's view of it.
std::optional<Answer> explain_a_request(const RunView& run, const std::vector<std::string>& words,
                                        bool json) {
  std::vector<std::string> parts = words;
  if (const std::size_t slash = parts.size() == 1 ? parts[0].find('/') : std::string::npos;
      slash != std::string::npos) {
    parts = {parts[0].substr(0, slash), parts[0].substr(slash + 1)};
  }
  if (parts.empty() || (parts[0] != "request" && parts[0] != "requests")) return std::nullopt;
  std::uint64_t id = 0;
  const std::string text = parts.size() == 2 ? parts[1] : "";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) {
    return bad_usage("usage: explain request ID, of `get requests -o wide`");
  }
  const std::optional<Explanation> found = explain_request(run, id);
  if (!found) return refused("requests \"" + text + "\" not found");
  return answer_of("Request/" + text, *found, json);
}

}  // namespace

Answer explain(const RunView& run, const std::vector<std::string>& words, bool json) {
  const Result<CommandLine> line = parse_words(words, {{'n', "namespace"}});
  if (!line) return bad_usage(line.error().message + "\n" + kExplainUsage);
  if (const auto answer = explain_a_request(run, line->arguments, json)) return *answer;
  const Result<ObjectName> name = object_name(line->arguments, line->get("namespace", "default"));
  if (!name) return bad_usage(name.error().message + "\n" + kExplainUsage);
  const Payload* object = run.view.find(name->kind->name, name->key);
  if (object == nullptr) {
    return refused(std::string(name->kind->plural) + " \"" + name->key + "\" not found");
  }
  return answer_of(name->full(), Explainer(run).explain(*name, *object), json);
}

}  // namespace troupe::console
