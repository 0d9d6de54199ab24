// The DCGM exporter of a node, at `node/NAME/dcgm-exporter`: it reads its GPUs at its own period
// and shows the last reading to whoever scrapes it, so a figure is up to one period older than the
// scrape that carries it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/actor.h"
#include "actors/context.h"
#include "actors/telemetry/gpu_samples.h"

namespace troupe::telemetry {

struct DcgmExporterOptions {
  std::string node;        ///< its name
  std::uint32_t gpus = 0;  ///< at `node/NAME/gpu/0` and on
  /// dcgm-exporter's default for --collect-interval.
  Duration period = std::chrono::seconds(30);
};

class DcgmExporterActor final : public Actor {
 public:
  explicit DcgmExporterActor(DcgmExporterOptions options);

  void start(Context& context) override;
  void receive(Context& context, const Delivery& delivery) override;

 private:
  void collect(Context& context);
  void take(Context& context, std::shared_ptr<const GpuSample> gpu);
  [[nodiscard]] std::vector<Sample> samples() const;

  DcgmExporterOptions options_;
  GpuSampler sampler_;
  std::uint64_t round_ = 0;        // of collection; an answer to an earlier one is late and dropped
  std::uint64_t shown_round_ = 0;  // the last in which a GPU answered
  std::vector<GpuReading> shown_;  // of that round; few are ever scraped, so it is kept unprinted
};

}  // namespace troupe::telemetry
