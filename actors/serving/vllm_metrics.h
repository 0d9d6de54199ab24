// An engine's /metrics, with the names, labels and buckets of vLLM V1 (vllm/v1/metrics/loggers.py).
#pragma once

#include <string>
#include <vector>

#include "actors/serving/engine.h"
#include "messages/telemetry.pb.h"

namespace troupe::serving {

/// Every sample of `engine` as of `now`; settle(now) first. Labels: model_name, engine, and what
/// each metric has of its own.
[[nodiscard]] std::vector<telemetry::Sample> vllm_samples(const Engine& engine, SimTime now,
                                                          const std::string& model);

/// A bound as Prometheus' Python client writes it: "0.001", "2.5", "160.0".
[[nodiscard]] std::string bound_text(std::int64_t ns);

}  // namespace troupe::serving
