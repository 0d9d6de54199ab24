#include "emulator/conformance/engine_unit.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "actors/serving/engine.h"
#include "emulator/config/values.h"

namespace troupe::conformance {
namespace {

using config::duration_or;
using std::chrono::milliseconds;
using std::chrono::seconds;

// vLLM V1's defaults on a large GPU (vllm/engine/arg_utils.py), and a cache that nothing fills.
constexpr std::uint32_t kBlocks = 1001;
constexpr std::uint32_t kBlockSize = 16;
constexpr std::uint32_t kMaxNumSeqs = 1024;
constexpr std::uint32_t kMaxNumBatchedTokens = 8192;
constexpr std::uint32_t kMaxModelLen = 131'072;

constexpr Duration kStepTime = milliseconds(10);
// A case is read by people and stepped one by one; whatever is larger is a slip.
constexpr int kRequestsMax = 1000;
constexpr std::uint64_t kTokensMax = 1'000'000;

serving::EngineConfig config_of(const config::EngineUnitInput& input) {
  const config::EngineLimits& limits = input.engine();
  serving::EngineConfig config;
  config.costs.base_fs = duration_or(input.step_time(), kStepTime).count() * serving::kFsPerNs;
  config.cache.num_blocks = limits.has_num_gpu_blocks() ? limits.num_gpu_blocks() : kBlocks;
  config.cache.block_size = limits.has_block_size() ? limits.block_size() : kBlockSize;
  config.cache.prefix_caching =
      !limits.has_enable_prefix_caching() || limits.enable_prefix_caching();
  config.limits.max_num_seqs = limits.has_max_num_seqs() ? limits.max_num_seqs() : kMaxNumSeqs;
  config.limits.max_num_batched_tokens =
      limits.has_max_num_batched_tokens() ? limits.max_num_batched_tokens() : kMaxNumBatchedTokens;
  config.limits.long_prefill_token_threshold = limits.long_prefill_token_threshold();
  config.limits.max_identical_steps = 1;  // every step is looked at
  config.max_model_len = limits.has_max_model_len() ? limits.max_model_len() : kMaxModelLen;
  return config;
}

const char* name_of(serving::RequestStatus status) {
  switch (status) {
    case serving::RequestStatus::Waiting:
      return "Waiting";
    case serving::RequestStatus::Running:
      return "Running";
    case serving::RequestStatus::Preempted:
      return "Preempted";
    case serving::RequestStatus::Finished:
      return "Finished";
  }
  return "";
}

constexpr std::string_view kUnfinished = "Unfinished";

// What the client of a request sees of it.
struct Client {
  std::string_view status = kUnfinished;
  SimTime sent{};
  std::optional<SimTime> first_token;
  SimTime last_token{};
  Duration longest_gap{};
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;

  void take(std::int64_t tokens, SimTime now) {
    if (tokens == output_tokens) return;
    if (first_token) longest_gap = std::max(longest_gap, now - last_token);
    if (!first_token) first_token = now;
    last_token = now;
    output_tokens = tokens;
  }
};

class Bench {
 public:
  Bench(const config::EngineUnitInput& input, const config::EngineUnitOutput& expected)
      : input_(input),
        engine_(config_of(input)),
        clients_(static_cast<std::size_t>(input.requests_size())) {
    for (const config::EngineStep& step : expected.steps()) asked_.insert(step.step());
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (request(i).cancel_after_step() != 0) cancels_.emplace(request(i).cancel_after_step(), i);
    }
  }

  config::EngineUnitOutput run() {
    SimTime now = kTimeZero;
    while (true) {
      // The step in progress ends now.
      const std::uint64_t over = engine_.stats().steps + (engine_.busy() ? 1 : 0);
      arrive(over, now);
      hang_up(over, now);
      advance(now);
      if (const auto next = engine_.next_event()) {
        if (engine_.busy()) look();
        now = *next;
      } else if (next_ < clients_.size()) {
        arrive(request(next_).after_step(), now);
      } else {
        break;
      }
    }
    describe_end(now);
    return std::move(output_);
  }

