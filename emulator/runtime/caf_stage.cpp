#include "emulator/runtime/caf_stage.h"

#include <exception>

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

namespace troupe {
namespace {

using Ticket = caf::atom_constant<caf::atom("deliver")>;

std::string describe(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

// A deterministic CAF actor whose behaviour is one closure. What the closure throws is noted, then
// CAF ends the actor.
class Carrier final : public caf::event_based_actor {
 public:
  Carrier(caf::actor_config& config, std::function<void()> handler,
          std::optional<std::string>* failure)
      : caf::event_based_actor(config), handler_(std::move(handler)), failure_(failure) {
    set_exception_handler([this](caf::scheduled_actor*, std::exception_ptr& thrown) -> caf::error {
      *failure_ = describe(thrown);
      return caf::sec::runtime_error;
    });
  }

  caf::behavior make_behavior() override {
    return {[this](Ticket) { handler_(); }};
  }

 private:
  std::function<void()> handler_;
  std::optional<std::string>* failure_;
};

caf::actor_system_config& deterministic(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("testing"));
  return config;
}

}  // namespace

struct CafStage::Impl {
  caf::actor_system_config config;
  caf::actor_system system{deterministic(config)};
  caf::scheduler::test_coordinator& scheduler =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::optional<std::string> failure;
};

CafStage::CafStage() : impl_(std::make_unique<Impl>()) {}
CafStage::~CafStage() {
  impl_->scheduler.run();
}

caf::actor CafStage::spawn(std::function<void()> handler) {
  caf::actor carrier = impl_->system.spawn<Carrier>(std::move(handler), &impl_->failure);
  impl_->scheduler.run();
  return carrier;
}

std::optional<std::string> CafStage::run(const caf::actor& carrier) {
  caf::anon_send(carrier, Ticket::value);
  do {
    impl_->scheduler.run_once();
  } while (impl_->scheduler.has_job());
  if (!impl_->failure) [[likely]] {
    return std::nullopt;
  }
  return std::exchange(impl_->failure, std::nullopt);
}

void CafStage::stop(caf::actor& carrier) {
  caf::anon_send_exit(carrier, caf::exit_reason::user_shutdown);
  impl_->scheduler.run();
  carrier = nullptr;
}

}  // namespace troupe
