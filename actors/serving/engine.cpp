#include "actors/serving/engine.h"

#include <algorithm>
#include <utility>

#include "actors/fixed_math.h"
#include "messages/assert.h"

namespace troupe::serving {
namespace {

/// Two hours: a longer gap between two tokens, after a preemption, counts as this long.
constexpr Wide kLongestGapFs = Wide{7'200'000'000'000} * kFsPerNs;

}  // namespace

Engine::Engine(const EngineConfig& config)
    : config_(config), cache_(config.cache), scheduler_(config.limits, cache_) {}

bool Engine::submit(SimTime now, const EngineRequest& request) {
  const std::int64_t most = request.max_tokens > 0 ? request.max_tokens : request.output_tokens;
  const std::int64_t length = request.prompt_tokens + most;
  if (length > config_.max_model_len) return false;
  if (cache_.blocks_for(length) > cache_.pool().usable()) return false;
  TROUPE_ASSERT(request.prompt_tokens >= 1 && request.output_tokens >= 1, "a request of no tokens");
  Request inside;
  inside.id = request.id;
  inside.prompt_tokens = request.prompt_tokens;
  inside.output_tokens = std::min(request.output_tokens, most);
  inside.ends_by_length = inside.output_tokens == most;
  inside.kv.shared = cache_.keys_of(request.prompt);
  inside.arrival_ns = to_ns(now);
  inside.queued_ns = to_ns(now) + config_.costs.frontend_ns;
  const std::int64_t due = inside.queued_ns;
  const bool fresh = live_.emplace(request.id, kInFrontend).second;
  TROUPE_ASSERT(fresh, "a request id is used twice at a time");
  frontend_.push_back({due, std::move(inside)});
  if (run_ && scheduler_.admits_newcomers()) cut(due);
  return true;
}

void Engine::cancel(SimTime now, std::uint64_t id) {
  settle(now);
  const auto found = live_.find(id);
  if (found == live_.end()) return;
  if (found->second == kInFrontend) {
    std::erase_if(frontend_, [id](const Arrival& arrival) { return arrival.request.id == id; });
    live_.erase(found);
    ++stats_.finished_abort;
    return;
  }
  if (std::ranges::find(aborts_, id) != aborts_.end()) return;
  aborts_.push_back(id);
  cut(to_ns(now));
}

std::optional<SimTime> Engine::next_event() const {
  if (run_) return from_ns(run_->boundary(run_->steps).ns);
  if (!frontend_.empty()) return from_ns(frontend_.front().due_ns);
  return std::nullopt;
}

void Engine::advance(SimTime now, std::vector<EngineOutput>& out) {
  const std::int64_t now_ns = to_ns(now);
  for (;;) {
    FineTime at;
    if (run_) {
      at = run_->boundary(run_->steps);
      if (at.ns > now_ns) return;
      end_run(out);
      apply_aborts();
    } else {
      if (frontend_.empty() || frontend_.front().due_ns > now_ns) return;
      at = {frontend_.front().due_ns, 0};
      busy_since_ = at;
    }
    queue_arrivals(at);
    begin_run(at);
  }
}

void Engine::queue_arrivals(const FineTime& boundary) {
  while (!frontend_.empty() && frontend_.front().due_ns <= boundary.ns) {
    const std::uint64_t id = frontend_.front().request.id;
    live_[id] = scheduler_.add(std::move(frontend_.front().request));
    frontend_.pop_front();
  }
}

void Engine::begin_run(FineTime at) {
  const StepPlan& plan = scheduler_.plan();
  if (plan.steps == 0) {
    busy_ns_ += at.ns - busy_since_.ns;
    run_.reset();
    return;
  }
  for (const RequestHandle handle : scheduler_.admitted()) {
    const Request& request = scheduler_.request(handle);
    if (request.num_preemptions == 0) stats_.queue.add(at.ns - request.queued_ns);
  }
  const auto paced = [this](std::int64_t fs) {
    return pace_permille_ == kFullPace ? fs : fixed::multiply_divide(fs, kFullPace, pace_permille_);
  };
  run_ = Run{at, paced(config_.costs.step_fs(plan.load)), paced(config_.costs.growth_fs(plan.load)),
             plan.steps};
  if (!frontend_.empty() && scheduler_.admits_newcomers()) cut(frontend_.front().due_ns);
}

void Engine::set_pace(SimTime now, std::uint32_t permille) {
  pace_permille_ = permille;
  cut(to_ns(now));
}

/// Ends the run in hand at its first boundary that is not before `ns`.
void Engine::cut(std::int64_t ns) {
  if (!run_) return;
  std::int64_t low = 1;
  std::int64_t high = run_->steps;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (run_->boundary(middle).ns >= ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  run_->steps = low;
}

void Engine::settle(SimTime now) {
  if (!run_) return;
  const std::int64_t now_ns = to_ns(now);
  std::int64_t low = 0;  // steps that are over; the last one of a run is advance()'s
  std::int64_t high = run_->steps - 1;
  while (low < high) {
    const std::int64_t middle = high - (high - low) / 2;
    if (run_->boundary(middle).ns < now_ns) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (low > 0) pass(low);
  // Who came earlier in the run could not be admitted, or the run would have been cut; yet they
  // wait by now.
  queue_arrivals(run_->start);
}

void Engine::pass(std::int64_t steps) {
  const FineTime at = run_->boundary(steps);
  scheduler_.pass(steps);
  record(steps, at);
  *run_ = {at, run_->first_fs + steps * run_->growth_fs, run_->growth_fs, run_->steps - steps};
}

void Engine::end_run(std::vector<EngineOutput>& out) {
  const FineTime at = run_->boundary(run_->steps);
  scheduler_.complete(run_->steps);
  record(run_->steps, at);
  report(at, out);
}

void Engine::record(std::int64_t steps, const FineTime& last_boundary) {
  const std::uint64_t first_step = stats_.steps + 1;
  stats_.steps += static_cast<std::uint64_t>(steps);
  std::uint64_t steady = 0;  // tokens whose predecessors came out of the step before
  for (const RequestHandle handle : scheduler_.produced()) {
    Request& request = scheduler_.request(handle);
    stats_.generation_tokens += static_cast<std::uint64_t>(steps);
    if (request.num_generated_tokens == steps) {
      record_first_token(request, last_boundary);
    } else if (request.last_token_step + 1 == first_step) {
      ++steady;
    } else {
      const Wide gap = run_->boundary(1).since(request.last_token);
      stats_.add_gaps({static_cast<std::int64_t>(std::min(gap, kLongestGapFs)), 0, 1, 1});
    }
    request.last_token_step = stats_.steps;
    request.last_token = last_boundary;
  }
  if (steady > 0) stats_.add_gaps({run_->first_fs, run_->growth_fs, 1, steady});
  if (steps > 1) {
    const std::uint64_t all = scheduler_.produced().size();
    stats_.add_gaps({run_->first_fs + run_->growth_fs, run_->growth_fs, steps - 1, all});
  }
}

void Engine::record_first_token(Request& request, const FineTime& at) {
  // Only a run of one step can hold a prefill, so the first token comes at its end.
  request.first_token = at;
  stats_.prompt_tokens += static_cast<std::uint64_t>(request.prompt_tokens);
  stats_.ttft.add(at.ns - request.arrival_ns);
}

void Engine::report(const FineTime& at, std::vector<EngineOutput>& out) {
  const auto wanted = [this](const Request& request) {
    return std::ranges::find(aborts_, request.id) == aborts_.end();
  };
  for (const RequestHandle handle : scheduler_.produced()) {
    const Request& request = scheduler_.request(handle);
    if (request.first_token == at && wanted(request)) {
      out.push_back({EngineOutput::Kind::FirstToken, request.id, 1, request.cached_tokens});
    }
  }
  for (const RequestHandle handle : scheduler_.finished()) {
    const Request& request = scheduler_.request(handle);
    if (wanted(request)) {
      out.push_back({EngineOutput::Kind::Finished, request.id, request.num_generated_tokens,
                     request.cached_tokens});
    }
    stats_.e2e.add(at.ns - request.arrival_ns);
    ++(request.ends_by_length ? stats_.finished_length : stats_.finished_stop);
    live_.erase(request.id);
    scheduler_.forget(handle);
  }
}

void Engine::apply_aborts() {
  for (const std::uint64_t id : aborts_) {
    const auto found = live_.find(id);
    if (found == live_.end()) continue;  // it finished in the step that was in progress
    scheduler_.abort(found->second);
    live_.erase(found);
    ++stats_.finished_abort;
  }
  aborts_.clear();
}

Duration Engine::busy_time(SimTime now) const {
  const std::int64_t open = run_ ? std::max<std::int64_t>(0, to_ns(now) - busy_since_.ns) : 0;
  return Duration{busy_ns_ + open};
}

std::size_t Engine::num_requests_waiting(SimTime now) const {
  const auto arrived = std::ranges::upper_bound(frontend_, to_ns(now), {}, &Arrival::due_ns);
  return scheduler_.waiting().size() + static_cast<std::size_t>(arrived - frontend_.begin());
}

GapHistogram Engine::take_gaps() {
  return std::exchange(stats_.gaps, GapHistogram{});
}

}  // namespace troupe::serving
