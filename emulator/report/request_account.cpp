#include "emulator/report/request_account.h"

namespace troupe {

void RequestAccount::on_fact(const FactRecord& record) {
  if (record.fact.as<facts::RequestIssued>() != nullptr) {
    ++totals_.total;
  } else if (const auto* first = record.fact.as<facts::RequestFirstToken>()) {
    ttft_.add(first->ttft_ns());
  } else if (const auto* ended = record.fact.as<facts::RequestEnded>()) {
    end(*ended);
  } else if (const auto* steps = record.fact.as<facts::StepsRun>()) {
    add_steps(*steps);
  } else if (const auto* router = record.fact.as<facts::RouterTotals>()) {
    routers_[router->service()] = *router;
  }
}

void RequestAccount::end(const facts::RequestEnded& fact) {
  switch (fact.outcome()) {
    case facts::RequestEnded::TIMED_OUT:
      ++totals_.timed_out;
      return;
    case facts::RequestEnded::REJECTED:
      ++totals_.rejected;
      return;
    case facts::RequestEnded::FAILED:
      ++totals_.failed;
      return;
    default:
      break;
  }
  ++totals_.completed;
  e2e_.add(fact.e2e_ns());
  if (!meets_slo(fact)) return;
  ++totals_.within_slo;
  GoodTokens& good = good_[fact.service()];
  good.prompt += fact.prompt_tokens();
  good.output += fact.output_tokens();
}

void RequestAccount::add_steps(const facts::StepsRun& fact) {
  for (const auto& gap : fact.gaps()) itl_.add(gap.gap_ns(), gap.tokens());
  prefix_queries_ += fact.prefix_queries();
  prefix_hits_ += fact.prefix_hits();
  preemptions_ += fact.preemptions();
}

bool RequestAccount::meets_slo(const facts::RequestEnded& fact) const {
  const auto within = [](std::int64_t value, std::int64_t objective) {
    return objective == 0 || value <= objective;
  };
  return within(fact.ttft_ns(), slo_.ttft_ns()) && within(fact.tpot_ns(), slo_.tpot_ns()) &&
         within(fact.e2e_ns(), slo_.e2e_ns());
}

}  // namespace troupe
