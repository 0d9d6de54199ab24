// Faults that are decided while the run goes on: on a condition, or on a target that must be looked
// for when the moment comes, as Chaos Mesh's controller does by its selectors.
//
// The director hears of facts over a link of fixed latency and lists Nodes and Pods from the API
// server; what it decides reaches the victim as a message, a moment later than in the plan of a
// fault whose victim was known beforehand. Its messages are no traffic of the emulated network, so
// no fault of the network stops them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/api_client/api_client.h"
#include "actors/director/fault_choice.h"
#include "messages/director.pb.h"

namespace troupe::director {

class FaultOrders {
 public:
  FaultOrders(std::vector<fault::Order> orders, ApiClient& api);

  void start(Context& context);
  /// One more, while the run goes on. `restarted`: it was there before the director began again.
  void add(Context& context, const fault::Order& order, bool restarted);
  /// True if the delivery was a timer of this, or a fact.
  bool receive(Context& context, const Delivery& delivery);

 private:
  struct Victim {
    std::string path;  ///< of the actor or host that the message goes to
    std::string name;  ///< what people read
    std::string node;
    std::string uid;  ///< of a pod
  };
  struct State {
    int next = 0;            ///< of the order's moments
    std::uint32_t seen = 0;  ///< facts that met the condition
  };
  struct Injection {
    std::uint32_t order = 0;
    Victim victim;
  };

  void take_up(Context& context, std::uint32_t order, bool restarted);
  void arm(Context& context, std::uint32_t order);
  void hear(Context& context, const Payload& fact);
  void find_victims(Context& context, std::uint32_t order, const Payload& fact);
  void find_leader(Context& context, std::uint32_t order);
  void befall(Context& context, std::uint32_t order, const std::vector<Victim>& candidates);
  void inject(Context& context, std::uint32_t order, const Victim& victim);
  void record(Context& context, const fault::Order& order, const std::string& target);
  void open_link(Context& context, std::uint32_t order, const std::vector<Victim>& senders);
  void heal(Context& context, std::uint64_t injection);
  void tell(Context& context, const Victim& victim, const Payload& what);
  [[nodiscard]] std::vector<Victim> nodes_among(const fault::Target& target, const Payload& fact,
                                                const std::vector<Payload>& objects) const;
  [[nodiscard]] std::vector<Victim> pods_among(const fault::Target& target, const Payload& fact,
                                               const std::vector<Payload>& objects) const;

  std::vector<fault::Order> orders_;
  std::vector<State> states_;
  ApiClient& api_;
  std::uint64_t draws_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t injections_ = 0;
  std::map<std::uint64_t, Injection> open_;  ///< that will heal
};

}  // namespace troupe::director
