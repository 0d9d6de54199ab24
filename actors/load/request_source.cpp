#include "actors/load/request_source.h"

#include <algorithm>

#include "actors/load/arrivals.h"
#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe::load {
namespace {

class TraceSource final : public RequestSource {
 public:
  explicit TraceSource(const Trace& trace) : trace_(trace), now_(from_ns(trace.start_ns())) {
    TROUPE_ASSERT(trace.prompt_tokens_size() == trace.gap_ns_size(), "a request without a prompt");
    TROUPE_ASSERT(trace.output_tokens_size() == trace.gap_ns_size(), "a request without an output");
  }

  std::optional<PlannedRequest> next(const RandomBits&) override {
    if (index_ == trace_.gap_ns_size()) return std::nullopt;
    const std::int64_t gap_ns = trace_.gap_ns(index_);
    TROUPE_ASSERT(gap_ns >= 0, "the trace runs backwards");
    now_ += Duration{gap_ns};
    PlannedRequest request{now_, {trace_.prompt_tokens(index_), trace_.output_tokens(index_), {}}};
    if (index_ < trace_.block_count_size()) add_blocks(request.shape);
    ++index_;
    return request;
  }

 private:
  // A block's id names the prompt's beginning up to its end, so it names the block's content as
  // well.
  void add_blocks(RequestShape& shape) {
    std::uint32_t left = shape.prompt_tokens;
    for (std::uint32_t i = 0; i < trace_.block_count(index_); ++i) {
      serving::PromptSegment segment;
      segment.set_content(mix(trace_.blocks(block_++), trace_.block_tokens()) | 1);
      segment.set_tokens(std::min(trace_.block_tokens(), left));
      left -= segment.tokens();
      if (segment.tokens() > 0) shape.segments.push_back(std::move(segment));
    }
  }

  const Trace& trace_;
  SimTime now_;
  int index_ = 0;
  int block_ = 0;
};

class GeneratedSource final : public RequestSource {
 public:
  GeneratedSource(const Generator& generator, std::unique_ptr<RateCurve> curve,
                  std::string_view owner)
      : arrivals_(std::move(curve), generator.arrivals().process()),
        shapes_(generator, owner),
        start_(from_ns(generator.start_ns())),
        duration_(generator.duration_ns()),
        requests_max_(generator.requests_max()) {}

  std::optional<PlannedRequest> next(const RandomBits& bits) override {
    if (requests_max_ != 0 && planned_ == requests_max_) return std::nullopt;
    const std::optional<Duration> since_start = arrivals_.next(bits);
    if (!since_start) return std::nullopt;
    if (duration_.count() != 0 && *since_start >= duration_) return std::nullopt;
    return PlannedRequest{start_ + *since_start, shapes_.at(planned_++, bits)};
  }

 private:
  ArrivalProcess arrivals_;
  RequestShapes shapes_;
  SimTime start_;
  Duration duration_;
  std::uint64_t requests_max_;
  std::uint64_t planned_ = 0;
};

}  // namespace

std::unique_ptr<RequestSource> make_request_source(const LoadConfig& config,
                                                   std::string_view owner) {
  if (config.has_trace()) return std::make_unique<TraceSource>(config.trace());
  const Generator& generator = config.generator();
  switch (generator.arrivals().shape_case()) {
    case Arrivals::kPhases:
      return std::make_unique<GeneratedSource>(
          generator, make_rate_curve(generator.arrivals().phases()), owner);
    case Arrivals::kDiurnal:
      return std::make_unique<GeneratedSource>(
          generator, make_rate_curve(generator.arrivals().diurnal()), owner);
    default:
      return nullptr;
  }
}

}  // namespace troupe::load
