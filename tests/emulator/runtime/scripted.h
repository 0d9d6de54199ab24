// Actors made of closures, so that a test reads as the script it is.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "actors/context.h"
#include "emulator/runtime/host_registry.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"

namespace troupe::test {

class Scripted final : public Actor {
 public:
  using Start = std::function<void(Context&)>;
  using Receive = std::function<void(Context&, const Delivery&)>;

  Scripted(Start start, Receive receive) : start_(std::move(start)), receive_(std::move(receive)) {}
  void start(Context& context) override {
    if (start_) start_(context);
  }
  void receive(Context& context, const Delivery& delivery) override {
    if (receive_) receive_(context, delivery);
  }

 private:
  Start start_;
  Receive receive_;
};

inline std::unique_ptr<Actor> scripted(Scripted::Start start, Scripted::Receive receive = {}) {
  return std::make_unique<Scripted>(std::move(start), std::move(receive));
}

/// A small message whose content is a number.
inline Payload note(int number) {
  facts::GpuAllocatable message;
  message.set_gpu(static_cast<std::uint32_t>(number));
  return Payload::of(std::move(message));
}
inline int number_in(const Delivery& delivery) {
  return static_cast<int>(delivery.as<facts::GpuAllocatable>()->gpu());
}

inline Payload host_start(const std::string& path, const std::string& kind) {
  runtime::HostStart start;
  start.set_kind(kind);
  start.set_path(path);
  return Payload::of(std::move(start));
}

/// A runtime whose hosts are scripts: add("node/a", start, receive), then run.
class Stage {
 public:
  explicit Stage(RuntimeOptions options = {}) : runtime(std::move(options), registry) {}

  void add(const std::string& path, Scripted::Start start, Scripted::Receive receive = {}) {
    registry.add(path, [start, receive](const Payload&) { return scripted(start, receive); });
    runtime.start_host(path, host_start(path, path));
  }

  HostRegistry registry;
  VirtualRuntime runtime;
};

}  // namespace troupe::test
