// The pools of a cloud, (instance type, zone, capacity type) each with its price and what it can
// still give, and the choice that one fleet call makes among them.
//
// Capacity types are tried in the order of the call. On-demand and reserved instances come from the
// cheapest pool that is not dry (EC2's allocation strategy lowest-price). Spot instances come from
// the cheapest of the pools with most capacity (price-capacity-optimized); how EC2 measures
// capacity is not public, here a pool is deep when ten more instances fit, and a shallower one
// counts by what it has left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "messages/cloud.pb.h"

namespace troupe::cloud {

struct Pool {
  const hosts::InstanceType* type = nullptr;
  std::string zone;
  std::string capacity_type;
  std::int64_t price_micro_usd_per_hour = 0;
  std::int32_t left = -1;  ///< negative: without limit
  bool closed = false;     ///< a fault took the capacity away: what comes back goes to others

  [[nodiscard]] bool dry() const { return left == 0; }
};

class Offerings {
 public:
  static constexpr std::int32_t kDeep = 10;

  struct Choice {
    std::optional<std::size_t> pool;  ///< index of the pool that gives the instance
    bool any_allowed = false;         ///< the catalogue has a pool that the call allows
    std::vector<std::size_t> dry;     ///< pools that would have been taken, had they not been dry
  };

  using InstanceTypes = google::protobuf::RepeatedPtrField<hosts::InstanceType>;
  /// `types` must outlive this.
  explicit Offerings(const InstanceTypes& types);

  /// Tells of a pool that it is dry for this call, whatever it has left.
  using IsDry = std::function<bool(const Pool&)>;
  [[nodiscard]] Choice choose(const LaunchInstance& call, const IsDry& is_dry = {}) const;
  void take(std::size_t pool);
  void give_back(std::size_t pool);
  /// Sets what the matching pools can still give. The number of pools that matched.
  std::size_t set_capacity(const SetPoolCapacity& change);

  [[nodiscard]] const Pool& at(std::size_t pool) const { return pools_.at(pool); }
  [[nodiscard]] std::size_t size() const { return pools_.size(); }

 private:
  [[nodiscard]] std::vector<std::size_t> allowed(const LaunchInstance& call,
                                                 const std::string& capacity_type) const;
  [[nodiscard]] bool better(std::size_t a, std::size_t b, bool one_dry) const;

  std::vector<Pool> pools_;
};

}  // namespace troupe::cloud
