#include "actors/serving/prompt_content.h"

#include <algorithm>

#include "messages/hash.h"

namespace troupe::serving {
namespace {

BlockKey shared(std::uint64_t hash) {
  const BlockKey key = hash & ~kPrivateKey;
  return key == 0 ? 1 : key;
}

}  // namespace

std::vector<BlockKey> chain_keys(std::span<const ContentRun> prompt, std::int64_t block_size) {
  std::vector<BlockKey> keys;
  std::uint64_t chain = 0;  // over the pieces so far
  std::int64_t open = 0;    // tokens of the block that is not full yet
  for (const ContentRun& run : prompt) {
    if (run.content == 0) break;
    for (std::int64_t offset = 0; offset < run.tokens;) {
      const std::int64_t piece = std::min(block_size - open, run.tokens - offset);
      chain = mix(chain, run.content, static_cast<std::uint64_t>(offset),
                  static_cast<std::uint64_t>(piece));
      offset += piece;
      open += piece;
      if (open == block_size) {
        keys.push_back(shared(chain));
        open = 0;
      }
    }
  }
  return keys;
}

BlockKey private_key(std::uint64_t identity, std::size_t index) {
  return mix(identity, index) | kPrivateKey;
}

}  // namespace troupe::serving
