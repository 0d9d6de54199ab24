// What a generated request asks for: how long its prompt is, how long the answer will be, which
// prefix it begins with.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/random.h"
#include "messages/load.pb.h"
#include "messages/serving.pb.h"

namespace troupe::load {

struct RequestShape {
  std::uint32_t prompt_tokens = 1;
  std::uint32_t output_tokens = 1;
  std::vector<serving::PromptSegment>
      segments;  ///< of the prompt, from its beginning; what they leave is unique
};

class RequestShapes {
 public:
  /// `owner` names the load: the pool of its prefixes where the configuration names none.
  RequestShapes(const Generator& generator, std::string_view owner);

  /// The shape of the n-th request: a function of n and the draws ("prompt", n), ("output", n),
  /// ("prefix", n).
  [[nodiscard]] RequestShape at(std::uint64_t n, const RandomBits& bits) const;

 private:
  [[nodiscard]] const Tokens& output_for(std::uint32_t prompt_tokens) const;
  void add_prefix(RequestShape& shape, std::uint64_t bits) const;

  Lengths lengths_;
  Prefixes prefixes_;
  std::uint64_t pool_;
};

}  // namespace troupe::load
