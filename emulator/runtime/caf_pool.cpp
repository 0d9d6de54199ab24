#include "emulator/runtime/caf_pool.h"

#include <caf/all.hpp>

namespace troupe {
namespace {

using Wake = caf::atom_constant<caf::atom("wake")>;

class Worker final : public caf::event_based_actor {
 public:
  Worker(caf::actor_config& config, std::function<void()> work)
      : caf::event_based_actor(config), work_(std::move(work)) {}

  caf::behavior make_behavior() override {
    return {[this](Wake) { work_(); }};
  }

 private:
  std::function<void()> work_;
};

caf::actor_system_config& stealing(caf::actor_system_config& config, std::size_t threads) {
  config.set("scheduler.policy", caf::atom("stealing"));
  if (threads != 0) config.set("scheduler.max-threads", threads);
  return config;
}

}  // namespace

struct CafPool::Impl {
  explicit Impl(std::size_t threads) : system(stealing(config, threads)) {}
  caf::actor_system_config config;
  caf::actor_system system;
};

CafPool::CafPool(std::size_t threads) : impl_(std::make_unique<Impl>(threads)) {}
CafPool::~CafPool() {
  impl_->system.await_all_actors_done();
}

caf::actor CafPool::spawn(std::function<void()> work) {
  return impl_->system.spawn<Worker>(std::move(work));
}

void CafPool::wake(const caf::actor& carrier) {
  caf::anon_send(carrier, Wake::value);
}

void CafPool::stop(caf::actor& carrier) {
  caf::anon_send_exit(carrier, caf::exit_reason::user_shutdown);
  carrier = nullptr;
}

}  // namespace troupe
