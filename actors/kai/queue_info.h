// The queues as a session sees them: a forest, in which a job charges its leaf and all of that
// leaf's ancestors.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "actors/kai/resource_share.h"
#include "messages/sim_time.h"

namespace troupe::kai {

/// What a Queue object says.
struct QueueSettings {
  struct Bounds {
    std::int64_t quota = 0;
    std::int64_t limit = 0;
    std::int64_t weight = 0;  ///< thousandths
  };
  std::string name;
  std::string parent;  ///< empty for a root
  int priority = 100;  ///< KAI's default
  SimTime created;
  std::array<Bounds, kResources.size()> bounds;  ///< in order of kResources
};

struct QueueInfo {
  QueueSettings settings;
  QueueInfo* parent = nullptr;
  std::vector<QueueInfo*> children;  ///< in order of name
  std::array<ResourceShare, kResources.size()> shares;

  [[nodiscard]] const std::string& name() const { return settings.name; }
  [[nodiscard]] bool is_leaf() const { return children.empty(); }
  [[nodiscard]] ResourceShare& share(Resource resource) {
    return shares[static_cast<std::size_t>(resource)];
  }
  [[nodiscard]] const ResourceShare& share(Resource resource) const {
    return shares[static_cast<std::size_t>(resource)];
  }
  [[nodiscard]] Quantities collect(std::int64_t ResourceShare::*field) const;
  [[nodiscard]] Quantities allocatable() const;
};

class QueueForest {
 public:
  /// A queue whose parent is missing is left out with all beneath it.
  explicit QueueForest(std::span<const QueueSettings> settings);
  QueueForest(const QueueForest&) = delete;
  QueueForest& operator=(const QueueForest&) = delete;

  [[nodiscard]] QueueInfo* find(const std::string& name);
  [[nodiscard]] const QueueInfo* find(const std::string& name) const;
  [[nodiscard]] std::span<QueueInfo* const> roots() const { return roots_; }
  [[nodiscard]] const std::map<std::string, QueueInfo>& all() const { return queues_; }

  /// Charges a queue and its ancestors with running work, or with a negative amount takes it back.
  void add_allocated(QueueInfo& leaf, const Quantities& amount, bool preemptible);
  void subtract_allocated(QueueInfo& leaf, const Quantities& amount, bool preemptible);
  /// Counts what jobs of the queue ask for, running or not.
  void add_request(QueueInfo& leaf, const Quantities& amount);
  /// Divides the total among the roots, and each one's share among its children.
  void divide(const Quantities& total);

 private:
  std::map<std::string, QueueInfo> queues_;
  std::vector<QueueInfo*> roots_;
};

}  // namespace troupe::kai
