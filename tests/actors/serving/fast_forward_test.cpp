// An engine that fast-forwards and one that steps one by one are the same engine: same outputs at
// the same nanosecond, same counters and gauges whenever somebody looks, under arrivals,
// cancellations, preemptions, prefix hits and chunked prefills.
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "messages/hash.h"
#include "tests/actors/serving/engine_cases.h"

namespace troupe::serving {
namespace {

using Output =
    std::tuple<std::int64_t, EngineOutput::Kind, std::uint64_t, std::int64_t, std::int64_t>;

struct Situation {
  const char* name;
  std::uint32_t blocks;
  SchedulerLimits limits;
  std::int64_t mean_gap_us;  // between arrivals
  std::int64_t longest_prompt;
  std::int64_t longest_output;
  /// Every step takes 10 ms, and everything happens at multiples of 5 ms.
  bool on_boundaries = false;
};

struct Observed {
  std::vector<Output> outputs;
  std::vector<std::uint64_t> looks;  // gauges and counters at each look
  std::uint64_t events = 0;
};

class Driver {
 public:
  Driver(const Situation& situation, std::uint64_t seed, bool one_by_one)
      : situation_(situation), seed_(seed), engine_(config(one_by_one)) {}

  Observed run(int actions) {
    for (int i = 0; i < actions; ++i) {
      const std::uint64_t draw = mix(seed_, static_cast<std::uint64_t>(i));
      auto pause = static_cast<std::int64_t>(draw % 2000) * situation_.mean_gap_us;
      if (situation_.on_boundaries) pause -= pause % (5 * kMs);
      advance(now_ + pause);
      act(mix(draw, 1), static_cast<std::uint64_t>(i));
    }
    advance(now_ + 36'000'000 * kMs);
    look();
    return std::move(observed_);
  }

 private:
  EngineConfig config(bool one_by_one) const {
    EngineConfig result;
    result.cache.num_blocks = situation_.blocks + 1;
    result.limits = situation_.limits;
    result.max_model_len = 20'000;
    result.costs = {.base_fs = 7'123'456'789'011,
                    .prefill_token_fs = 14'156'388'689,
                    .prefill_square_fs = 462'322,
                    .prefill_sequence_fs = 27'880'000'001,
                    .decode_sequence_fs = 38'509'628'635,
                    .decode_kv_token_fs = 29'317'931,
                    .experts_fs = {},
                    .frontend_ns = 5'671'900};
    if (situation_.on_boundaries) {
      result.costs = {};
      result.costs.base_fs = 10 * kMs * kFsPerNs;
    }
    if (one_by_one) result.limits.max_identical_steps = 1;
    return result;
  }

  void act(std::uint64_t draw, std::uint64_t index) {
    const auto kind = draw % 10;
    if (kind < 7) {
      EngineRequest request;
      request.id = index;
      request.prompt_tokens =
          1 + static_cast<std::int64_t>(mix(draw, 2) %
                                        static_cast<std::uint64_t>(situation_.longest_prompt));
      request.output_tokens =
          1 + static_cast<std::int64_t>(mix(draw, 3) %
                                        static_cast<std::uint64_t>(situation_.longest_output));
      const std::int64_t shared =
          request.prompt_tokens * static_cast<std::int64_t>(mix(draw, 4) % 4) / 3;
      request.prompt = {{1 + mix(draw, 5) % 3, shared}};
      if (engine_.submit(from_ns(now_), request)) issued_.push_back(index);
    } else if (kind < 8 && !issued_.empty()) {
      engine_.cancel(from_ns(now_), issued_[mix(draw, 6) % issued_.size()]);
    } else {
      look();
    }
  }

  void advance(std::int64_t until) {
    std::vector<EngineOutput> out;
    for (auto next = engine_.next_event(); next && to_ns(*next) < until;
         next = engine_.next_event()) {
      out.clear();
      engine_.advance(*next, out);
      ++observed_.events;
      for (const auto& one : out) {
        observed_.outputs.emplace_back(to_ns(*next), one.kind, one.id, one.output_tokens,
                                       one.cached_tokens);
      }
    }
    now_ = until;
  }

