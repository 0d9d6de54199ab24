#include "actors/load/problem.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "messages/sim_time.h"

namespace troupe::load {
namespace {

using Problem = std::optional<std::string>;

constexpr std::uint32_t kRetriesMax = 255;            // an attempt's number has eight bits
constexpr std::int64_t kRateMax = 1'000'000'000'000;  // a million requests a second, in millionths
constexpr std::int64_t kTimeMax = Duration{std::chrono::hours(24 * 3652)}.count();  // ten years
constexpr std::int64_t kPeriodMin = Duration{std::chrono::seconds(1)}.count();
constexpr std::uint32_t kUsersMax = 1'000'000;

bool is_time(std::int64_t ns) {
  return ns >= 0 && ns <= kTimeMax;
}
bool is_rate(std::int64_t rate) {
  return rate >= 0 && rate <= kRateMax;
}

Problem problem_of(const Tokens& tokens) {
  if (tokens.shape() != Tokens::EMPIRICAL) return std::nullopt;
  const auto& points = tokens.probability_ppm();
  if (points.size() != tokens.quantile_size()) return "each probability needs its quantile";
  if (points.size() < 2) return "an empirical distribution needs two points";
  if (!std::is_sorted(points.begin(), points.end())) return "probabilities must rise";
  if (points[0] != 0 || points[points.size() - 1] != 1'000'000)
    return "probabilities must go from 0 to 1";
  const auto& quantiles = tokens.quantile();
  if (!std::is_sorted(quantiles.begin(), quantiles.end())) return "quantiles must not fall";
  return std::nullopt;
}

Problem problem_of(const Phases& phases) {
  std::int64_t whole = 0;
  for (int i = 0; i < phases.phases_size(); ++i) {
    const Phases::Phase& phase = phases.phases(i);
    const bool may_last = i + 1 == phases.phases_size() && !phases.repeat();
    if (!is_rate(phase.rate_micro_per_s()))
      return "a rate must lie between 0 and a million a second";
    if (!is_time(phase.for_ns())) return "a phase must last between 0 and ten years";
    if (phase.for_ns() == 0 && !may_last)
      return "only a last phase that is not repeated may go on for ever";
    whole += phase.for_ns();
    if (!is_time(whole)) return "the phases together must last ten years at most";
  }
  return std::nullopt;
}

Problem problem_of(const Diurnal& diurnal) {
  if (!is_rate(diurnal.mean_micro_per_s()))
    return "a rate must lie between 0 and a million a second";
  if (diurnal.amplitude_permille() > 1000) return "the amplitude is a share of the mean, at most 1";
  const bool has_period = diurnal.period_ns() != 0;
  if (has_period && (diurnal.period_ns() < kPeriodMin || diurnal.period_ns() > kTimeMax)) {
    return "a period must last between a second and ten years";
  }
  if (!is_time(diurnal.peak_ns())) return "the peak must come between 0 and ten years";
  return std::nullopt;
}

Problem problem_of(const Arrivals& arrivals) {
  switch (arrivals.shape_case()) {
    case Arrivals::kPhases:
      return problem_of(arrivals.phases());
    case Arrivals::kDiurnal:
      return problem_of(arrivals.diurnal());
    case Arrivals::kClosedLoop: {
      const ClosedLoop& loop = arrivals.closed_loop();
      if (loop.users() < 1 || loop.users() > kUsersMax)
        return "a closed loop has 1 to 1000000 users";
      if (!is_time(loop.ramp_ns())) return "the ramp must last between 0 and ten years";
      return std::nullopt;
    }
    default:
      return "a generator needs arrivals";
  }
}

Problem problem_of(const Generator& generator) {
  if (!is_time(generator.start_ns()) || !is_time(generator.duration_ns())) {
    return "start and duration must lie between 0 and ten years";
  }
  if (auto problem = problem_of(generator.arrivals())) return problem;
  if (auto problem = problem_of(generator.lengths().prompt())) return problem;
  if (auto problem = problem_of(generator.lengths().output())) return problem;
  for (const Lengths::OutputGivenPrompt& given : generator.lengths().output_given_prompt()) {
    if (auto problem = problem_of(given.output())) return problem;
  }
  return std::nullopt;
}

Problem problem_of(const Trace& trace) {
  const int requests = trace.gap_ns_size();
  if (trace.prompt_tokens_size() != requests || trace.output_tokens_size() != requests) {
    return "each request of a trace needs its prompt and its output";
  }
  std::int64_t now = trace.start_ns();
  if (!is_time(now)) return "a trace must start between 0 and ten years";
  for (const std::int64_t gap_ns : trace.gap_ns()) {
    if (!is_time(gap_ns)) return "a trace must not run backwards";
    now += gap_ns;
    if (!is_time(now)) return "a trace must end within ten years";
  }
  if (trace.block_count_size() == 0) return std::nullopt;
  if (trace.block_count_size() != requests)
    return "each request of a trace needs its number of blocks";
  if (trace.block_tokens() == 0) return "a block must hold tokens";
  std::int64_t blocks = 0;
  for (const std::uint32_t count : trace.block_count()) blocks += count;
  if (blocks != trace.blocks_size()) return "the numbers of blocks must add up to the blocks";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> problem_of(const LoadConfig& config) {
  if (config.retry().retries() > kRetriesMax) return "a client asks again at most 255 times";
  if (!is_time(config.timeout_ns())) return "a timeout must lie between 0 and ten years";
  if (config.has_trace()) return problem_of(config.trace());
  if (config.has_generator()) return problem_of(config.generator());
  return "a load needs a trace or a generator";
}

}  // namespace troupe::load
