#include "actors/kai/queue_info.h"

#include "actors/kai/fair_share.h"

namespace troupe::kai {
namespace {

/// True if the chain of parents ends at a root; a cycle never does.
bool has_root(const std::map<std::string, const QueueSettings*>& given,
              const QueueSettings& queue) {
  const QueueSettings* at = &queue;
  for (std::size_t steps = 0; steps <= given.size(); ++steps) {
    if (at->parent.empty()) return true;
    const auto parent = given.find(at->parent);
    if (parent == given.end()) return false;
    at = parent->second;
  }
  return false;
}

void divide_among(const Quantities& total, std::span<QueueInfo* const> queues) {
  if (queues.empty()) return;
  for (const Resource resource : kResources) divide_resource(total[resource], resource, queues);
  for (const QueueInfo* queue : queues) {
    divide_among(queue->collect(&ResourceShare::fair_share), queue->children);
  }
}

}  // namespace

Quantities QueueInfo::collect(std::int64_t ResourceShare::*field) const {
  Quantities quantities;
  for (const Resource resource : kResources) quantities[resource] = share(resource).*field;
  return quantities;
}

Quantities QueueInfo::allocatable() const {
  Quantities quantities;
  for (const Resource resource : kResources) quantities[resource] = share(resource).allocatable();
  return quantities;
}

QueueForest::QueueForest(std::span<const QueueSettings> settings) {
  std::map<std::string, const QueueSettings*> given;
  for (const QueueSettings& queue : settings) given.emplace(queue.name, &queue);
  for (const auto& [name, queue] : given) {
    if (!has_root(given, *queue)) continue;
    QueueInfo& info = queues_[name];
    info.settings = *queue;
    for (const Resource resource : kResources) {
      const auto& bounds = queue->bounds[static_cast<std::size_t>(resource)];
      ResourceShare& share = info.share(resource);
      share.deserved = bounds.quota;
      share.max_allowed = bounds.limit;
      share.weight = bounds.weight;
    }
  }
  for (auto& [name, info] : queues_) {
    if (info.settings.parent.empty()) {
      roots_.push_back(&info);
    } else {
      info.parent = find(info.settings.parent);
      info.parent->children.push_back(&info);
    }
  }
}

QueueInfo* QueueForest::find(const std::string& name) {
  const auto at = queues_.find(name);
  return at != queues_.end() ? &at->second : nullptr;
}

const QueueInfo* QueueForest::find(const std::string& name) const {
  const auto at = queues_.find(name);
  return at != queues_.end() ? &at->second : nullptr;
}

void QueueForest::add_allocated(QueueInfo& leaf, const Quantities& amount, bool preemptible) {
  for (QueueInfo* queue = &leaf; queue != nullptr; queue = queue->parent) {
    for (const Resource resource : kResources) {
      ResourceShare& share = queue->share(resource);
      share.allocated += amount[resource];
      if (!preemptible) share.allocated_non_preemptible += amount[resource];
    }
  }
}

void QueueForest::subtract_allocated(QueueInfo& leaf, const Quantities& amount, bool preemptible) {
  Quantities negative;
  negative -= amount;
  add_allocated(leaf, negative, preemptible);
}

void QueueForest::add_request(QueueInfo& leaf, const Quantities& amount) {
  for (QueueInfo* queue = &leaf; queue != nullptr; queue = queue->parent) {
    for (const Resource resource : kResources) queue->share(resource).request += amount[resource];
  }
}

void QueueForest::divide(const Quantities& total) {
  divide_among(total, roots_);
}

}  // namespace troupe::kai
