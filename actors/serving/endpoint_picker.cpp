#include "actors/serving/endpoint_picker.h"

#include "messages/assert.h"

namespace troupe::serving {

std::optional<RoutingPolicy> routing_policy(const std::string& name) {
  if (name == "round-robin") return RoutingPolicy::RoundRobin;
  if (name == "least-request") return RoutingPolicy::LeastRequest;
  return std::nullopt;
}

std::optional<std::string> EndpointPicker::pick(const std::set<std::string>& tried) {
  const std::string* best = nullptr;
  std::uint64_t fewest = 0;
  auto turn = ready_.upper_bound(last_);
  for (std::size_t i = 0; i < ready_.size(); ++i, ++turn) {
    if (turn == ready_.end()) turn = ready_.begin();
    if (tried.contains(*turn)) continue;
    const std::uint64_t load = policy_ == RoutingPolicy::LeastRequest ? in_flight(*turn) : 0;
    if (best == nullptr || load < fewest) {
      best = &*turn;
      fewest = load;
    }
  }
  if (best == nullptr) return std::nullopt;
  last_ = *best;
  return *best;
}

void EndpointPicker::end(const std::string& endpoint) {
  const auto found = in_flight_.find(endpoint);
  TROUPE_ASSERT(found != in_flight_.end(), "a request left an endpoint that had none");
  if (--found->second == 0) in_flight_.erase(found);
}

std::uint64_t EndpointPicker::in_flight(const std::string& endpoint) const {
  const auto found = in_flight_.find(endpoint);
  return found == in_flight_.end() ? 0 : found->second;
}

}  // namespace troupe::serving
