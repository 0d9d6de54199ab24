#include "actors/api_client/election.h"

#include <utility>

#include "messages/fault.pb.h"

namespace troupe {

void Election::start(Context& context, LeaderElector::Handler started,
                     LeaderElector::Handler stopped) {
  elector_.emplace(api_,
                   LeaderElectorOptions{.name_space = config_.namespace_(),
                                        .name = config_.lease(),
                                        .identity = lease_identity(context),
                                        .lease_duration = Duration(config_.lease_duration_ns()),
                                        .renew_deadline = Duration(config_.renew_deadline_ns()),
                                        .retry_period = Duration(config_.retry_period_ns()),
                                        .release_on_cancel = config_.release_on_cancel()});
  elector_->on_started(std::move(started));
  elector_->on_stopped(std::move(stopped));
  elector_->start(context);
}

bool Election::receive(Context& context, const Delivery& delivery) {
  if (api_.receive(context, delivery)) return true;
  if (!elector_) return false;
  if (const auto* hang = delivery.as<fault::HangElection>()) {
    hang->heal() ? elector_->go_on(context) : elector_->hang(context);
    return true;
  }
  if (delivery.as<fault::ShutDown>() == nullptr) return false;
  elector_->shut_down(context);
  return true;
}

// client-go: the host's name and an id that each process makes up.
std::string lease_identity(const Context& context) {
  return context.path() + "_" + std::to_string(context.self().incarnation);
}

std::string host_of_identity(const std::string& identity) {
  return identity.substr(0, identity.rfind('_'));
}

}  // namespace troupe
