// What the HPA controller is told on its command line, and which release of Kubernetes it behaves
// like.
//
// Two releases differ in one comparison and one feature: from 1.33 on the dead band is tested as
// 1 - down <= ratio <= 1 + up instead of |1 - ratio| <= tolerance (in IEEE doubles the two disagree
// at a ratio of exactly 1.1), and an HPA may bring a tolerance of its own per direction (on by
// default in 1.35).
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "messages/sim_time.h"

namespace troupe::hpa {

enum class Profile : std::uint8_t { Kubernetes131, Kubernetes135 };

/// Flags of kube-controller-manager, with their defaults (kubernetes.io, "Horizontal Pod
/// Autoscaling").
struct Options {
  double tolerance = 0.1;  ///< --horizontal-pod-autoscaler-tolerance
  Duration downscale_stabilization = std::chrono::minutes(5);
  Duration cpu_initialization = std::chrono::minutes(5);
  Duration initial_readiness_delay = std::chrono::seconds(30);
  Profile profile = Profile::Kubernetes131;
};

/// The dead band around a ratio of 1 in which nothing is scaled.
struct Tolerance {
  double down = 0.1;
  double up = 0.1;
  Profile profile = Profile::Kubernetes131;

  [[nodiscard]] bool holds(double ratio) const {
    if (profile == Profile::Kubernetes131) return std::fabs(1.0 - ratio) <= down;
    return (1.0 - down) <= ratio && ratio <= (1.0 + up);
  }
};

}  // namespace troupe::hpa
