// Which gangs are complete, and for how long some were neither whole nor absent.
//
// A gang is declared by the workload (PodGroup, LeaderWorkerSet, or the scenario's `gangs:`),
// whichever scheduler runs; it is complete while the minimum of every sub-group is running or
// loading. A pod that several declare is counted in one gang: the scenario's before its
// LeaderWorkerSet's before the PodGroup's, so that the accounts of two schedulers compare.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "emulator/runtime/observer.h"
#include "messages/facts.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/plan.pb.h"

namespace troupe {

class GangAccount final : public Observer {
 public:
  explicit GangAccount(std::vector<plan::GangPlan> declared = {});

  void on_fact(const FactRecord& record) override;
  void finish(SimTime end);

  /// Whether the pod belongs to a gang that is not complete.
  [[nodiscard]] bool incomplete(const std::string& uid) const;
  /// The pods whose answer to incomplete() changed with the last fact.
  [[nodiscard]] const std::vector<std::string>& changed() const { return changed_; }

  /// Gangs that were complete at least once.
  [[nodiscard]] std::uint64_t admitted() const { return admitted_; }
  /// Gangs that have members and are not complete now.
  [[nodiscard]] std::uint64_t waiting() const;
  /// Time that gangs spent with some members and fewer than the minimum.
  [[nodiscard]] Duration partial() const { return partial_; }

 private:
  struct Gang {
    std::map<std::string, std::uint32_t> minimum;          ///< by sub-group
    std::map<std::string, std::set<std::string>> present;  ///< running or loading, by sub-group
    std::set<std::string> members;
    bool complete = false;
    bool ever_complete = false;
    SimTime since{};
  };
  struct Member {
    std::string gang;
    std::string sub_group;
    int rank = 0;  ///< of who declared it
  };

  void declare(SimTime now, const facts::GangDeclared& fact);
  void join(SimTime now, const facts::GangMember& fact);
  void part(SimTime now, const std::string& uid);
  void dissolve(SimTime now, const std::string& name);
  void join_by_labels(SimTime now, const k8s::Pod& pod);
  void arrive(SimTime now, const std::string& uid);
  void leave(SimTime now, const std::string& uid);
  void settle(SimTime now, Gang& gang);
  [[nodiscard]] static bool is_partial(const Gang& gang);

  std::vector<plan::GangPlan> declared_;
  std::map<std::string, Gang> gangs_;
  std::map<std::string, Member> members_;  ///< by pod uid
  std::set<std::string> present_;          ///< pods that run or load
  std::vector<std::string> changed_;
  std::uint64_t admitted_ = 0;
  Duration partial_{0};
};

}  // namespace troupe
