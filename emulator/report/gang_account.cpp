#include "emulator/report/gang_account.h"

#include <algorithm>

namespace troupe {
namespace {

constexpr const char* kByScenario = "scenario";

int rank_of(const std::string& by) {
  if (by == kByScenario) return 2;
  return by == "LeaderWorkerSet" ? 1 : 0;
}

}  // namespace

GangAccount::GangAccount(std::vector<plan::GangPlan> declared) : declared_(std::move(declared)) {
  for (const plan::GangPlan& gang : declared_) gangs_[gang.gang()].minimum[""] = gang.minimum();
}

void GangAccount::on_fact(const FactRecord& record) {
  const SimTime now = record.key.time;
  changed_.clear();
  if (const auto* declared = record.fact.as<facts::GangDeclared>()) return declare(now, *declared);
  if (const auto* member = record.fact.as<facts::GangMember>()) return join(now, *member);
  if (const auto* given = record.fact.as<facts::DevicesAssigned>())
    return arrive(now, given->uid());
  if (const auto* started = record.fact.as<facts::PodStarted>()) return arrive(now, started->uid());
  if (const auto* taken = record.fact.as<facts::DevicesReleased>()) return leave(now, taken->uid());
  if (const auto* ended = record.fact.as<facts::PodFinished>()) return leave(now, ended->uid());
  if (const auto* going = record.fact.as<facts::PodDeletionRequested>()) {
    return leave(now, going->uid());
  }
  if (const auto* gone = record.fact.as<facts::PodDeleted>()) {
    leave(now, gone->uid());
    return part(now, gone->uid());
  }
  if (const auto* gone = record.fact.as<facts::GangDissolved>()) return dissolve(now, gone->gang());
  const auto* committed = record.fact.as<facts::ObjectCommitted>();
  if (declared_.empty() || committed == nullptr || !committed->created()) return;
  if (record.fact.attachments().empty()) return;
  const auto* pod = record.fact.attachments().front().as<k8s::Pod>();
  if (pod != nullptr) join_by_labels(now, *pod);
}

void GangAccount::finish(SimTime end) {
  changed_.clear();
  for (auto& [name, gang] : gangs_) settle(end, gang);
}

bool GangAccount::incomplete(const std::string& uid) const {
  const auto member = members_.find(uid);
  return member != members_.end() && !gangs_.at(member->second.gang).complete;
}

std::uint64_t GangAccount::waiting() const {
  return static_cast<std::uint64_t>(std::count_if(gangs_.begin(), gangs_.end(), [](const auto& g) {
    return !g.second.complete && !g.second.members.empty();
  }));
}

void GangAccount::declare(SimTime now, const facts::GangDeclared& fact) {
  const auto [entry, is_new] = gangs_.try_emplace(fact.gang());
  // The scenario's word stands; so does the first declaration of two.
  if (!is_new && !entry->second.minimum.empty()) return;
  for (const auto& sub_group : fact.sub_groups()) {
    entry->second.minimum[sub_group.name()] = sub_group.minimum();
  }
  settle(now, entry->second);
}

void GangAccount::join(SimTime now, const facts::GangMember& fact) {
  const int rank = rank_of(fact.by());
  const auto known = members_.find(fact.uid());
  if (known != members_.end()) {
    if (known->second.rank >= rank) return;
    part(now, fact.uid());
  }
  members_[fact.uid()] = {fact.gang(), fact.sub_group(), rank};
  Gang& gang = gangs_[fact.gang()];
  settle(now, gang);
  gang.members.insert(fact.uid());
  if (present_.contains(fact.uid())) gang.present[fact.sub_group()].insert(fact.uid());
  if (!gang.complete) changed_.push_back(fact.uid());
  settle(now, gang);
}

// The pod is no member of any gang any more.
void GangAccount::part(SimTime now, const std::string& uid) {
  const auto member = members_.find(uid);
  if (member == members_.end()) return;
  Gang& gang = gangs_.at(member->second.gang);
  settle(now, gang);
  gang.members.erase(uid);
  gang.present[member->second.sub_group].erase(uid);
  if (!gang.complete) changed_.push_back(uid);
  members_.erase(member);
  settle(now, gang);
}

// Its workload does without it from now on; one of the same name may come later and is another.
void GangAccount::dissolve(SimTime now, const std::string& name) {
  const auto found = gangs_.find(name);
  if (found == gangs_.end()) return;
  const std::set<std::string> members = found->second.members;
  for (const std::string& uid : members) part(now, uid);
  gangs_.erase(name);
}

void GangAccount::join_by_labels(SimTime now, const k8s::Pod& pod) {
  const auto has = [&pod](const config::KeyValue& wanted) {
    const auto& labels = pod.metadata().labels();
    return std::any_of(labels.begin(), labels.end(), [&wanted](const auto& label) {
      return label.key() == wanted.key() && label.value() == wanted.value();
    });
  };
  for (const plan::GangPlan& gang : declared_) {
    const bool matches = pod.metadata().namespace_() == gang.namespace_() &&
                         std::all_of(gang.match().begin(), gang.match().end(), has);
    if (!matches) continue;
    facts::GangMember member;
    member.set_gang(gang.gang());
    member.set_uid(pod.metadata().uid());
    member.set_by(kByScenario);
    return join(now, member);
  }
}

void GangAccount::arrive(SimTime now, const std::string& uid) {
  if (!present_.insert(uid).second) return;
  const auto member = members_.find(uid);
  if (member == members_.end()) return;
  Gang& gang = gangs_.at(member->second.gang);
  settle(now, gang);
  gang.present[member->second.sub_group].insert(uid);
  settle(now, gang);
}

void GangAccount::leave(SimTime now, const std::string& uid) {
  if (present_.erase(uid) == 0) return;
  const auto member = members_.find(uid);
  if (member == members_.end()) return;
  Gang& gang = gangs_.at(member->second.gang);
  settle(now, gang);
  gang.present[member->second.sub_group].erase(uid);
  settle(now, gang);
}

// Accounts for the time since the last change and recomputes what hangs on the members present.
void GangAccount::settle(SimTime now, Gang& gang) {
  if (is_partial(gang)) partial_ += now - gang.since;
  gang.since = now;
  const bool complete =
      !gang.minimum.empty() &&
      std::all_of(gang.minimum.begin(), gang.minimum.end(), [&gang](const auto& wanted) {
        const auto present = gang.present.find(wanted.first);
        return present != gang.present.end() && present->second.size() >= wanted.second;
      });
  if (complete == gang.complete) return;
  gang.complete = complete;
  changed_.insert(changed_.end(), gang.members.begin(), gang.members.end());
  if (complete && !gang.ever_complete) {
    gang.ever_complete = true;
    ++admitted_;
  }
}

bool GangAccount::is_partial(const Gang& gang) {
  if (gang.complete) return false;
  return std::any_of(gang.present.begin(), gang.present.end(),
                     [](const auto& sub_group) { return !sub_group.second.empty(); });
}

}  // namespace troupe
