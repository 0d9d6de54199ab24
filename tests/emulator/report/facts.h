// Builders of facts, so that a test reads as a timeline.
#pragma once

#include <initializer_list>
#include <string>

#include "emulator/runtime/observer.h"
#include "messages/facts.pb.h"

namespace troupe::test {

inline Payload launched(const std::string& node, std::uint32_t gpus, std::int64_t price = 0) {
  facts::InstanceLaunched fact;
  fact.set_instance("i-" + node);
  fact.set_node(node);
  fact.set_gpus(gpus);
  fact.set_price_micro_usd_per_hour(price);
  return Payload::of(std::move(fact));
}
inline Payload terminated(const std::string& node) {
  facts::InstanceTerminated fact;
  fact.set_instance("i-" + node);
  fact.set_node(node);
  return Payload::of(std::move(fact));
}
inline Payload allocatable(const std::string& node, std::uint32_t gpu) {
  facts::GpuAllocatable fact;
  fact.set_node(node);
  fact.set_gpu(gpu);
  return Payload::of(std::move(fact));
}
inline Payload assigned(const std::string& uid, const std::string& node,
                        std::initializer_list<std::uint32_t> gpus, std::uint32_t milli = 1000) {
  facts::DevicesAssigned fact;
  fact.set_uid(uid);
  fact.set_node(node);
  for (const std::uint32_t gpu : gpus) fact.add_gpus(gpu);
  fact.set_milli_gpu_each(milli);
  return Payload::of(std::move(fact));
}
inline Payload stage(const std::string& uid, facts::WorkloadStage::Stage value) {
  facts::WorkloadStage fact;
  fact.set_uid(uid);
  fact.set_stage(value);
  return Payload::of(std::move(fact));
}
template <class Fact>
Payload about(const std::string& uid) {
  Fact fact;
  fact.set_uid(uid);
  return Payload::of(std::move(fact));
}
inline Payload gang(const std::string& name, std::uint32_t minimum) {
  facts::GangDeclared fact;
  fact.set_gang(name);
  fact.add_sub_groups()->set_minimum(minimum);
  return Payload::of(std::move(fact));
}
inline Payload dissolved(const std::string& name) {
  facts::GangDissolved fact;
  fact.set_gang(name);
  return Payload::of(std::move(fact));
}
inline Payload member(const std::string& gang, const std::string& uid,
                      const std::string& by = "LeaderWorkerSet") {
  facts::GangMember fact;
  fact.set_by(by);
  fact.set_gang(gang);
  fact.set_uid(uid);
  return Payload::of(std::move(fact));
}

/// Feeds a fact that became true `seconds` after the start.
inline void tell(Observer& observer, std::int64_t seconds, const Payload& fact) {
  static const std::string emitter = "test";
  OrderKey key;
  key.time = from_ns(seconds * 1'000'000'000);
  observer.on_fact({key, emitter, fact});
}

}  // namespace troupe::test
