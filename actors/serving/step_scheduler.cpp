#include "actors/serving/step_scheduler.h"

#include <algorithm>
#include <utility>

#include "messages/assert.h"

namespace troupe::serving {

RequestHandle StepScheduler::add(Request request) {
  request.kv.identity = ++identities_;
  RequestHandle handle = 0;
  if (spare_.empty()) {
    handle = static_cast<RequestHandle>(requests_.size());
    requests_.push_back(std::move(request));
  } else {
    handle = spare_.back();
    spare_.pop_back();
    requests_[handle] = std::move(request);
  }
  waiting_.push_back(handle);
  return handle;
}

void StepScheduler::abort(RequestHandle handle) {
  Request& request = requests_[handle];
  if (request.status == RequestStatus::Running) {
    std::erase(running_, handle);
  } else {
    std::erase(waiting_, handle);
  }
  cache_.free(request.kv);
  request.status = RequestStatus::Finished;
  forget(handle);
}

const StepPlan& StepScheduler::plan() {
  plan_.load = {};
  plan_.chunks.clear();
  admitted_.clear();
  preempted_ = false;
  budget_ = limits_.max_num_batched_tokens;
  schedule_running();
  if (!preempted_) schedule_waiting();
  plan_.steps = plan_.chunks.empty() ? 0 : identical_steps();
  TROUPE_ASSERT(plan_.steps > 0 || (running_.empty() && waiting_.empty()),
                "an engine with requests schedules nothing");
  return plan_;
}

std::int64_t StepScheduler::chunk_of(std::int64_t missing) const {
  const std::int64_t threshold = limits_.long_prefill_token_threshold;
  if (threshold > 0) missing = std::min(missing, threshold);
  return std::min(missing, budget_);
}

void StepScheduler::schedule_running() {
  for (std::size_t i = 0; i < running_.size() && budget_ > 0; ++i) {
    const RequestHandle handle = running_[i];
    const Request& request = requests_[handle];
    const std::int64_t tokens = chunk_of(request.num_tokens() - request.num_computed_tokens);
    if (!make_room(handle, tokens)) break;
    schedule(handle, tokens);
  }
}

bool StepScheduler::make_room(RequestHandle handle, std::int64_t tokens) {
  while (!cache_.grow(requests_[handle].kv, requests_[handle].num_computed_tokens + tokens)) {
    const bool itself = running_.back() == handle;
    preempt_newest();
    if (itself) return false;
  }
  return true;
}

void StepScheduler::preempt_newest() {
  const RequestHandle victim = running_.back();
  running_.pop_back();
  Request& request = requests_[victim];
  cache_.preempt(request.kv, request.num_computed_tokens);
  request.num_computed_tokens = 0;
  request.status = RequestStatus::Preempted;
  ++request.num_preemptions;
  waiting_.push_front(victim);
  ++preemptions_;
  preempted_ = true;
}

void StepScheduler::schedule_waiting() {
  while (!waiting_.empty() && budget_ > 0 &&
         static_cast<std::int64_t>(running_.size()) < limits_.max_num_seqs) {
    const RequestHandle handle = waiting_.front();
    Request& request = requests_[handle];
    const PrefixHit hit = cache_.find_hit(request.kv, request.num_tokens());
    const std::int64_t tokens = chunk_of(request.num_tokens() - hit.tokens);
    if (!cache_.admit(request.kv, hit, hit.tokens + tokens)) return;
    // vLLM asks the cache at every try to admit; only a try that succeeds, and no return from a
    // preemption, is counted here, so that hits over queries is the share of prompt tokens saved.
    // As in vLLM, a cache that is off is not asked.
    if (request.num_preemptions == 0 && cache_.caches_prefixes()) {
      prefix_stats_.queries += static_cast<std::uint64_t>(request.num_tokens());
      prefix_stats_.hits += static_cast<std::uint64_t>(hit.tokens);
      request.cached_tokens = hit.tokens;
    }
    waiting_.pop_front();
    running_.push_back(handle);
    request.status = RequestStatus::Running;
    request.num_computed_tokens = hit.tokens;
    admitted_.push_back(handle);
    schedule(handle, tokens);
  }
}

void StepScheduler::schedule(RequestHandle handle, std::int64_t tokens) {
  const Request& request = requests_[handle];
  StepLoad& load = plan_.load;
  if (request.decoding()) {
    ++load.decode_sequences;
    load.decode_kv_tokens += request.num_tokens();
  } else {
    const std::int64_t begin = request.num_computed_tokens;
    const std::int64_t end = begin + tokens;
    ++load.prefill_sequences;
    load.prefill_tokens += tokens;
    load.prefill_squares += end * end - begin * begin;
  }
  plan_.chunks.push_back({handle, tokens});
  budget_ -= tokens;
}

std::int64_t StepScheduler::identical_steps() const {
  if (preempted_ || !admitted_.empty() || plan_.load.prefill_sequences > 0 ||
      plan_.chunks.size() != running_.size()) {
    return 1;
  }
  std::int64_t steps = limits_.max_identical_steps;
  for (const RequestHandle handle : running_) {
    const Request& request = requests_[handle];
    steps = std::min(steps, request.output_tokens - request.num_generated_tokens);
  }
  if (blocks_last(steps)) return steps;
  std::int64_t enough = 1;  // the step in hand has its blocks
  while (enough + 1 < steps) {
    const std::int64_t middle = enough + (steps - enough) / 2;
    (blocks_last(middle) ? enough : steps) = middle;
  }
  return enough;
}

bool StepScheduler::blocks_last(std::int64_t steps) const {
  std::int64_t missing = 0;
  for (const RequestHandle handle : running_) {
    const Request& request = requests_[handle];
    missing += cache_.blocks_for(request.num_computed_tokens + steps) -
               static_cast<std::int64_t>(request.kv.blocks.size());
  }
  return missing <= static_cast<std::int64_t>(cache_.pool().free_count());
}

void StepScheduler::pass(std::int64_t steps) {
  TROUPE_ASSERT(steps >= 1 && steps < plan_.steps, "more steps passed than a plan can spare");
  account(steps, 1);
}

void StepScheduler::complete(std::int64_t steps) {
  TROUPE_ASSERT(steps >= 1 && steps <= plan_.steps, "steps completed that were not planned");
  account(steps, 0);
  plan_.steps = 0;
  if (!finished_.empty()) retire();
}

void StepScheduler::account(std::int64_t steps, std::int64_t blocks_ahead) {
  plan_.steps -= steps;
  plan_.load.decode_kv_tokens += plan_.load.decode_sequences * steps;
  produced_.clear();
  finished_.clear();
  for (const ScheduledChunk& chunk : plan_.chunks) {
    Request& request = requests_[chunk.request];
    // More than one step: everybody decodes, one token a step.
    request.num_computed_tokens += chunk.tokens + steps - 1;
    const std::int64_t tokens = request.num_tokens() + steps - 1;
    TROUPE_ASSERT(request.num_computed_tokens <= tokens, "tokens computed that do not exist");
    const bool room = cache_.grow(request.kv, request.num_computed_tokens + blocks_ahead);
    TROUPE_ASSERT(room, "a planned step finds no KV block");
    if (request.num_computed_tokens < tokens) continue;  // a chunk of a longer prefill
    request.num_generated_tokens += steps;
    produced_.push_back(chunk.request);
    if (request.num_generated_tokens == request.output_tokens) finished_.push_back(chunk.request);
  }
}

void StepScheduler::forget(RequestHandle handle) {
  requests_[handle] = {};
  spare_.push_back(handle);
}

void StepScheduler::retire() {
  for (const RequestHandle handle : finished_) {
    requests_[handle].status = RequestStatus::Finished;
    cache_.free(requests_[handle].kv);
  }
  std::erase_if(running_, [this](RequestHandle handle) {
    return requests_[handle].status == RequestStatus::Finished;
  });
}

}  // namespace troupe::serving
