// How many requests a second the clients of an open loop send, as a function of time.
//
// Every curve is constant by pieces, so that its integral is exact in integers: phases are by
// definition, a day is cut into 1440 steps.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "messages/load.pb.h"
#include "messages/sim_time.h"

namespace troupe::load {

/// A stretch of constant rate.
struct RatePiece {
  std::int64_t rate_micro_per_s = 0;  ///< millionths of a request a second, 0 or more
  Duration left{0};  ///< from the moment asked about to the end of the stretch, above 0
};

class RateCurve {
 public:
  virtual ~RateCurve() = default;
  /// The piece that holds the moment `since_start`; nothing once the curve has ended or stays at 0.
  [[nodiscard]] virtual std::optional<RatePiece> at(Duration since_start) const = 0;
};

[[nodiscard]] std::unique_ptr<RateCurve> make_rate_curve(const Phases& phases);
[[nodiscard]] std::unique_ptr<RateCurve> make_rate_curve(const Diurnal& diurnal);

}  // namespace troupe::load
