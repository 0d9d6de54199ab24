// Whom Prometheus scrapes: engine pods, DCGM exporters, and what the configuration names.
//
// In life a ServiceMonitor or an annotation says so. Manifests for tests often have neither, so any
// running pod with an address is tried; one that is ready and has failed three scrapes without a
// single answer has no /metrics and is left alone, unless its annotation prometheus.io/scrape is
// "true". With "false" it is never tried.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "actors/telemetry/label_set.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/telemetry.pb.h"

namespace troupe::telemetry {

struct ScrapeTarget {
  LabelSet labels;             ///< what Prometheus attaches to each sample
  bool declared = false;       ///< it must have metrics: never given up
  bool ready = false;          ///< it ought to answer by now
  bool answered = false;       ///< at least once
  std::uint32_t failures = 0;  ///< in a row
};

/// What became of a target; the path is empty where nothing came or went.
struct TargetChange {
  std::string path;
  bool added = false;  ///< else it is gone
};

class ScrapeTargets {
 public:
  /// Failed scrapes after which a ready target that never answered is left alone.
  static constexpr std::uint32_t kPatience = 3;

  TargetChange update(const k8s::Pod& pod);
  TargetChange remove(const k8s::Pod& pod);
  /// A node with GPUs has an exporter.
  TargetChange update(const k8s::Node& node);
  TargetChange remove(const k8s::Node& node);
  TargetChange add(const StaticTarget& target);

  void succeeded(const std::string& path);
  /// The target is gone if it is given up with this failure.
  TargetChange failed(const std::string& path);

  /// The target at that path, or null.
  [[nodiscard]] const ScrapeTarget* find(const std::string& path) const;
  [[nodiscard]] std::size_t size() const { return targets_.size(); }

 private:
  // `object` is the uid or name of what the target belongs to; an empty path means that it has none
  // (any more).
  TargetChange set(const std::string& object, const std::string& path, ScrapeTarget target);

  std::map<std::string, ScrapeTarget> targets_;  // by path
  std::map<std::string, std::string> path_of_;   // by object
  std::set<std::string> given_up_;               // paths
};

}  // namespace troupe::telemetry
