#include "emulator/config/event_plan.h"

#include <algorithm>

#include "emulator/config/host_plan.h"
#include "emulator/config/values.h"
#include "messages/cloud.pb.h"
#include "messages/director.pb.h"
#include "messages/kinds.h"
#include "messages/workload.pb.h"

namespace troupe::config {
namespace {

constexpr std::uint32_t kFallenOffTheBus = 79;  // the XID of a GPU that is gone from PCIe

// "Pod/default/web" or "Node/a"; false if it is neither.
bool parse_key(const std::string& text, api::ObjectKey& key) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t slash = text.find('/', begin);
    parts.push_back(text.substr(begin, slash - begin));
    if (slash == std::string::npos) break;
    begin = slash + 1;
  }
  const Kind* kind = find_kind(parts.front());
  const std::size_t expected = kind != nullptr && kind->namespaced ? 3 : 2;
  if (kind == nullptr || parts.size() != expected) return false;
  key.set_kind(parts.front());
  if (kind->namespaced) key.set_namespace_(parts[1]);
  key.set_name(parts.back());
  return true;
}

void add_message(plan::FaultPlan& fault, const std::string& kind, const std::string& target,
                 Payload message) {
  fault.set_kind(kind);
  fault.set_target(target);
  *fault.mutable_message() = to_envelope(message);
}

void plan_gpu_fault(const Fault::GpuFault& spec, std::int64_t at_ns, plan::RunPlan& plan) {
  const std::string path = "node/" + spec.node() + "/gpu/" + std::to_string(spec.gpu());
  workload::FailGpu failure;
  failure.set_xid(spec.xid() == 0 ? kFallenOffTheBus : spec.xid());
  plan::FaultPlan& fault = *plan.add_faults();
  fault.set_at_ns(at_ns);
  add_message(fault, "gpu", path, Payload::of(std::move(failure)));
  if (spec.repair_after().empty()) return;
  plan::FaultPlan& repair = *plan.add_faults();
  repair.set_at_ns(at_ns + duration_or(spec.repair_after(), Duration::zero()).count());
  add_message(repair, "gpu-repair", path, Payload::of(workload::RepairGpu{}));
}

void plan_pool_capacity(const Fault::PoolCapacity& spec, std::int64_t at_ns, plan::RunPlan& plan) {
  cloud::SetPoolCapacity message;
  message.set_instance_type(spec.instance_type());
  message.set_zone(spec.zone());
  message.set_capacity_type(spec.capacity_type());
  message.set_capacity(spec.capacity());
  plan::FaultPlan& fault = *plan.add_faults();
  fault.set_at_ns(at_ns);
  add_message(fault, "pool-capacity", "cloud/0", Payload::of(std::move(message)));
}

}  // namespace

void plan_objects(const Inputs& inputs, plan::RunPlan& plan, Problems& problems) {
  director::Plan work;
  std::vector<Payload> objects;
  for (const ManifestObject& manifest : inputs.manifests) {
    objects.push_back(manifest.object);
    director::Step& step = *work.add_steps();
    step.set_verb(api::CREATE);
    step.set_attachment(static_cast<std::uint32_t>(objects.size()));
  }
  for (int i = 0; i < inputs.scenario.steps_size(); ++i) {
    const Step& spec = inputs.scenario.steps(i);
    const StepObject& object = inputs.steps.at(static_cast<std::size_t>(i));
    director::Step& step = *work.add_steps();
    step.set_at_ns(duration_or(spec.at(), Duration::zero()).count());
    if (object.object) {
      objects.push_back(object.object);
      step.set_verb(spec.patch().empty() ? api::APPLY : api::MERGE_PATCH);
      step.set_attachment(static_cast<std::uint32_t>(objects.size()));
      for (const std::string& path : object.cleared) step.add_clear_paths(path);
    } else {
      step.set_verb(api::DELETE);
      if (!parse_key(spec.delete_(), *step.mutable_key())) {
        problems.add("steps[" + std::to_string(i) + "].delete",
                     "expected KIND/NAMESPACE/NAME, or KIND/NAME of a kind without namespaces");
      }
    }
  }
  std::stable_sort(work.mutable_steps()->begin(), work.mutable_steps()->end(),
                   [](const auto& a, const auto& b) { return a.at_ns() < b.at_ns(); });
  if (work.steps().empty()) return;
  add_host(plan, "controller/director/0", "director", std::move(work), objects);
}

void plan_faults(const Scenario& scenario, plan::RunPlan& plan, Problems& problems) {
  for (int i = 0; i < scenario.faults_size(); ++i) {
    const Fault& spec = scenario.faults(i);
    const std::string path = "faults[" + std::to_string(i) + "]";
    const int kinds = static_cast<int>(spec.has_crash()) + static_cast<int>(spec.has_gpu()) +
                      static_cast<int>(spec.has_interrupt()) +
                      static_cast<int>(spec.has_pool_capacity());
    if (kinds != 1) {
      problems.add(path, "expected exactly one of `crash`, `gpu`, `interrupt`, `poolCapacity`");
      continue;
    }
    const std::int64_t at_ns = duration_or(spec.at(), Duration::zero()).count();
    if (spec.has_gpu()) {
      plan_gpu_fault(spec.gpu(), at_ns, plan);
    } else if (spec.has_pool_capacity()) {
      plan_pool_capacity(spec.pool_capacity(), at_ns, plan);
    } else if (spec.has_interrupt()) {
      cloud::InterruptInstance message;
      message.set_node(spec.interrupt().node());
      plan::FaultPlan& fault = *plan.add_faults();
      fault.set_at_ns(at_ns);
      add_message(fault, "interrupt", "cloud/0", Payload::of(std::move(message)));
    } else {
      plan::FaultPlan& fault = *plan.add_faults();
      fault.set_at_ns(at_ns);
      fault.set_kind("crash");
      fault.set_target(spec.crash().host());
      fault.set_restarts(!spec.crash().restart_after().empty());
      fault.set_restart_after_ns(
          duration_or(spec.crash().restart_after(), Duration::zero()).count());
    }
  }
}

}  // namespace troupe::config
