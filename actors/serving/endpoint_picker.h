// Which endpoint gets the next request.
//
// Round robin takes them in turn. Least request takes the one with the fewest requests that this
// router has in flight there, and among equals the next in turn, so that an idle fleet is used
// evenly. Both see the router's own traffic alone, as a proxy in front of a Service does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace troupe::serving {

enum class RoutingPolicy : std::uint8_t { RoundRobin, LeastRequest };

/// The policy of that name ("round-robin", "least-request"); nothing for another.
[[nodiscard]] std::optional<RoutingPolicy> routing_policy(const std::string& name);

class EndpointPicker {
 public:
  explicit EndpointPicker(RoutingPolicy policy) : policy_(policy) {}

  /// The ready endpoints from now on, by path.
  void set_ready(std::set<std::string> ready) { ready_ = std::move(ready); }
  [[nodiscard]] const std::set<std::string>& ready() const { return ready_; }

  /// An endpoint that is not among `tried`; nothing if there is none.
  [[nodiscard]] std::optional<std::string> pick(const std::set<std::string>& tried);
  /// A request goes to, or has left, an endpoint, ready or not.
  void begin(const std::string& endpoint) { ++in_flight_[endpoint]; }
  void end(const std::string& endpoint);
  [[nodiscard]] std::uint64_t in_flight(const std::string& endpoint) const;

 private:
  RoutingPolicy policy_;
  std::set<std::string> ready_;
  std::string last_;  // picked before; the turn goes on after it
  std::map<std::string, std::uint64_t> in_flight_;
};

}  // namespace troupe::serving
