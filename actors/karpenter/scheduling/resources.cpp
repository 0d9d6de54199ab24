#include "actors/karpenter/scheduling/resources.h"

#include <algorithm>

#include "actors/scheduling/pod_info.h"
#include "messages/quantity.h"

namespace troupe::karpenter {
namespace {

constexpr std::string_view kStorage = "ephemeral-storage";

template <class Entries>
auto entry_of(Entries& entries, std::string_view name) {
  return std::lower_bound(entries.begin(), entries.end(), name,
                          [](const Resources::Entry& entry, std::string_view key) {
                            return std::string_view(entry.first) < key;
                          });
}

/// Calls `with(mine, theirs)` for each resource that `other` has; absent ones are created as 0
/// here.
template <class Action>
void for_each_of(std::vector<Resources::Entry>& entries, std::span<const Resources::Entry> other,
                 Action with) {
  for (const auto& [name, amount] : other) {
    auto at = entry_of(entries, name);
    if (at == entries.end() || at->first != name) at = entries.emplace(at, name, 0);
    with(at->second, amount);
  }
}

Quantity quantity_of(std::string_view name, std::int64_t amount) {
  if (name == kCpu) return Quantity::milli(amount);
  const bool bytes = name == kMemory || name == kStorage || name.starts_with("hugepages-");
  return Quantity::whole(amount, bytes ? Quantity::Form::BinarySi : Quantity::Form::DecimalSi);
}

}  // namespace

Resources::Resources(std::vector<Entry> entries) : entries_(std::move(entries)) {
  std::ranges::sort(entries_);
}

Resources Resources::of(const List& amounts) {
  Resources result;
  for (const k8s::ResourceAmount& amount : amounts) {
    const Quantity quantity = Quantity::parse(amount.quantity()).value_or(Quantity());
    result.set(amount.name(), amount.name() == kCpu ? quantity.to_milli() : quantity.to_whole());
  }
  return result;
}

Resources Resources::requested_by(const k8s::Pod& pod) {
  const scheduling::Resources wanted = scheduling::requests_of(pod.spec());
  Resources result;
  const auto put = [&result](std::string_view name, std::int64_t amount) {
    if (amount != 0) result.set(name, amount);
  };
  put(kCpu, wanted.milli_cpu);
  put(kMemory, wanted.memory_bytes);
  put(kStorage, wanted.ephemeral_bytes);
  constexpr std::int64_t kMilli = 1000;
  put(scheduling::kGpuResource, (wanted.milli_gpu + kMilli - 1) / kMilli);
  put(kPods, wanted.pods);
  for (const auto& [name, amount] : wanted.others) put(name, amount);
  return result;
}

Resources Resources::requested_by(std::span<const k8s::Pod* const> pods) {
  Resources result;
  for (const k8s::Pod* pod : pods) result.add(requested_by(*pod));
  return result;
}

std::int64_t Resources::get(std::string_view name) const {
  const auto at = entry_of(entries_, name);
  return at != entries_.end() && at->first == name ? at->second : 0;
}

bool Resources::has(std::string_view name) const {
  const auto at = entry_of(entries_, name);
  return at != entries_.end() && at->first == name;
}

void Resources::set(std::string_view name, std::int64_t amount) {
  const auto at = entry_of(entries_, name);
  if (at != entries_.end() && at->first == name) {
    at->second = amount;
  } else {
    entries_.emplace(at, name, amount);
  }
}

void Resources::add(const Resources& other) {
  for_each_of(entries_, other.entries_,
              [](std::int64_t& mine, std::int64_t more) { mine += more; });
}

void Resources::subtract(const Resources& other) {
  for_each_of(entries_, other.entries_,
              [](std::int64_t& mine, std::int64_t less) { mine -= less; });
}

void Resources::raise_to(const Resources& other) {
  for_each_of(entries_, other.entries_,
              [](std::int64_t& mine, std::int64_t theirs) { mine = std::max(mine, theirs); });
}

void Resources::lower_to(const Resources& other) {
  std::erase_if(entries_, [&other](const Entry& entry) { return !other.has(entry.first); });
  for (auto& [name, amount] : entries_) amount = std::min(amount, other.get(name));
}

void Resources::clamp_at_zero() {
  for (auto& [name, amount] : entries_) amount = std::max<std::int64_t>(amount, 0);
}

void Resources::fill_zeros_from(const Resources& other) {
  for_each_of(entries_, other.entries_, [](std::int64_t& mine, std::int64_t theirs) {
    if (mine == 0) mine = theirs;
  });
}

bool Resources::fits(const Resources& wanted) const {
  if (std::ranges::any_of(entries_, [](const Entry& entry) { return entry.second < 0; }))
    return false;
  return std::ranges::all_of(
      wanted.entries_, [this](const Entry& entry) { return entry.second <= get(entry.first); });
}

Resources::List Resources::to_list() const {
  List list;
  for (const auto& [name, amount] : entries_) {
    k8s::ResourceAmount& added = *list.Add();
    added.set_name(name);
    added.set_quantity(quantity_of(name, amount).to_string());
  }
  return list;
}

std::string Resources::to_string() const {
  std::string text = "{";
  for (const auto& [name, amount] : entries_) {
    if (text.size() > 1) text += ',';
    text += '"' + name + "\":\"" + quantity_of(name, amount).to_string() + '"';
  }
  return text + "}";
}

}  // namespace troupe::karpenter
