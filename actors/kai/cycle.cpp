#include "actors/kai/cycle.h"

#include <utility>

#include "actors/kai/actions/registry.h"
#include "actors/kai/plugins/registry.h"

namespace troupe::kai {

Cycle::Cycle(SessionInput input) : session_(std::move(input)), plugins_(make_plugins()) {
  for (const auto& job : session_.jobs()) {
    if (session_.queues().find(job->settings.queue) == nullptr) {
      job->fit_errors.push_back(
          {"QueueDoesNotExist", "Queue '" + job->settings.queue + "' does not exist"});
    }
  }
  for (const auto& plugin : plugins_) plugin->open(session_);
}

void Cycle::run(std::string_view only) {
  for (const auto& action : make_actions()) {
    if (only.empty() || action->name() == only) action->run(session_);
  }
}

}  // namespace troupe::kai
