// What befalls launches: pools that give nothing, instances that boot late, badly or in vain.
#pragma once

#include <cstdint>
#include <map>

#include "actors/cloud/offerings.h"
#include "actors/context.h"
#include "messages/fault.pb.h"

namespace troupe::cloud {

/// What a launched instance suffers.
struct LaunchFate {
  Duration boot_delay{0};
  Duration device_plugin_delay{0};
  bool fails_checks = false;  ///< and is terminated
  bool never_registers = false;
};

class LaunchFaults {
 public:
  /// Begins or heals one.
  void change(const fault::DisturbLaunches& disturb);
  [[nodiscard]] bool none() const { return active_.empty(); }
  /// True if the pool has nothing for this call, whatever it still could give.
  [[nodiscard]] bool is_dry(const Context& context, const Pool& pool, std::uint64_t call);
  [[nodiscard]] LaunchFate fate_of(const Context& context, const Pool& pool, std::uint64_t call);

 private:
  struct Active {
    fault::DisturbLaunches spec;
    std::uint32_t passed = 0;  ///< matching launches that it let pass
  };

  [[nodiscard]] bool hits(const Context& context, Active& active, const Pool& pool,
                          std::uint64_t call) const;

  std::map<std::uint32_t, Active> active_;  ///< by id
};

}  // namespace troupe::cloud
