#include "actors/serving/vllm_metrics.h"

#include <string_view>
#include <utility>

namespace troupe::serving {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

class Samples {
 public:
  explicit Samples(const std::string& model) : model_(model) {}

  telemetry::Sample& add(std::string name, double value) {
    telemetry::Sample& sample = samples_.emplace_back();
    sample.set_name(std::move(name));
    sample.set_value(value);
    label(sample, "engine", "0");
    label(sample, "model_name", model_);
    return sample;
  }
  void counter(std::string name, std::uint64_t value) {
    add(std::move(name), static_cast<double>(value));
  }
  void histogram(const std::string& name, const TimeHistogram& histogram) {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
      below += histogram.counts()[i];
      const bool last = i == histogram.bounds_ns().size();
      label(add(name + "_bucket", static_cast<double>(below)), "le",
            last ? "+Inf" : bound_text(histogram.bounds_ns()[i]));
    }
    add(name + "_sum", histogram.sum_seconds());
    counter(name + "_count", below);
  }
  static void label(telemetry::Sample& sample, std::string_view key, std::string value) {
    telemetry::Label& label = *sample.add_labels();
    label.set_key(std::string(key));
    label.set_value(std::move(value));
  }
  [[nodiscard]] std::vector<telemetry::Sample> take() { return std::move(samples_); }

 private:
  std::string model_;
  std::vector<telemetry::Sample> samples_;
};

void add_requests(Samples& samples, const Engine& engine) {
  const EngineStats& stats = engine.stats();
  for (const auto& [reason, count] :
       {std::pair{"stop", stats.finished_stop}, std::pair{"length", stats.finished_length},
        std::pair{"abort", stats.finished_abort}}) {
    Samples::label(samples.add("vllm:request_success_total", static_cast<double>(count)),
                   "finished_reason", reason);
  }
}

void add_cache(Samples& samples, const Engine& engine) {
  samples.add("vllm:kv_cache_usage_perc", engine.cache().usage());
  const PrefixStats& prefix = engine.scheduler().prefix_stats();
  samples.counter("vllm:prefix_cache_queries_total", prefix.queries);
  samples.counter("vllm:prefix_cache_hits_total", prefix.hits);
  telemetry::Sample& info = samples.add("vllm:cache_config_info", 1);
  Samples::label(info, "block_size", std::to_string(engine.cache().block_size()));
  Samples::label(info, "enable_prefix_caching",
                 engine.config().cache.prefix_caching ? "True" : "False");
  Samples::label(info, "num_gpu_blocks", std::to_string(engine.config().cache.num_blocks));
}

}  // namespace

std::string bound_text(std::int64_t ns) {
  std::string fraction = std::to_string(ns % kNsPerSecond + kNsPerSecond).substr(1);
  while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
  return std::to_string(ns / kNsPerSecond) + "." + fraction;
}

std::vector<telemetry::Sample> vllm_samples(const Engine& engine, SimTime now,
                                            const std::string& model) {
  Samples samples(model);
  const EngineStats& stats = engine.stats();
  samples.counter("vllm:num_requests_running", engine.num_requests_running());
  samples.counter("vllm:num_requests_waiting", engine.num_requests_waiting(now));
  samples.counter("vllm:num_preemptions_total", engine.scheduler().preemptions());
  samples.counter("vllm:prompt_tokens_total", stats.prompt_tokens);
  samples.counter("vllm:generation_tokens_total", stats.generation_tokens);
  add_cache(samples, engine);
  add_requests(samples, engine);
  samples.histogram("vllm:time_to_first_token_seconds", stats.ttft);
  samples.histogram("vllm:inter_token_latency_seconds", stats.inter_token);
  samples.histogram("vllm:e2e_request_latency_seconds", stats.e2e);
  samples.histogram("vllm:request_queue_time_seconds", stats.queue);
  return samples.take();
}

}  // namespace troupe::serving
