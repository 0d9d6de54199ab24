#include "actors/workloads/node_lifecycle/eviction_zones.h"

#include <algorithm>

#include "messages/labels.h"

namespace troupe::workloads {
namespace {

/// In percent.
constexpr int kUnhealthyZoneThreshold = 55;

template <class States>
bool all_down(const States& states) {
  return std::ranges::all_of(
      states, [](const auto& entry) { return entry.second == ZoneState::FullDisruption; });
}

}  // namespace

ZoneState zone_state(const ZoneTally& tally) {
  if (tally.ready == 0 && tally.not_ready > 0) return ZoneState::FullDisruption;
  const int all = tally.ready + tally.not_ready;
  const bool partly = tally.not_ready > 2 && tally.not_ready * 100 >= all * kUnhealthyZoneThreshold;
  return partly ? ZoneState::PartialDisruption : ZoneState::Normal;
}

std::optional<Duration> eviction_interval(ZoneState state, int zone_size) {
  if (state != ZoneState::PartialDisruption) return kEvictionInterval;
  if (zone_size > kLargeZone) return kSecondaryEvictionInterval;
  return std::nullopt;
}

std::string zone_of(const k8s::Node& node) {
  const auto& labels = node.metadata().labels();
  const std::string_view region = label_or(labels, "topology.kubernetes.io/region");
  const std::string_view zone = label_or(labels, "topology.kubernetes.io/zone");
  if (region.empty() && zone.empty()) return {};
  return std::string(region) + "/" + std::string(zone);
}

void ZoneQueue::set_interval(std::optional<Duration> interval, SimTime now) {
  if (interval == interval_) return;
  // A bucket that was empty, or that never filled, is exchanged for an empty one.
  const bool empty = !interval_ || free_at_ > now;
  interval_ = interval;
  if (interval_ && empty) free_at_ = now + *interval_;
}

void ZoneQueue::add(const std::string& node) {
  if (known_.insert(node).second) waiting_.push_back(node);
}

void ZoneQueue::remove(const std::string& node) {
  if (known_.erase(node) > 0) std::erase(waiting_, node);
}

void ZoneQueue::put_back(const std::string& node) {
  remove(node);
  add(node);
}

std::optional<SimTime> ZoneQueue::due() const {
  if (waiting_.empty() || !interval_) return std::nullopt;
  return free_at_;
}

std::optional<std::string> ZoneQueue::take(SimTime now) {
  const std::optional<SimTime> next = due();
  if (!next || *next > now) return std::nullopt;
  free_at_ = now + *interval_;
  std::string node = std::move(waiting_.front());
  waiting_.pop_front();
  return node;
}

EvictionZones::Turn EvictionZones::update(const std::map<std::string, ZoneTally>& tallies,
                                          SimTime now) {
  std::erase_if(states_, [&](const auto& entry) { return !tallies.contains(entry.first); });
  std::map<std::string, ZoneState> found;
  for (const auto& [zone, tally] : tallies) found[zone] = zone_state(tally);
  // A zone that is new counts as having been well.
  for (const auto& [zone, state] : found) states_.try_emplace(zone, ZoneState::Normal);
  const bool were_down = all_down(states_);
  states_ = std::move(found);
  if (!all_down(states_)) {
    pace(tallies, now);
    return were_down ? Turn::SomeCameBack : Turn::None;
  }
  for (const auto& [zone, state] : states_) queues_[zone].set_interval(std::nullopt, now);
  return were_down ? Turn::None : Turn::AllWentDown;
}

void EvictionZones::pace(const std::map<std::string, ZoneTally>& tallies, SimTime now) {
  for (const auto& [zone, tally] : tallies) {
    const int size = tally.ready + tally.not_ready;
    queues_[zone].set_interval(eviction_interval(states_.at(zone), size), now);
  }
}

std::optional<SimTime> EvictionZones::due() const {
  std::optional<SimTime> first;
  for (const auto& [name, queue] : queues_) {
    const std::optional<SimTime> next = queue.due();
    if (next && (!first || *next < *first)) first = next;
  }
  return first;
}

std::optional<std::string> EvictionZones::take(SimTime now) {
  for (auto& [name, queue] : queues_) {
    if (auto node = queue.take(now)) return node;
  }
  return std::nullopt;
}

}  // namespace troupe::workloads