 private:
  [[nodiscard]] const config::EngineArrival& request(std::uint64_t engine_id) const {
    return input_.requests(static_cast<int>(engine_id));
  }

  /// Those that come once `steps` steps are over.
  void arrive(std::uint64_t steps, SimTime now) {
    for (; next_ < clients_.size() && request(next_).after_step() <= steps; ++next_) {
      const config::EngineArrival& spec = request(next_);
      serving::EngineRequest sent{next_, spec.prompt(), spec.output(), 0, {}};
      if (spec.content() != 0) sent.prompt = {{spec.content(), spec.prompt()}};
      for (const config::EngineContent& run : spec.contents()) {
        sent.prompt.push_back({run.content(), run.tokens()});
      }
      clients_[next_].sent = now;
      if (!engine_.submit(now, sent)) clients_[next_].status = "Rejected";
    }
  }

  void hang_up(std::uint64_t steps, SimTime now) {
    const auto [begin, end] = cancels_.equal_range(steps);
    for (auto at = begin; at != end; ++at) {
      Client& client = clients_[at->second];
      if (client.status != kUnfinished) continue;
      client.status = "Cancelled";
      engine_.cancel(now, at->second);
    }
  }

  void advance(SimTime now) {
    std::vector<serving::EngineOutput> out;
    engine_.advance(now, out);
    for (const serving::EngineOutput& one : out) {
      Client& client = clients_[one.id];
      client.take(one.output_tokens, now);
      client.cached_tokens = one.cached_tokens;
      if (one.kind == serving::EngineOutput::Kind::Finished) client.status = "Finished";
    }
    for (const serving::RequestHandle handle : alive()) {
      const serving::Request& inside = engine_.scheduler().request(handle);
      clients_[inside.id].take(inside.num_generated_tokens, now);
    }
  }

  [[nodiscard]] std::vector<serving::RequestHandle> alive() const {
    std::vector<serving::RequestHandle> handles = engine_.scheduler().running();
    const auto& waiting = engine_.scheduler().waiting();
    handles.insert(handles.end(), waiting.begin(), waiting.end());
    return handles;
  }

  [[nodiscard]] const std::string& id_of(serving::RequestHandle handle) const {
    return request(engine_.scheduler().request(handle).id).id();
  }

  void look() {
    const std::string number = std::to_string(engine_.stats().steps + 1);
    if (!asked_.contains(number)) return;
    config::EngineStep& step = *output_.add_steps();
    step.set_step(number);
    config::EngineStepView& view = *step.mutable_view();
    const serving::StepScheduler& scheduler = engine_.scheduler();
    for (const auto handle : scheduler.running()) view.add_running(id_of(handle));
    for (const auto handle : scheduler.waiting()) view.add_waiting(id_of(handle));
    view.set_num_requests_running(static_cast<std::uint32_t>(view.running_size()));
    view.set_num_requests_waiting(static_cast<std::uint32_t>(view.waiting_size()));
    view.set_prefill_tokens(scheduler.current().load.prefill_tokens);
    view.set_decode_sequences(scheduler.current().load.decode_sequences);
    view.set_blocks_used(engine_.cache().pool().used());
    view.set_blocks_free(engine_.cache().pool().free_count());
    view.set_kv_cache_usage_perc(engine_.cache().usage());
    for (const auto handle : alive()) describe(handle, *view.add_requests());
  }

  void describe(serving::RequestHandle handle, config::EngineRequest& into) const {
    const serving::Request& inside = engine_.scheduler().request(handle);
    into.set_id(id_of(handle));
    config::EngineRequestView& view = *into.mutable_view();
    view.set_status(name_of(inside.status));
    view.set_blocks(static_cast<std::uint32_t>(inside.kv.blocks.size()));
    view.set_computed_tokens(inside.num_computed_tokens);
    view.set_output_tokens(inside.num_generated_tokens);
    view.set_preemptions(inside.num_preemptions);
    view.set_scheduled_tokens(0);
    for (const serving::ScheduledChunk& chunk : engine_.scheduler().current().chunks) {
      if (chunk.request == handle) view.set_scheduled_tokens(chunk.tokens);
    }
  }

