#include "actors/load/open_request.h"

namespace troupe::load {

facts::RequestEnded describe_end(const OpenRequest& request, const Ending& ending, SimTime now) {
  const std::int64_t e2e_ns = (now - request.issued_at).count();
  const bool completed = ending.outcome == facts::RequestEnded::COMPLETED;
  const std::int64_t ttft_ns =
      request.first_token_at ? (*request.first_token_at - request.issued_at).count() : 0;
  facts::RequestEnded fact;
  fact.set_outcome(ending.outcome);
  fact.set_reason(ending.reason);
  fact.set_e2e_ns(e2e_ns);
  fact.set_ttft_ns(ttft_ns);
  fact.set_prompt_tokens(request.shape.prompt_tokens);
  fact.set_output_tokens(ending.output_tokens);
  if (completed && ending.output_tokens > 1) {
    fact.set_tpot_ns((e2e_ns - ttft_ns) / (std::int64_t{ending.output_tokens} - 1));
  }
  return fact;
}

}  // namespace troupe::load
