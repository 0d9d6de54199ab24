// The outcome of a run: what summary.json holds and the terminal shows. docs/spec/run-directory.md
// specifies the keys.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "emulator/report/cluster_account.h"
#include "emulator/report/gang_account.h"
#include "emulator/report/gpu_account.h"
#include "emulator/report/request_account.h"
#include "messages/plan.pb.h"

namespace troupe {

/// The accounts of one run, in the order in which they must observe it.
class Accounts final : public Observer {
 public:
  explicit Accounts(const plan::RunPlan& plan);

  void on_fact(const FactRecord& record) override;
  void finish(SimTime end);

  GangAccount gangs;
  GpuAccount gpus;
  RequestAccount requests;
  ClusterAccount cluster;
};

struct InvariantOutcome {
  std::uint64_t checked = 0;
  std::uint64_t violations = 0;
  std::string first;  ///< what the first violation was and when
};
struct ExpectationOutcome {
  std::string name;
  bool pass = false;
  std::string observed;
  std::string expected;
};
/// What a live run shows beside its facts.
struct LiveFacts {
  struct Lateness {
    std::int64_t p50_ns = 0;
    std::int64_t p99_ns = 0;
    std::optional<std::int64_t> tolerable_ns = std::nullopt;  ///< a tenth of the median latency
  };
  double speed = 0;  ///< virtual seconds in a second, at the end
  std::map<std::string, Lateness> lateness;
  std::uint64_t worker_deaths = 0;
  std::uint64_t store_transactions = 0;
};
struct RunFacts {
  std::string digest;
  double wall_seconds = 0;
  std::uint64_t messages_delivered = 0;
  std::uint64_t defects = 0;
  SimTime end{};             ///< how far it came
  bool interrupted = false;  ///< it was ended from outside before its time
  std::uint32_t processes = 1;
  std::int64_t lookahead_ns = 0;  ///< of several processes; 0: no message crosses
  std::uint64_t windows = 0;
  std::optional<LiveFacts> live;
  /// Of several processes: what they did not let in.
  std::map<std::string, std::uint64_t> refused_frames;  ///< by why
  std::uint64_t refused_peers = 0;
};

struct Summary {
  plan::RunPlan plan;  ///< without its hosts
  RunFacts run;
  std::map<std::string, InvariantOutcome> invariants;
  std::vector<ExpectationOutcome> expectations;
  [[nodiscard]] nlohmann::json to_json(const Accounts& accounts) const;
};

/// 100 x share within SLO x (good tokens at their best price in GPU-seconds) / serving GPU-seconds
/// provisioned, at most 100; nothing without requests or rates.
[[nodiscard]] std::optional<double> score_of(const plan::RunPlan& plan, const Accounts& accounts);

}  // namespace troupe
