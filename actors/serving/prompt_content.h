// What a prompt says, as far as a prefix cache can tell: names of runs of tokens instead of the
// tokens themselves.
//
// Two prompts share a prefix where their segments have the same content. vLLM finds that out with a
// chain of hashes, one for each full block over the block's tokens and its predecessor's hash; here
// the chain is over the segments' names and offsets, so a prompt of a million tokens costs its
// blocks and no token ever exists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace troupe::serving {

/// A run of tokens. Position i of one equals position i of another exactly where the contents are
/// equal.
struct ContentRun {
  std::uint64_t content = 0;  ///< 0: like nothing else
  std::int64_t tokens = 0;
};

/// Names the content of a block together with everything before it. 0 names nothing.
using BlockKey = std::uint64_t;

/// The top bit says that no other request can have this content.
inline constexpr BlockKey kPrivateKey = 1ULL << 63;

/// The keys of the prompt's leading full blocks that another prompt may share: they end before the
/// first run without content, and at the last full block.
[[nodiscard]] std::vector<BlockKey> chain_keys(std::span<const ContentRun> prompt,
                                               std::int64_t block_size);

/// The key of block `index` of what only the request of that identity has.
[[nodiscard]] BlockKey private_key(std::uint64_t identity, std::size_t index);

}  // namespace troupe::serving
