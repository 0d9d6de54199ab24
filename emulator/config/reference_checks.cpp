#include "emulator/config/reference_checks.h"

#include <string>

#include "emulator/config/fault_target.h"
#include "emulator/config/serving_plan.h"
#include "emulator/config/values.h"
#include "messages/glob.h"
#include "messages/k8s/core.pb.h"

namespace troupe::config {
namespace {

class ReferenceChecks {
 public:
  ReferenceChecks(const Inputs& inputs, const plan::RunPlan& plan, Problems& problems)
      : inputs_(inputs), plan_(plan), problems_(problems) {}

  void run() {
    check_traffic();
    const Scenario& scenario = inputs_.scenario;
    for (int i = 0; i < scenario.faults_size(); ++i) {
      const std::string path = "faults[" + std::to_string(i) + "]";
      check_time(scenario.faults(i).at(), path);
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

  void check_host(const std::string& host, const std::string& path) {
    if (is_glob(host)) {
      problems_.add(path, "expected the path of one host");
    } else {
      // Says what is wrong itself.
      static_cast<void>(TargetResolver(inputs_, plan_, problems_).hosts(host, path));
    }
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

  const Inputs& inputs_;
  const plan::RunPlan& plan_;
  Problems& problems_;
};

}  // namespace

void check_references(const Inputs& inputs, const plan::RunPlan& plan, Problems& problems) {
  ReferenceChecks(inputs, plan, problems).run();
}

}  // namespace troupe::config
