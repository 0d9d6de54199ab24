// What became of each request, as its client saw it, and how long it took.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/report/percentiles.h"
#include "emulator/runtime/observer.h"
#include "messages/facts.pb.h"
#include "messages/plan.pb.h"

namespace troupe {

struct RequestTotals {
  std::uint64_t total = 0;
  std::uint64_t completed = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;
  std::uint64_t within_slo = 0;
  /// Open at the end of the run.
  [[nodiscard]] std::uint64_t unfinished() const {
    return total - completed - timed_out - rejected - failed;
  }
  [[nodiscard]] std::uint64_t unserved() const { return total - completed; }
};

/// Tokens of the requests that met every objective, by service: what the score counts.
struct GoodTokens {
  std::uint64_t prompt = 0;
  std::uint64_t output = 0;
};

class RequestAccount final : public Observer {
 public:
  explicit RequestAccount(const plan::Slo& slo) : slo_(slo) {}

  void on_fact(const FactRecord& record) override;

  [[nodiscard]] const RequestTotals& totals() const { return totals_; }
  [[nodiscard]] const std::map<std::string, GoodTokens>& good_tokens() const { return good_; }
  /// Time to first token of every request that got one, in ns.
  [[nodiscard]] const Samples& ttft() const { return ttft_; }
  /// End to end, of completed requests, in ns.
  [[nodiscard]] const Samples& e2e() const { return e2e_; }
  /// Gaps between output tokens, token-weighted, as the engines saw them, in ns.
  [[nodiscard]] const WeightedSamples& itl() const { return itl_; }
  /// The last word of each router, by service.
  [[nodiscard]] const std::map<std::string, facts::RouterTotals>& routers() const {
    return routers_;
  }
  [[nodiscard]] std::uint64_t prefix_queries() const { return prefix_queries_; }
  [[nodiscard]] std::uint64_t prefix_hits() const { return prefix_hits_; }
  [[nodiscard]] std::uint64_t preemptions() const { return preemptions_; }

 private:
  void end(const facts::RequestEnded& fact);
  void add_steps(const facts::StepsRun& fact);
  [[nodiscard]] bool meets_slo(const facts::RequestEnded& fact) const;

  plan::Slo slo_;
  RequestTotals totals_;
  std::map<std::string, GoodTokens> good_;
  Samples ttft_;
  Samples e2e_;
  WeightedSamples itl_;
  std::map<std::string, facts::RouterTotals> routers_;
  std::uint64_t prefix_queries_ = 0;
  std::uint64_t prefix_hits_ = 0;
  std::uint64_t preemptions_ = 0;
};

}  // namespace troupe
