#include "actors/telemetry/dcgm_exporter.h"

#include <utility>

#include "actors/random.h"
#include "actors/telemetry/scrape_reply.h"

namespace troupe::telemetry {

DcgmExporterActor::DcgmExporterActor(DcgmExporterOptions options) : options_(std::move(options)) {}

void DcgmExporterActor::start(Context& context) {
  // Exporters of a fleet are not in step: each starts somewhere within its period.
  const std::uint64_t bits = context.random("dcgm/phase", 0);
  const auto phase = uniform_below(bits, static_cast<std::uint64_t>(options_.period.count()));
  context.set_timer(Duration{static_cast<std::int64_t>(phase)}, Payload::of(CollectDue{}));
}

void DcgmExporterActor::receive(Context& context, const Delivery& delivery) {
  if (delivery.as<CollectDue>() != nullptr) {
    collect(context);
  } else if (auto gpu = delivery.payload.share<GpuSample>(); gpu != nullptr) {
    take(context, std::move(gpu));
  } else if (const auto* request = delivery.as<ScrapeRequest>()) {
    reply_to_scrape(context, delivery, *request, samples());
  }
}

void DcgmExporterActor::collect(Context& context) {
  ++round_;
  GpuSampleRequest request;
  request.set_request_id(round_);
  const Payload payload = Payload::of(std::move(request));
  for (std::uint32_t gpu = 0; gpu < options_.gpus; ++gpu) {
    const std::string path = "node/" + options_.node + "/gpu/" + std::to_string(gpu);
    context.send(address_of(path), payload,
                 {.link = Link::Scrape, .object = gpu, .version = round_});
  }
  context.set_timer(options_.period, Payload::of(CollectDue{}));
}

void DcgmExporterActor::take(Context& context, std::shared_ptr<const GpuSample> gpu) {
  if (gpu->request_id() != round_) return;
  if (shown_round_ != round_) {
    shown_round_ = round_;
    shown_.clear();
  }
  if (auto reading = sampler_.read(std::move(gpu), context.now())) {
    shown_.push_back(*std::move(reading));
  }
}

std::vector<Sample> DcgmExporterActor::samples() const {
  std::vector<Sample> samples;
  for (const GpuReading& reading : shown_) append_samples(reading, options_.node, samples);
  return samples;
}

}  // namespace troupe::telemetry
