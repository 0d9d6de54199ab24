#include "emulator/console/cluster_view.h"

#include <algorithm>

namespace troupe::console {
namespace {

// Notes that are kept of one object, and of all together.
constexpr std::size_t kNotesOfObject = 30;
constexpr std::size_t kRecent = 2000;
// Requests that ended and can still be asked about.
constexpr std::size_t kEndedRequests = 20'000;

const char* outcome_name(facts::RequestEnded::Outcome outcome) {
  switch (outcome) {
    case facts::RequestEnded::COMPLETED:
      return "completed";
    case facts::RequestEnded::TIMED_OUT:
      return "timed out";
    case facts::RequestEnded::REJECTED:
      return "rejected";
    default:
      return "failed";
  }
}

std::string pod_object(const std::string& name_space, const std::string& name) {
  return "Pod/" + name_space + "/" + name;
}

std::string stage_name(facts::WorkloadStage::Stage stage) {
  switch (stage) {
    case facts::WorkloadStage::IMAGE:
      return "pulling image";
    case facts::WorkloadStage::WEIGHTS:
      return "loading weights";
    case facts::WorkloadStage::ENGINE_INIT:
      return "starting engine";
    case facts::WorkloadStage::READY:
      return "ready";
    default:
      return "failed";
  }
}

// "hpa/default/web" is the autoscaler of that object.
std::string autoscaler_object(const std::string& path) {
  return path.starts_with("hpa/") ? "HorizontalPodAutoscaler/" + path.substr(4) : path;
}

}  // namespace

std::string key_of(const std::string& name_space, const std::string& name) {
  return name_space.empty() ? name : name_space + "/" + name;
}

const ClusterView::Objects& ClusterView::objects(std::string_view kind) const {
  static const Objects kNone;
  const auto found = objects_.find(kind);
  return found == objects_.end() ? kNone : found->second;
}

const Payload* ClusterView::find(std::string_view kind, const std::string& key) const {
  const Objects& all = objects(kind);
  const auto found = all.find(key);
  return found == all.end() ? nullptr : &found->second;
}

std::vector<Note> ClusterView::notes(const std::string& object) const {
  const auto found = notes_.find(object);
  if (found == notes_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::map<std::uint64_t, OpenRequest> ClusterView::open_requests() const {
  return {open_.begin(), open_.end()};
}

void ClusterView::said(SimTime now, const std::string& source, const std::string& object,
                       const std::string& type, const std::string& reason,
                       const std::string& message) {
  Note note{now, now, 1, type, reason, object, message, source};
  recent_.push_back(note);
  ++said_;
  if (recent_.size() > kRecent) recent_.pop_front();
  std::deque<Note>& own = notes_[object];
  const auto same = std::find_if(own.begin(), own.end(), [&](const Note& one) {
    return one.reason == reason && one.message == message;
  });
  if (same != own.end()) {
    note = std::move(*same);
    own.erase(same);
    note.last = now;
    ++note.count;
  }
  own.push_back(std::move(note));
  if (own.size() > kNotesOfObject) own.pop_front();
}

void ClusterView::on_fact(const FactRecord& record) {
  if (fold_object(record) || fold_request(record) || fold_pod(record)) return;
  if (fold_gpu(record) || fold_host(record)) return;
  fold_decision(record);
}

bool ClusterView::fold_object(const FactRecord& record) {
  const auto* committed = record.fact.as<facts::ObjectCommitted>();
  if (committed == nullptr) return false;
  if (record.fact.attachments().empty()) return true;
  const std::string key = key_of(committed->namespace_(), committed->name());
  auto kind = objects_.find(committed->kind());
  if (kind == objects_.end()) kind = objects_.try_emplace(committed->kind()).first;
  if (committed->deleted()) {
    kind->second.erase(key);
  } else {
    kind->second[key] = record.fact.attachments().front();
  }
  return true;
}

bool ClusterView::fold_request(const FactRecord& record) {
  if (const auto* issued = record.fact.as<facts::RequestIssued>()) {
    ServiceRequests& service = services_[issued->service()];
    ++service.issued;
    ++service.open;
    open_[issued->request()] = {issued->service(), record.key.time, issued->prompt_tokens(),
                                issued->output_tokens(), 0};
  } else if (const auto* first = record.fact.as<facts::RequestFirstToken>()) {
    const auto found = open_.find(first->request());
    if (found == open_.end()) return true;
    found->second.ttft_ns = first->ttft_ns();
    ServiceRequests& service = services_[found->second.service];
    service.ttft_ns_total += first->ttft_ns();
    ++service.with_token;
  } else if (const auto* ended = record.fact.as<facts::RequestEnded>()) {
    end_request(*ended, record.key.time);
  } else {
    return record.fact.as<facts::StepsRun>() != nullptr;
  }
  return true;
}

const EndedRequest* ClusterView::ended_request(std::uint64_t id) const {
  const auto found = ended_.find(id);
  return found == ended_.end() ? nullptr : &found->second;
}

const ScalerView* ClusterView::scaler(const std::string& name) const {
  const auto found = scalers_.find(name);
  return found == scalers_.end() ? nullptr : &found->second;
}

void ClusterView::end_request(const facts::RequestEnded& ended, SimTime now) {
  ServiceRequests& service = services_[ended.service()];
  if (!ended.reason().empty()) ++service.reasons[ended.reason()];
  ended_[ended.request()] = {
      ended.service(), outcome_name(ended.outcome()), ended.reason(), now, ended.ttft_ns(),
      ended.e2e_ns(),  ended.output_tokens()};
  ended_order_.push_back(ended.request());
  if (ended_order_.size() > kEndedRequests) {
    ended_.erase(ended_order_.front());
    ended_order_.pop_front();
  }
  if (open_.erase(ended.request()) != 0) --service.open;
  switch (ended.outcome()) {
    case facts::RequestEnded::COMPLETED:
      ++service.completed;
      break;
    case facts::RequestEnded::TIMED_OUT:
      ++service.timed_out;
      break;
    case facts::RequestEnded::REJECTED:
      ++service.rejected;
      break;
    default:
      ++service.failed;
  }
}

bool ClusterView::fold_pod(const FactRecord& record) {
  const SimTime now = record.key.time;
  if (const auto* stage = record.fact.as<facts::WorkloadStage>()) {
    PodView& pod = pods_[stage->uid()];
    pod.stage = stage_name(stage->stage());
    pod.since = now;
  } else if (const auto* busy = record.fact.as<facts::WorkloadBusy>()) {
    pods_[busy->uid()].busy = true;
  } else if (const auto* idle = record.fact.as<facts::WorkloadIdle>()) {
    pods_[idle->uid()].busy = false;
  } else if (const auto* created = record.fact.as<facts::PodCreated>()) {
    pods_[created->uid()] = {key_of(created->namespace_(), created->name()), "", false, now};
  } else if (const auto* deleted = record.fact.as<facts::PodDeleted>()) {
    pods_.erase(deleted->uid());
  } else {
    return false;
  }
  return true;
}

bool ClusterView::fold_gpu(const FactRecord& record) {
  const auto at = [this](const std::string& node, std::uint32_t gpu) -> GpuView& {
    std::vector<GpuView>& all = gpus_[node].gpus;
    if (all.size() <= gpu) all.resize(gpu + 1);
    return all[gpu];
  };
  const Payload& fact = record.fact;
  if (const auto* launched = fact.as<facts::InstanceLaunched>()) {
    NodeGpus& node = gpus_[launched->node()];
    node = {launched->instance(), launched->instance_type(), {}};
    node.gpus.assign(launched->gpus(), GpuView{launched->gpu_model()});
    return false;  // it is news, too
  }
  if (const auto* ended = fact.as<facts::InstanceTerminated>()) {
    gpus_.erase(ended->node());
    return false;
  }
  if (const auto* there = fact.as<facts::GpuAllocatable>()) {
    at(there->node(), there->gpu()).allocatable = true;
  } else if (const auto* faulted = fact.as<facts::GpuFaulted>()) {
    GpuView& gpu = at(faulted->node(), faulted->gpu());
    gpu.allocatable = false;
    gpu.fault = faulted->reason();
    return false;
  } else if (const auto* recovered = fact.as<facts::GpuRecovered>()) {
    GpuView& gpu = at(recovered->node(), recovered->gpu());
    gpu.fault.clear();
    gpu.allocatable = true;
    heal({"gpu", "node/" + recovered->node() + "/gpu/" + std::to_string(recovered->gpu())},
         record.key.time);
    return false;
  } else if (const auto* given = fact.as<facts::DevicesAssigned>()) {
    for (const std::uint32_t gpu : given->gpus()) {
      at(given->node(), gpu).pods[given->uid()] = given->milli_gpu_each();
    }
  } else if (const auto* back = fact.as<facts::DevicesReleased>()) {
    for (GpuView& gpu : gpus_[back->node()].gpus) gpu.pods.erase(back->uid());
  } else {
    return false;
  }
  return true;
}

bool ClusterView::fold_host(const FactRecord& record) {
  const SimTime now = record.key.time;
  if (const auto* started = record.fact.as<facts::HostStarted>()) {
    HostView& host = hosts_[started->host()];
    host.up = true;
    host.incarnation = started->incarnation();
    host.since = now;
    heal({"crash", started->host()}, now);
    return true;
  }
  if (const auto* crashed = record.fact.as<facts::HostCrashed>()) {
    HostView& host = hosts_[crashed->host()];
    host.up = false;
    ++host.crashes;
    host.since = now;
    const std::string& path = crashed->host();
    if (path.starts_with("node/")) {
      for (GpuView& gpu : gpus_[path.substr(5)].gpus) {
        gpu.pods.clear();
        gpu.allocatable = false;
      }
    }
    said(now, record.actor, path.starts_with("node/") ? "Node/" + path.substr(5) : path, "Warning",
         "HostCrashed", path + " is down, its actors are gone");
    return true;
  }
  if (const auto* fault = record.fact.as<facts::FaultInjected>()) {
    faults_.push_back({fault->kind(), fault->target(), now, std::nullopt, fault->detail()});
    said(now, record.actor, fault->target(), "Warning", "FaultInjected",
         fault->kind() + (fault->detail().empty() ? "" : " " + fault->detail()));
    return true;
  }
  if (const auto* healed = record.fact.as<facts::FaultHealed>()) {
    heal({healed->kind(), healed->target(), {}, {}, healed->detail()}, now);
    said(now, record.actor, healed->target(), "Normal", "FaultHealed",
         healed->kind() + (healed->detail().empty() ? "" : " " + healed->detail()));
    return true;
  }
  return false;
}

void ClusterView::heal(const FaultView& which, SimTime now) {
  for (FaultView& fault : faults_) {
    if (fault.kind == which.kind && fault.target == which.target && fault.detail == which.detail &&
        !fault.healed && fault.at < now) {
      fault.healed = now;
    }
  }
}

bool ClusterView::fold_decision(const FactRecord& record) {
  const Payload& fact = record.fact;
  const auto note = [&](const std::string& object, const char* type, const char* reason,
                        const std::string& message) {
    said(record.key.time, record.actor, object, type, reason, message);
  };
  if (const auto* event = fact.as<facts::ObjectEventRecorded>()) {
    said(record.key.time, record.actor, event->object(), event->type(), event->reason(),
         event->message());
  } else if (const auto* refused = fact.as<facts::PodUnschedulable>()) {
    // The same as an event of the scheduler, where it writes one.
    const std::string object = pod_object(refused->namespace_(), refused->name());
    const auto own = notes_.find(object);
    if (own != notes_.end() && !own->second.empty() &&
        own->second.back().message == refused->message() &&
        own->second.back().last == record.key.time)
      return true;
    note(object, "Warning", "Unschedulable", refused->message());
  } else if (const auto* scaled = fact.as<facts::ScalingDecision>()) {
    const std::string text = "from " + std::to_string(scaled->from()) + " to " +
                             std::to_string(scaled->to()) + " replicas: " + scaled->reason() +
                             (scaled->signal().empty() ? "" : " (" + scaled->signal() + ")");
    note(scaled->target(), "Normal", "ScalingDecision", scaled->autoscaler() + ": " + text);
    note(autoscaler_object(scaled->autoscaler()), "Normal", "ScalingDecision", text);
  } else if (const auto* synced = fact.as<facts::AutoscalerSynced>()) {
    scalers_[synced->autoscaler()] = {record.key.time, synced->current(), synced->desired(),
                                      synced->reason()};
  } else if (const auto* failed = fact.as<facts::LaunchFailed>()) {
    note("cloud/0", "Warning", "LaunchFailed",
         failed->instance_type() + " in " + failed->zone() + " (" + failed->capacity_type() +
             "): " + failed->reason());
  } else if (const auto* launched = fact.as<facts::InstanceLaunched>()) {
    note("Node/" + launched->node(), "Normal", "InstanceLaunched",
         launched->instance() + " " + launched->instance_type() + " in " + launched->zone());
  } else if (const auto* ended = fact.as<facts::InstanceTerminated>()) {
    note("Node/" + ended->node(), "Normal", "InstanceTerminated",
         ended->instance() + ": " + ended->reason());
  } else if (const auto* faulted = fact.as<facts::GpuFaulted>()) {
    note("Node/" + faulted->node(), "Warning", "GpuFaulted",
         "GPU " + std::to_string(faulted->gpu()) + ": " + faulted->reason());
  } else if (const auto* recovered = fact.as<facts::GpuRecovered>()) {
    note("Node/" + recovered->node(), "Normal", "GpuRecovered",
         "GPU " + std::to_string(recovered->gpu()));
  } else if (const auto* evicted = fact.as<facts::PodEvicted>()) {
    note(pod_object(evicted->namespace_(), evicted->name()), "Warning", "Evicted",
         "by " + evicted->by() + ": " + evicted->reason());
  } else if (const auto* claim = fact.as<facts::NodeClaimCreated>()) {
    note("NodeClaim/" + claim->name(), "Normal", "NodeClaimCreated",
         "of pool " + claim->node_pool() + " for " + std::to_string(claim->pods()) + " pods");
  } else if (const auto* gone = fact.as<facts::NodeClaimDeleted>()) {
    note("NodeClaim/" + gone->name(), "Normal", "NodeClaimDeleted", gone->reason());
  } else if (const auto* step = fact.as<facts::StepRefused>()) {
    note(step->object(), "Warning", "StepRefused",
         std::to_string(step->code()) + " " + step->message());
  } else {
    return false;
  }
  return true;
}

}  // namespace troupe::console
