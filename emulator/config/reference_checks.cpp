#include "emulator/config/reference_checks.h"

#include <set>
#include <string>

#include "emulator/config/instance_catalogue.h"
#include "emulator/config/serving_plan.h"
#include "emulator/config/values.h"
#include "messages/envelope.h"
#include "messages/hosts.pb.h"
#include "messages/k8s/core.pb.h"

namespace troupe::config {
namespace {

class ReferenceChecks {
 public:
  ReferenceChecks(const Inputs& inputs, const plan::RunPlan& plan, Problems& problems)
      : inputs_(inputs), plan_(plan), problems_(problems) {
    for (const plan::HostPlan& host : plan.hosts()) hosts_.insert(host.path());
  }

  void run() {
    check_traffic();
    const Scenario& scenario = inputs_.scenario;
    for (int i = 0; i < scenario.faults_size(); ++i) {
      const std::string path = "faults[" + std::to_string(i) + "]";
      check_time(scenario.faults(i).at(), path);
      check_fault(scenario.faults(i), path);
    }
    for (int i = 0; i < scenario.placement().pins_size(); ++i) {
      check_host(scenario.placement().pins(i).host(),
                 "placement.pins[" + std::to_string(i) + "].host");
    }
    for (int i = 0; i < scenario.steps_size(); ++i) {
      check_time(scenario.steps(i).at(), "steps[" + std::to_string(i) + "]");
    }
  }

 private:
  void check_time(const std::string& at, const std::string& path) {
    if (duration_or(at, Duration::zero()).count() < plan_.duration_ns()) return;
    problems_.add(path + ".at", "the run is over by then: `duration` is shorter");
  }

  void check_fault(const Fault& fault, const std::string& path) {
    if (fault.has_crash()) {
      check_host(fault.crash().host(), path + ".crash.host");
    } else if (fault.has_gpu()) {
      check_gpu(fault.gpu(), path + ".gpu");
    } else if (fault.has_interrupt()) {
      check_cloud(path + ".interrupt");
    } else if (fault.has_pool_capacity() && check_cloud(path + ".poolCapacity")) {
      check_instance_type(fault.pool_capacity().instance_type(),
                          path + ".poolCapacity.instanceType");
    }
  }

  void check_host(const std::string& host, const std::string& path) {
    if (hosts_.contains(host) || may_come(host)) return;
    std::string known;
    for (const std::string& one : hosts_) {
      if (known.size() > kListed) {
        known += ", ...";
        break;
      }
      known += (known.empty() ? "" : ", ") + one;
    }
    problems_.add(path, "no host '" + host + "'; there are " + known);
  }

  void check_gpu(const Fault::GpuFault& fault, const std::string& path) {
    const std::string host = "node/" + fault.node();
    if (!hosts_.contains(host)) return check_host(host, path + ".node");
    for (const plan::HostPlan& one : plan_.hosts()) {
      if (one.path() != host) continue;
      const Result<Payload> config = from_envelope(one.attachments(0));
      const auto* node = config ? config->as<hosts::NodeConfig>() : nullptr;
      if (node == nullptr || fault.gpu() < node->gpus()) continue;
      problems_.add(path + ".gpu", "node '" + fault.node() + "' has " +
                                       std::to_string(node->gpus()) + " GPUs, counted from 0");
    }
  }

  bool check_cloud(const std::string& path) {
    if (inputs_.topology.has_cloud()) return true;
    problems_.add(path, "expected a topology with a cloud");
    return false;
  }

  void check_instance_type(const std::string& name, const std::string& path) {
    if (find_instance_type(inputs_, name) != nullptr) return;
    problems_.add(path, "no instance type '" + name + "' in the catalogue");
  }

  void check_traffic() {
    for (int i = 0; i < inputs_.scenario.traffic_size(); ++i) {
      const std::string service = service_path(inputs_.scenario.traffic(i).service());
      if (makes_service(service)) continue;
      problems_.add("traffic[" + std::to_string(i) + "].service",
                    "no manifest and no step makes a Service " + service);
    }
  }

  [[nodiscard]] bool makes_service(const std::string& key) const {
    return any_object(inputs_, [&key](const Payload& object) {
      const auto* service = object.as<k8s::Service>();
      if (service == nullptr) return false;
      const k8s::ObjectMeta& meta = service->metadata();
      const std::string name_space = meta.namespace_().empty() ? "default" : meta.namespace_();
      return name_space + "/" + meta.name() == key;
    });
  }

  [[nodiscard]] bool may_come(const std::string& host) const {
    return inputs_.topology.has_cloud() && host.starts_with("node/");
  }

  static constexpr std::size_t kListed = 200;  ///< characters of known hosts in a message

  const Inputs& inputs_;
  const plan::RunPlan& plan_;
  Problems& problems_;
  std::set<std::string> hosts_;
};

}  // namespace

void check_references(const Inputs& inputs, const plan::RunPlan& plan, Problems& problems) {
  ReferenceChecks(inputs, plan, problems).run();
}

}  // namespace troupe::config
