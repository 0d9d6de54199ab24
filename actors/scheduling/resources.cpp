#include "actors/scheduling/resources.h"

#include <algorithm>

namespace troupe::scheduling {
namespace {

using Other = std::pair<std::string, std::int64_t>;

auto find_other(auto& others, std::string_view name) {
  return std::lower_bound(
      others.begin(), others.end(), name,
      [](const Other& other, std::string_view key) { return other.first < key; });
}

/// The field that holds the resource of that name, or null for one of `others`.
template <class R>
auto* field_of(R& resources, std::string_view name) {
  using Field = decltype(&resources.milli_cpu);
  if (name == "cpu") return &resources.milli_cpu;
  if (name == "memory") return &resources.memory_bytes;
  if (name == kGpuResource) return &resources.milli_gpu;
  if (name == "pods") return &resources.pods;
  if (name == "ephemeral-storage") return &resources.ephemeral_bytes;
  return static_cast<Field>(nullptr);
}

bool fits_one(std::int64_t wanted, std::int64_t free) {
  return wanted <= 0 || wanted <= free;
}

}  // namespace

Resources& Resources::add(const Resources& other, int sign) {
  milli_cpu += sign * other.milli_cpu;
  memory_bytes += sign * other.memory_bytes;
  ephemeral_bytes += sign * other.ephemeral_bytes;
  milli_gpu += sign * other.milli_gpu;
  pods += sign * other.pods;
  for (const auto& [name, amount] : other.others) add_amount(name, sign * amount);
  return *this;
}

std::int64_t Resources::amount_of(std::string_view name) const {
  if (const std::int64_t* field = field_of(*this, name)) return *field;
  const auto at = find_other(others, name);
  return at != others.end() && at->first == name ? at->second : 0;
}

void Resources::add_amount(std::string_view name, std::int64_t amount) {
  if (std::int64_t* field = field_of(*this, name)) {
    *field += amount;
    return;
  }
  const auto at = find_other(others, name);
  if (at == others.end() || at->first != name) {
    if (amount != 0) others.emplace(at, std::string(name), amount);
    return;
  }
  at->second += amount;
  if (at->second == 0) others.erase(at);
}

void Resources::raise_to(const Resources& other) {
  milli_cpu = std::max(milli_cpu, other.milli_cpu);
  memory_bytes = std::max(memory_bytes, other.memory_bytes);
  ephemeral_bytes = std::max(ephemeral_bytes, other.ephemeral_bytes);
  milli_gpu = std::max(milli_gpu, other.milli_gpu);
  pods = std::max(pods, other.pods);
  for (const auto& [name, amount] : other.others) {
    const std::int64_t more = amount - amount_of(name);
    if (more > 0) add_amount(name, more);
  }
}

bool fits(const Resources& wanted, const Resources& free) {
  if (!fits_one(wanted.milli_cpu, free.milli_cpu) ||
      !fits_one(wanted.memory_bytes, free.memory_bytes) ||
      !fits_one(wanted.ephemeral_bytes, free.ephemeral_bytes) ||
      !fits_one(wanted.milli_gpu, free.milli_gpu) || !fits_one(wanted.pods, free.pods)) {
    return false;
  }
  return std::all_of(wanted.others.begin(), wanted.others.end(), [&free](const Other& other) {
    return fits_one(other.second, free.amount_of(other.first));
  });
}

Resources resources_of(const ResourceMap& list) {
  Resources resources;
  for (const k8s::ResourceAmount& one : list) {
    const Result<Quantity> quantity = Quantity::parse(one.quantity());
    if (!quantity) continue;
    const bool in_milli = one.name() == "cpu" || one.name() == kGpuResource;
    resources.add_amount(one.name(), in_milli ? quantity->to_milli() : quantity->to_whole());
  }
  return resources;
}

}  // namespace troupe::scheduling