  void look() {
    engine_.settle(from_ns(now_));
    const EngineStats& stats = engine_.stats();
    for (const std::uint64_t value :
         {static_cast<std::uint64_t>(now_), engine_.num_requests_running(),
          engine_.num_requests_waiting(from_ns(now_)),
          static_cast<std::uint64_t>(engine_.cache().pool().used()), stats.steps,
          stats.prompt_tokens, stats.generation_tokens, stats.finished_stop, stats.finished_abort,
          engine_.scheduler().preemptions(), engine_.scheduler().prefix_stats().queries,
          engine_.scheduler().prefix_stats().hits,
          static_cast<std::uint64_t>(engine_.busy_time(from_ns(now_)).count())}) {
      observed_.looks.push_back(value);
    }
    for (const TimeHistogram* histogram :
         {&stats.ttft, &stats.inter_token, &stats.e2e, &stats.queue}) {
      observed_.looks.insert(observed_.looks.end(), histogram->counts().begin(),
                             histogram->counts().end());
      observed_.looks.push_back(static_cast<std::uint64_t>(histogram->sum_seconds() * 1e6));
    }
    const GapHistogram gaps = engine_.take_gaps();
    for (const auto& [bucket, tokens] : gaps.counts()) {
      observed_.looks.push_back(mix(bucket, tokens));
    }
  }

  Situation situation_;
  std::uint64_t seed_;
  Engine engine_;
  std::int64_t now_ = 0;
  std::vector<std::uint64_t> issued_;
  Observed observed_;
};

class FastForward : public ::testing::TestWithParam<Situation> {};

TEST_P(FastForward, GivesTheSameResultAsSteppingOneByOne) {
  std::uint64_t fast_events = 0;
  std::uint64_t single_events = 0;
  std::uint64_t outputs = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Observed fast = Driver(GetParam(), seed, false).run(150);
    const Observed single = Driver(GetParam(), seed, true).run(150);
    ASSERT_EQ(fast.outputs, single.outputs) << "seed " << seed;
    ASSERT_EQ(fast.looks, single.looks) << "seed " << seed;
    fast_events += fast.events;
    single_events += single.events;
    outputs += fast.outputs.size();
  }
  EXPECT_GT(outputs, 1000u);
  EXPECT_LT(fast_events, single_events);
  RecordProperty("events_fast", static_cast<int>(fast_events));
  RecordProperty("events_one_by_one", static_cast<int>(single_events));
}

constexpr SchedulerLimits kFewSeats = {.max_num_seqs = 3};
constexpr SchedulerLimits kSmallBudget = {.max_num_batched_tokens = 64, .max_num_seqs = 96};
constexpr SchedulerLimits kFairPrefills = {.max_num_batched_tokens = 512,
                                           .long_prefill_token_threshold = 100};
constexpr Situation kSituations[] = {
    {"idle_at_times", 10'000, {}, 300'000, 2'000, 300},
    {"many_at_once", 60'000, {}, 2'000, 2'000, 400},
    {"short_of_blocks", 300, {}, 40'000, 1'500, 300},
    {"very_short_of_blocks", 150, {}, 10'000, 700, 400},
    {"short_of_seats", 10'000, kFewSeats, 200'000, 1'000, 200},
    {"short_of_budget", 3'000, kSmallBudget, 20'000, 800, 200},
    {"fair_prefills", 2'000, kFairPrefills, 50'000, 3'000, 100},
    {"all_on_boundaries", 400, {}, 50'000, 1'000, 100, true},
};

INSTANTIATE_TEST_SUITE_P(Situations, FastForward, ::testing::ValuesIn(kSituations),
                         [](const auto& situation) { return std::string(situation.param.name); });

}  // namespace
}  // namespace troupe::serving
