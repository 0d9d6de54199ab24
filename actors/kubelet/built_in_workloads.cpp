#include "actors/kubelet/built_in_workloads.h"

#include <utility>

#include "actors/context.h"
#include "actors/distribution.h"
#include "actors/fixed_math.h"
#include "messages/facts.pb.h"
#include "messages/workload.pb.h"

namespace troupe::kubelet {
namespace {

/// JAX reserves 75 % of each GPU when it starts (XLA_PYTHON_CLIENT_MEM_FRACTION); taken for every
/// job.
constexpr std::int64_t kJobMemoryPercent = 75;
/// A process that SIGTERM ended: 128 + 15.
constexpr std::int32_t kTerminatedCode = 143;

/// A facts::WorkloadStage of this pod.
Payload ready_fact(const std::string& uid) {
  facts::WorkloadStage stage;
  stage.set_uid(uid);
  stage.set_stage(facts::WorkloadStage::READY);
  return Payload::of(std::move(stage));
}

void say_exited(Context& context, const std::string& kubelet, std::int32_t code) {
  workload::Exited exited;
  exited.set_exit_code(code);
  exited.set_reason(code == 0 ? "Completed" : "Error");
  context.send(address_of(kubelet), Payload::of(std::move(exited)), {});
}

class PauseActor final : public Actor {
 public:
  explicit PauseActor(BuiltInSpec spec) : spec_(std::move(spec)) {}

  void start(Context& context) override { context.emit(ready_fact(spec_.uid)); }
  void receive(Context& context, const Delivery& delivery) override {
    // The pause container's process ends with 0 on SIGTERM.
    if (delivery.as<workload::Terminate>() != nullptr) say_exited(context, spec_.node_path, 0);
  }

 private:
  BuiltInSpec spec_;
};

class JobActor final : public Actor {
 public:
  explicit JobActor(BuiltInSpec spec) : spec_(std::move(spec)) {}

  void start(Context& context) override {
    context.emit(ready_fact(spec_.uid));
    for (const std::string& gpu : spec_.gpu_paths) {
      workload::GpuMemory memory;
      memory.set_uid(spec_.uid);
      memory.set_used_mib(spec_.gpu_memory_mib * kJobMemoryPercent / 100);
      context.send(address_of(gpu), Payload::of(std::move(memory)), {});
    }
    work<workload::GpuBusy, facts::WorkloadBusy>(context);
    const Duration length = sample(spec_.profile.duration(), context.random("duration", 0));
    due_ = context.now() + length;
    done_ = context.set_timer(length, Payload::of(workload::JobDone{}));
  }

  void receive(Context& context, const Delivery& delivery) override {
    if (ended_) return;
    if (delivery.timer == done_ && delivery.as<workload::JobDone>() != nullptr) {
      end(context, spec_.profile.exit_code());
    } else if (delivery.as<workload::Terminate>() != nullptr) {
      context.cancel_timer(done_);
      end(context, kTerminatedCode);
    } else if (const auto* pace = delivery.as<workload::SetPace>()) {
      set_pace(context, pace->permille());
    }
  }

 private:
  /// Tells GPUs and observers that work begins or ends.
  template <class GpuMessage, class Fact>
  void work(Context& context) {
    for (const std::string& gpu : spec_.gpu_paths) {
      GpuMessage message;
      message.set_uid(spec_.uid);
      context.send(address_of(gpu), Payload::of(std::move(message)), {});
    }
    Fact fact;
    fact.set_uid(spec_.uid);
    context.emit(Payload::of(std::move(fact)));
  }

  /// What is left of the work takes longer, or less long again.
  void set_pace(Context& context, std::uint32_t permille) {
    const std::int64_t left =
        fixed::multiply_divide((due_ - context.now()).count(), pace_permille_, permille);
    pace_permille_ = permille;
    due_ = context.now() + Duration(left);
    context.cancel_timer(done_);
    done_ = context.set_timer(Duration(left), Payload::of(workload::JobDone{}));
  }

  void end(Context& context, std::int32_t code) {
    ended_ = true;
    work<workload::GpuIdle, facts::WorkloadIdle>(context);
    say_exited(context, spec_.node_path, code);
  }

  BuiltInSpec spec_;
  TimerId done_ = 0;
  SimTime due_;  ///< at the present pace
  std::uint32_t pace_permille_ = 1000;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Actor> make_job(BuiltInSpec spec) {
  return std::make_unique<JobActor>(std::move(spec));
}
std::unique_ptr<Actor> make_pause(BuiltInSpec spec) {
  return std::make_unique<PauseActor>(std::move(spec));
}

}  // namespace troupe::kubelet
