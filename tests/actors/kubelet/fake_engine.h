// A serving engine for tests: answers probes as it is told, exits when asked to, and remembers how
// it was made.
#pragma once

#include <memory>
#include <vector>

#include "actors/context.h"
#include "actors/kubelet/workload_factory.h"
#include "messages/hosts.pb.h"
#include "messages/workload.pb.h"

namespace troupe::kubelet {

class FakeEngines final : public WorkloadFactory {
 public:
  /// What every engine does; a test changes it while they run.
  struct Behaviour {
    bool answers = true;
    bool ready = true;
    bool alive = true;
    bool heeds_sigterm = true;
    std::int32_t exit_code = 0;
  };

  [[nodiscard]] std::unique_ptr<Actor> make(const WorkloadSpec& spec) const override {
    made.push_back(spec);
    return std::make_unique<Engine>(*this, "node/" + spec.placement.node());
  }

  Behaviour behaviour;
  mutable std::vector<WorkloadSpec> made;

 private:
  class Engine final : public Actor {
   public:
    Engine(const FakeEngines& engines, std::string kubelet)
        : engines_(engines), kubelet_(address_of(kubelet)) {}
    void receive(Context& context, const Delivery& delivery) override {
      const Behaviour& behaviour = engines_.behaviour;
      if (const auto* probe = delivery.as<workload::ProbeRequest>()) {
        if (!behaviour.answers) return;
        workload::ProbeReply reply;
        reply.set_probe_id(probe->probe_id());
        reply.set_success(probe->kind() == workload::ProbeRequest::LIVENESS ? behaviour.alive
                                                                            : behaviour.ready);
        context.send(kubelet_, Payload::of(std::move(reply)), {});
      } else if (delivery.as<workload::Terminate>() != nullptr) {
        if (behaviour.heeds_sigterm) exit(context, behaviour.exit_code);
      } else if (delivery.as<workload::JobDone>() != nullptr) {
        exit(context, 1);  // a test makes it crash
      }
    }

   private:
    void exit(Context& context, std::int32_t code) {
      workload::Exited exited;
      exited.set_exit_code(code);
      exited.set_reason(code == 0 ? "Completed" : "Error");
      context.send(kubelet_, Payload::of(std::move(exited)), {});
    }

    const FakeEngines& engines_;
    Address kubelet_;
  };
};

/// A node whose pods labelled app=llm serve, app=train run a job of a minute, and all others wait.
inline void add_workloads(hosts::NodeConfig& config) {
  auto* serving = config.add_workloads();
  serving->set_kind("serving");
  serving->set_serving_profile("llama");
  auto* match = serving->add_match();
  match->set_key("app");
  match->set_value("llm");
  auto* job = config.add_workloads();
  job->set_kind("job");
  job->mutable_duration()->set_a_ns(60'000'000'000);
  match = job->add_match();
  match->set_key("app");
  match->set_value("train");
}

[[nodiscard]] inline Payload llama() {
  serving::ServingWorkload workload;
  workload.set_name("llama");
  return Payload::of(std::move(workload));
}

}  // namespace troupe::kubelet
