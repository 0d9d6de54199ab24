// One vLLM engine: scheduler, KV cache and clock, advancing from event to event.
//
// A step of the engine changes little: everybody who decodes has one token more. So the engine does
// not step; it plans as many identical steps as can follow each other before a request ends or a
// block is missing, and runs them as one event, whose length is a closed sum. An arrival or a
// cancellation in the middle takes effect at the next boundary between two steps, as it would in
// the real engine's loop, so the run in hand is cut there. Whoever looks at the engine in the
// middle of a run sees the state of the step in progress. `max_identical_steps = 1` really steps
// one by one; every observable number is the same, which a test shows.
//
// Not modelled: speculative decoding, LoRA, structured output, pipeline parallelism, CPU offload of
// KV blocks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "actors/serving/engine_stats.h"
#include "actors/serving/step_costs.h"
#include "actors/serving/step_scheduler.h"
#include "messages/sim_time.h"

namespace troupe::serving {

struct EngineConfig {
  StepCosts costs;
  KvCacheConfig cache;
  SchedulerLimits limits;
  std::int64_t max_model_len = 131'072;  ///< prompt and output together, tokens
};

struct EngineRequest {
  std::uint64_t id = 0;            ///< unique among the engine's live requests
  std::int64_t prompt_tokens = 1;  ///< at least 1
  std::int64_t output_tokens = 1;  ///< at least 1
  std::int64_t max_tokens = 0;     ///< 0: output_tokens
  std::vector<ContentRun> prompt;  ///< of its leading tokens; the rest is like nothing else
};

/// What comes out of an engine.
struct EngineOutput {
  enum class Kind : std::uint8_t { FirstToken, Finished };
  Kind kind = Kind::FirstToken;
  std::uint64_t id = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cached_tokens = 0;
};

class Engine {
 public:
  explicit Engine(const EngineConfig& config);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Takes a request in, or refuses it: longer than max_model_len, or than the whole cache (HTTP
  /// 400).
  [[nodiscard]] bool submit(SimTime now, const EngineRequest& request);
  /// Forgets a request at the next boundary; nothing comes out for it afterwards. Unknown ids are
  /// none.
  void cancel(SimTime now, std::uint64_t id);

  /// Steps take `kFullPace / permille` times as long from the next boundary on.
  void set_pace(SimTime now, std::uint32_t permille);
  static constexpr std::uint32_t kFullPace = 1000;

  /// When advance() has something to do next; the past never, the present at the earliest.
  [[nodiscard]] std::optional<SimTime> next_event() const;
  /// Runs all that is due by `now` and appends what came out, in order.
  void advance(SimTime now, std::vector<EngineOutput>& out);
  /// Brings the inside up to the step in progress just before `now`, for whoever looks. Changes no
  /// future.
  void settle(SimTime now);

  /// A step is in progress: kernels run.
  [[nodiscard]] bool busy() const { return run_.has_value(); }
  /// Time in which steps were in progress, up to `now`.
  [[nodiscard]] Duration busy_time(SimTime now) const;
  /// Requests that were submitted and have neither finished nor been cancelled.
  [[nodiscard]] std::size_t live() const { return live_.size(); }
  [[nodiscard]] std::size_t num_requests_running() const { return scheduler_.running().size(); }
  /// Those in the waiting queue, and those that reached the engine during the step in progress.
  [[nodiscard]] std::size_t num_requests_waiting(SimTime now) const;
  [[nodiscard]] const KvCacheManager& cache() const { return cache_; }
  [[nodiscard]] const StepScheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] const EngineConfig& config() const { return config_; }
  [[nodiscard]] const EngineStats& stats() const { return stats_; }
  /// The gaps since the last call.
  [[nodiscard]] GapHistogram take_gaps();

 private:
  struct Arrival {  // on its way through the frontend
    std::int64_t due_ns;
    Request request;
  };
  struct Run {  // identical steps, the first of which is in progress
    FineTime start;
    std::int64_t first_fs;
    std::int64_t growth_fs;
    std::int64_t steps;  // until its end: as planned, or cut

    [[nodiscard]] FineTime boundary(std::int64_t after) const {
      return start.plus(GapSeries{first_fs, growth_fs, after, 0}.total_fs());
    }
  };
  static constexpr RequestHandle kInFrontend = ~RequestHandle{0};

  void cut(std::int64_t ns);
  void pass(std::int64_t steps);
  void end_run(std::vector<EngineOutput>& out);
  void queue_arrivals(const FineTime& boundary);
  void begin_run(FineTime at);
  void record(std::int64_t steps, const FineTime& last_boundary);
  void record_first_token(Request& request, const FineTime& at);
  void report(const FineTime& at, std::vector<EngineOutput>& out);
  void apply_aborts();

  EngineConfig config_;
  KvCacheManager cache_;
  StepScheduler scheduler_;
  std::deque<Arrival> frontend_;  // all wait equally long, so in order of their due times
  std::map<std::uint64_t, RequestHandle> live_;
  std::vector<std::uint64_t> aborts_;
  std::optional<Run> run_;
  std::uint32_t pace_permille_ = kFullPace;
  FineTime busy_since_;
  std::int64_t busy_ns_ = 0;  // before busy_since_
  EngineStats stats_;
};

}  // namespace troupe::serving
