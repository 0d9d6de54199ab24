#include "actors/load/request_shapes.h"

#include <algorithm>

#include "actors/load/tokens.h"
#include "messages/hash.h"

namespace troupe::load {

RequestShapes::RequestShapes(const Generator& generator, std::string_view owner)
    : lengths_(generator.lengths()),
      prefixes_(generator.prefixes()),
      pool_(hash_bytes(prefixes_.pool().empty() ? owner : std::string_view(prefixes_.pool()))) {}

const Tokens& RequestShapes::output_for(std::uint32_t prompt_tokens) const {
  for (const Lengths::OutputGivenPrompt& given : lengths_.output_given_prompt()) {
    if (prompt_tokens <= given.prompt_max()) return given.output();
  }
  return lengths_.output();
}

void RequestShapes::add_prefix(RequestShape& shape, std::uint64_t bits) const {
  constexpr std::uint64_t kMillion = 1'000'000;
  if (prefixes_.count() == 0 || prefixes_.tokens() == 0) return;
  // One draw says both whether and which: below the share, the place within it is uniform again.
  const std::uint64_t choices = kMillion * prefixes_.count();
  const std::uint64_t draw = uniform_below(bits, choices);
  const std::uint64_t share = std::min<std::uint64_t>(prefixes_.share_ppm(), kMillion);
  if (draw >= share * prefixes_.count()) return;
  const std::uint64_t prefix = draw % prefixes_.count();
  serving::PromptSegment segment;
  segment.set_content(mix(pool_, prefix) | 1);  // 0 would mean "like no other"
  segment.set_tokens(std::min(prefixes_.tokens(), shape.prompt_tokens));
  shape.segments.push_back(std::move(segment));
}

RequestShape RequestShapes::at(std::uint64_t n, const RandomBits& bits) const {
  RequestShape shape;
  shape.prompt_tokens = sample_tokens(lengths_.prompt(), bits("prompt", n));
  shape.output_tokens = sample_tokens(output_for(shape.prompt_tokens), bits("output", n));
  add_prefix(shape, bits("prefix", n));
  return shape;
}

}  // namespace troupe::load
