#include "emulator/config/generator_plan.h"

#include <algorithm>
#include <cmath>

#include "emulator/config/values.h"

namespace troupe::config {
namespace {

constexpr double kMillion = 1e6;
constexpr std::uint32_t kTokensMax = 10'000'000;

std::uint32_t to_ppm(double share) {
  return static_cast<std::uint32_t>(std::lround(share * kMillion));
}

bool is_share(double value) {
  return value >= 0 && value <= 1;
}

void plan_quantiles(const Tokens& spec, const std::string& path, load::Tokens& tokens,
                    Problems& problems) {
  tokens.set_shape(load::Tokens::EMPIRICAL);
  double last = -1;
  for (const Tokens::Quantile& quantile : spec.quantiles()) {
    if (!is_share(quantile.at()) || quantile.at() <= last) {
      return problems.add(path + ".quantiles", "expected `at` to rise from 0 to 1");
    }
    last = quantile.at();
    tokens.add_probability_ppm(to_ppm(quantile.at()));
    tokens.add_quantile(quantile.tokens());
  }
  if (tokens.probability_ppm(0) != 0 || last < 1) {
    problems.add(path + ".quantiles", "expected the first at 0 and the last at 1");
  }
}

load::Tokens plan_tokens(const Tokens& spec, const std::string& path, Problems& problems) {
  load::Tokens tokens;
  const bool uniform = spec.from() != 0 || spec.to() != 0;
  const bool spread = spec.median() != 0 || spec.p90() != 0;
  const int shapes = static_cast<int>(spec.constant() != 0) + static_cast<int>(uniform) +
                     static_cast<int>(spread) + static_cast<int>(!spec.quantiles().empty());
  if (shapes != 1) {
    problems.add(
        path,
        "expected exactly one of `constant`, `from` and `to`, `median` and `p90`, `quantiles`");
    return tokens;
  }
  if (spec.constant() != 0) {
    tokens.set_a(spec.constant());
  } else if (!spec.quantiles().empty()) {
    plan_quantiles(spec, path, tokens, problems);
  } else {
    tokens.set_shape(uniform ? load::Tokens::UNIFORM : load::Tokens::LOGNORMAL);
    tokens.set_a(uniform ? spec.from() : spec.median());
    tokens.set_b(uniform ? spec.to() : spec.p90());
    if (tokens.a() == 0 || tokens.b() < tokens.a()) {
      problems.add(path, "expected two numbers above zero, the second not smaller");
    }
  }
  tokens.set_minimum(spec.minimum());
  tokens.set_maximum(spec.maximum());
  if (std::max({tokens.a(), tokens.b(), tokens.maximum()}) > kTokensMax) {
    problems.add(path, "expected at most 10000000 tokens");
  }
  return tokens;
}

void plan_phases(const Arrivals& spec, const std::string& path, load::Arrivals& arrivals,
                 Problems& problems) {
  load::Phases& phases = *arrivals.mutable_phases();
  phases.set_repeat(spec.repeat());
  if (!spec.rate().empty()) {
    phases.add_phases()->set_rate_micro_per_s(micro_rate(spec.rate()));
    return;
  }
  for (int i = 0; i < spec.phases_size(); ++i) {
    load::Phases::Phase& phase = *phases.add_phases();
    phase.set_rate_micro_per_s(micro_rate(spec.phases(i).rate()));
    phase.set_for_ns(duration_or(spec.phases(i).for_(), Duration::zero()).count());
    const bool is_last = i + 1 == spec.phases_size();
    if (phase.for_ns() <= 0 && (!is_last || spec.repeat())) {
      problems.add(path + ".phases[" + std::to_string(i) + "].for",
                   "expected a length above zero: only the last of phases that do not repeat may "
                   "go on for ever");
    }
  }
}

load::Arrivals plan_arrivals(const Arrivals& spec, const std::string& path, Problems& problems) {
  load::Arrivals arrivals;
  const int shapes =
      static_cast<int>(!spec.rate().empty()) + static_cast<int>(!spec.phases().empty()) +
      static_cast<int>(spec.has_diurnal()) + static_cast<int>(spec.has_closed_loop());
  if (shapes != 1) {
    problems.add(path, "expected exactly one of `rate`, `phases`, `diurnal`, `closedLoop`");
    return arrivals;
  }
  if (spec.process() == "constant") arrivals.set_process(load::Arrivals::CONSTANT);
  if (spec.has_diurnal()) {
    load::Diurnal& diurnal = *arrivals.mutable_diurnal();
    diurnal.set_mean_micro_per_s(micro_rate(spec.diurnal().mean()));
    if (!is_share(spec.diurnal().amplitude())) {
      problems.add(path + ".diurnal.amplitude", "expected a share from 0 to 1");
    }
    diurnal.set_amplitude_permille(
        static_cast<std::uint32_t>(std::lround(spec.diurnal().amplitude() * 1000)));
    diurnal.set_period_ns(duration_or(spec.diurnal().period(), Duration::zero()).count());
    diurnal.set_peak_ns(duration_or(spec.diurnal().peak(), Duration::zero()).count());
  } else if (spec.has_closed_loop()) {
    load::ClosedLoop& loop = *arrivals.mutable_closed_loop();
    loop.set_users(spec.closed_loop().users());
    *loop.mutable_think() =
        distribution(spec.closed_loop().think(), path + ".closedLoop.think", problems);
    loop.set_ramp_ns(duration_or(spec.closed_loop().ramp(), Duration::zero()).count());
  } else {
    plan_phases(spec, path, arrivals, problems);
  }
  return arrivals;
}

}  // namespace

load::Generator plan_generator(const Generator& spec, const std::string& path, Problems& problems) {
  load::Generator generator;
  *generator.mutable_arrivals() = plan_arrivals(spec.arrivals(), path + ".arrivals", problems);
  load::Lengths& lengths = *generator.mutable_lengths();
  *lengths.mutable_prompt() = plan_tokens(spec.prompt_tokens(), path + ".promptTokens", problems);
  *lengths.mutable_output() = plan_tokens(spec.output_tokens(), path + ".outputTokens", problems);
  for (int i = 0; i < spec.output_given_prompt_size(); ++i) {
    const std::string entry = path + ".outputGivenPrompt[" + std::to_string(i) + "]";
    auto& given = *lengths.add_output_given_prompt();
    given.set_prompt_max(spec.output_given_prompt(i).prompt_max());
    *given.mutable_output() =
        plan_tokens(spec.output_given_prompt(i).output_tokens(), entry + ".outputTokens", problems);
  }
  if (spec.has_prefixes()) {
    if (!is_share(spec.prefixes().share())) {
      problems.add(path + ".prefixes.share", "expected a share from 0 to 1");
    }
    load::Prefixes& prefixes = *generator.mutable_prefixes();
    prefixes.set_count(spec.prefixes().count());
    prefixes.set_tokens(spec.prefixes().tokens());
    prefixes.set_share_ppm(to_ppm(spec.prefixes().share()));
    prefixes.set_pool(spec.prefixes().pool());
  }
  generator.set_duration_ns(duration_or(spec.duration(), Duration::zero()).count());
  generator.set_requests_max(spec.requests());
  return generator;
}

double mean_tokens(const Tokens& tokens) {
  if (tokens.constant() != 0) return tokens.constant();
  if (tokens.from() != 0) return (tokens.from() + tokens.to()) / 2.0;
  if (tokens.median() != 0) {
    // A log-normal's 90th percentile lies 1.2816 standard deviations above its median.
    const double sigma = std::log(static_cast<double>(tokens.p90()) / tokens.median()) / 1.2816;
    return tokens.median() * std::exp(sigma * sigma / 2);
  }
  double mean = 0;
  for (int i = 1; i < tokens.quantiles_size(); ++i) {
    const auto& low = tokens.quantiles(i - 1);
    const auto& high = tokens.quantiles(i);
    mean += (high.at() - low.at()) * (low.tokens() + high.tokens()) / 2.0;
  }
  return mean;
}

}  // namespace troupe::config
