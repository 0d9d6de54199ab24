// Which tokens the next engine step computes: vLLM V1's scheduler.
//
// There is no prefill and no decode phase. Each running request has tokens that are not computed
// yet, and each step hands out its token budget: first to the running ones in their order, then, if
// nobody had to be preempted, to waiting ones first come, first served, until a seat, the budget or
// KV blocks run out; a head that does not fit blocks the rest. A running request that finds no
// block evicts the newest one, which loses all its blocks, goes to the head of the waiting queue
// and computes again, prompt and generated tokens alike, when it returns.
//
// A plan also says how many identical steps could follow each other: while everybody decodes and
// nobody can be admitted, nothing changes until a request ends or a block cannot be had. The engine
// runs those in one event.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "actors/serving/kv_cache_manager.h"
#include "actors/serving/request.h"
#include "actors/serving/step_costs.h"

namespace troupe::serving {

struct SchedulerLimits {
  std::int64_t max_num_batched_tokens = 8192;  ///< of a step
  std::int64_t max_num_seqs = 1024;            ///< running requests
  std::int64_t long_prefill_token_threshold =
      0;  ///< most tokens of one request in a step; 0: no limit
  /// Most identical steps of one plan. 1 steps one by one; no result depends on it.
  std::int64_t max_identical_steps = std::numeric_limits<std::int64_t>::max();
};

struct ScheduledChunk {
  RequestHandle request = 0;
  std::int64_t tokens = 0;
};

struct StepPlan {
  StepLoad load;
  std::vector<ScheduledChunk> chunks;  ///< in the order of scheduling
  std::int64_t steps =
      0;  ///< identical steps that can run before anything changes; 0: nothing to do
};

/// What the prefix cache was asked for on first admissions, and what it had, in tokens.
struct PrefixStats {
  std::uint64_t queries = 0;
  std::uint64_t hits = 0;
};

class StepScheduler {
 public:
  StepScheduler(const SchedulerLimits& limits, KvCacheManager& cache)
      : limits_(limits), cache_(cache) {}

  /// Puts a request at the end of the waiting queue. It must fit into an empty cache at its full
  /// length.
  RequestHandle add(Request request);
  /// Takes a request out, wherever it is, and frees its blocks. Only after complete().
  void abort(RequestHandle handle);

  /// Decides the next step and takes the blocks for it.
  const StepPlan& plan();
  /// `steps` of the plan's steps are over and the rest goes on: takes the blocks of the next one.
  void pass(std::int64_t steps);
  /// `steps` of the plan's steps are over, and with them the plan. Whoever ended is in finished()
  /// until the next call.
  void complete(std::int64_t steps);
  /// Whoever got tokens in the steps that the last call ended.
  [[nodiscard]] const std::vector<RequestHandle>& produced() const { return produced_; }
  [[nodiscard]] const std::vector<RequestHandle>& finished() const { return finished_; }
  /// Ends the life of a handle that finished() had.
  void forget(RequestHandle handle);

  [[nodiscard]] const StepPlan& current() const { return plan_; }
  [[nodiscard]] Request& request(RequestHandle handle) { return requests_[handle]; }
  [[nodiscard]] const Request& request(RequestHandle handle) const { return requests_[handle]; }
  [[nodiscard]] const std::vector<RequestHandle>& running() const { return running_; }
  [[nodiscard]] const std::deque<RequestHandle>& waiting() const { return waiting_; }
  /// Requests that the plan in hand admitted.
  [[nodiscard]] const std::vector<RequestHandle>& admitted() const { return admitted_; }
  /// A request that comes now could be admitted to the next step.
  [[nodiscard]] bool admits_newcomers() const {
    return waiting_.empty() && static_cast<std::int64_t>(running_.size()) < limits_.max_num_seqs;
  }
  [[nodiscard]] std::uint64_t preemptions() const { return preemptions_; }
  [[nodiscard]] const PrefixStats& prefix_stats() const { return prefix_stats_; }

 private:
  void schedule_running();
  void schedule_waiting();
  [[nodiscard]] bool make_room(RequestHandle handle, std::int64_t tokens);
  void preempt_newest();
  void schedule(RequestHandle handle, std::int64_t tokens);
  [[nodiscard]] std::int64_t chunk_of(std::int64_t missing) const;
  [[nodiscard]] std::int64_t identical_steps() const;
  [[nodiscard]] bool blocks_last(std::int64_t steps) const;
  void account(std::int64_t steps, std::int64_t blocks_ahead);
  void retire();

  SchedulerLimits limits_;
  KvCacheManager& cache_;
  std::vector<Request> requests_;  // by handle
  std::vector<RequestHandle> spare_;
  std::vector<RequestHandle> running_;  // oldest admission first
  std::deque<RequestHandle> waiting_;
  std::uint64_t identities_ = 0;

  StepPlan plan_;
  std::int64_t budget_ = 0;
  bool preempted_ = false;  // while the plan in hand was made
  std::vector<RequestHandle> admitted_;
  std::vector<RequestHandle> produced_;
  std::vector<RequestHandle> finished_;
  std::uint64_t preemptions_ = 0;
  PrefixStats prefix_stats_;
};

}  // namespace troupe::serving