  void describe_end(SimTime now) {
    const serving::StepScheduler& scheduler = engine_.scheduler();
    const serving::EngineStats& stats = engine_.stats();
    config::EngineEndView& end = *output_.mutable_end();
    end.set_steps(stats.steps);
    end.set_kv_cache_usage_perc(engine_.cache().usage());
    end.set_num_requests_running(static_cast<std::uint32_t>(engine_.num_requests_running()));
    end.set_num_requests_waiting(static_cast<std::uint32_t>(engine_.num_requests_waiting(now)));
    end.set_prefix_cache_queries(scheduler.prefix_stats().queries);
    end.set_prefix_cache_hits(scheduler.prefix_stats().hits);
    end.set_num_preemptions(scheduler.preemptions());
    end.set_prompt_tokens(stats.prompt_tokens);
    end.set_generation_tokens(stats.generation_tokens);
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      config::EngineOutcome& outcome = *end.add_requests();
      outcome.set_id(request(i).id());
      describe(clients_[i], *outcome.mutable_view());
    }
  }

  static void describe(const Client& client, config::EngineOutcomeView& view) {
    view.set_status(std::string(client.status));
    view.set_output_tokens(client.output_tokens);
    if (!client.first_token) return;
    view.set_cached_tokens(client.cached_tokens);
    view.set_ttft((*client.first_token - client.sent).count());
    view.set_longest_gap(client.longest_gap.count());
    if (client.status == "Finished") view.set_e2e((client.last_token - client.sent).count());
  }

  const config::EngineUnitInput& input_;
  std::set<std::string> asked_;                          // steps, by number
  std::multimap<std::uint64_t, std::uint64_t> cancels_;  // step -> engine's id
  serving::Engine engine_;
  std::vector<Client> clients_;  // by the engine's id, which is the index of the request
  std::size_t next_ = 0;         // the next request to come
  config::EngineUnitOutput output_;
};

void check_request(const config::EngineArrival& request, const std::string& path,
                   config::Problems& problems) {
  if (request.cancel_after_step() != 0 && request.cancel_after_step() <= request.after_step()) {
    problems.add(path + ".cancelAfterStep", "expected a step after the one that it comes with");
  }
  if (request.content() != 0 && !request.contents().empty()) {
    problems.add(path + ".contents", "expected only one of `content` and `contents`");
  }
  std::uint64_t tokens = 0;
  for (const config::EngineContent& run : request.contents()) tokens += run.tokens();
  if (tokens > request.prompt()) {
    problems.add(path + ".contents", "expected no more tokens than the prompt has");
  }
}

}  // namespace

void check_engine_input(const config::EngineUnitInput& input, config::Problems& problems) {
  if (input.requests_size() > kRequestsMax) {
    return problems.add("requests", "expected at most 1,000 requests in a case");
  }
  std::set<std::string> ids;
  std::uint64_t last = 0;
  std::uint64_t tokens = 0;
  for (int i = 0; i < input.requests_size(); ++i) {
    const config::EngineArrival& request = input.requests(i);
    const std::string path = "requests[" + std::to_string(i) + "]";
    if (!ids.insert(request.id()).second) {
      problems.add(path + ".id", "a request '" + request.id() + "' is there already");
    }
    if (request.after_step() < last) {
      problems.add(path + ".afterStep", "expected the requests in order of their arrival");
    }
    last = request.after_step();
    tokens += std::uint64_t{request.prompt()} + request.output();
    check_request(request, path, problems);
  }
  if (tokens > kTokensMax) {
    problems.add("requests", "expected fewer tokens: at most 1,000,000 in a case");
  }
  if (const Duration step = duration_or(input.step_time(), kStepTime);
      step <= Duration::zero() || step > seconds(1)) {
    problems.add("stepTime", "expected a length above zero and of at most 1s");
  }
}

config::EngineUnitOutput run_engine(const config::EngineUnitInput& input,
                                    const std::string& /*profile*/,
                                    const config::EngineUnitOutput& expected) {
  return Bench(input, expected).run();
}

}  // namespace troupe::conformance
