// How long a message travels: a function of its name, never of who else sent what or of where a
// process runs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "actors/distribution.h"
#include "messages/distribution.pb.h"
#include "messages/link.h"
#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe {

/// What a latency is drawn for. Equal names give equal latencies, whatever else the run does.
struct MessageName {
  std::uint64_t sender = 0;
  std::uint64_t receiver = 0;
  std::uint64_t kind = 0;
  std::uint64_t object = 0;
  std::uint64_t version = 0;
};

class LatencyModel {
 public:
  using PerLink = std::array<Distribution, kLinkNames.size()>;

  /// Latencies of a quiet cluster network: see the definition for each value's source.
  static PerLink defaults();

  explicit LatencyModel(std::uint64_t seed, PerLink per_link = defaults());

  /// Between two hosts; always at least minimum(link).
  [[nodiscard]] Duration draw(Link link, const MessageName& name) const;
  /// The smallest latency that the link can have: its lookahead. Above zero.
  [[nodiscard]] Duration minimum(Link link) const;

 private:
  std::uint64_t seed_;
  PerLink per_link_;
  std::vector<Sampler> samplers_;  ///< by link
};

/// How long a fact takes to the director: as the quickest watch would bring it, and at least 1 ms.
[[nodiscard]] Duration fact_latency(const LatencyModel& model);

}  // namespace troupe
