#include "actors/serving/shard_group.h"

#include <algorithm>

namespace troupe::serving {

bool ShardGroup::heard(const ShardReady& ready, const Address& from, SimTime now) {
  if (ready.session() != 0 && ready.session() != session_) return false;
  if (ready.group_index() == 0 || ready.group_index() >= size_) return false;
  members_[ready.group_index()] = {ready, from, now};
  return true;
}

bool ShardGroup::lost(SimTime now) const {
  return std::ranges::any_of(
      members_, [now](const auto& entry) { return now - entry.second.heard_at > kSilence; });
}

std::vector<GroupMember> ShardGroup::members() const {
  std::vector<GroupMember> result;
  for (const auto& [index, member] : members_) {
    result.push_back({member.ready.pod_uid(), member.address});
  }
  return result;
}

std::uint32_t ShardGroup::gpus() const {
  auto total = static_cast<std::uint32_t>(leader_.gpu_paths_size());
  for (const auto& [index, member] : members_) total += member.ready.gpus();
  return total;
}

bool ShardGroup::one_link_domain() const {
  return std::ranges::all_of(members_, [this](const auto& entry) {
    const ShardReady& other = entry.second.ready;
    if (other.node() == leader_.node()) return true;
    return !leader_.link_domain().empty() && other.link_domain() == leader_.link_domain();
  });
}

}  // namespace troupe::serving
