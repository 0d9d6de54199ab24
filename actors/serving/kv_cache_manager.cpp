#include "actors/serving/kv_cache_manager.h"

#include <algorithm>
#include <ranges>

namespace troupe::serving {

double KvCacheManager::usage() const {
  return static_cast<double>(pool_.used()) / static_cast<double>(pool_.usable());
}

std::vector<BlockKey> KvCacheManager::keys_of(const std::vector<ContentRun>& prompt) const {
  if (!config_.prefix_caching) return {};
  return chain_keys(prompt, config_.block_size);
}

PrefixHit KvCacheManager::find_hit(const RequestKv& kv, std::int64_t tokens) const {
  PrefixHit hit;
  if (!config_.prefix_caching) return hit;
  const auto limit = static_cast<std::size_t>((tokens - 1) / config_.block_size);
  for (std::size_t i = 0; i < limit; ++i) {
    BlockId block = kNoBlock;
    if (i < kv.shared.size()) {
      block = pool_.find(kv.shared[i]);
    } else if (i < kv.before.size() && pool_.holds(kv.before[i], private_key(kv.identity, i))) {
      block = kv.before[i];
    }
    if (block == kNoBlock) break;
    hit.blocks.push_back(block);
  }
  hit.tokens = static_cast<std::int64_t>(hit.blocks.size()) * config_.block_size;
  return hit;
}

bool KvCacheManager::admit(RequestKv& kv, const PrefixHit& hit, std::int64_t tokens) {
  // A hit on a free block takes that block out of the free ones, so it counts like a new one.
  const auto revived =
      std::ranges::count_if(hit.blocks, [this](BlockId block) { return pool_.is_free(block); });
  const std::int64_t fresh = blocks_for(tokens) - static_cast<std::int64_t>(hit.blocks.size());
  if (fresh + revived > static_cast<std::int64_t>(pool_.free_count())) return false;
  for (const BlockId block : hit.blocks) pool_.reference(block);
  kv.blocks = hit.blocks;
  kv.before.clear();
  kv.published = std::min(hit.blocks.size(), kv.shared.size());
  pool_.take(static_cast<std::uint32_t>(fresh), kv.blocks);
  publish(kv, tokens);
  return true;
}

bool KvCacheManager::grow(RequestKv& kv, std::int64_t tokens) {
  const std::int64_t fresh = blocks_for(tokens) - static_cast<std::int64_t>(kv.blocks.size());
  if (fresh > static_cast<std::int64_t>(pool_.free_count())) return false;
  if (fresh > 0) pool_.take(static_cast<std::uint32_t>(fresh), kv.blocks);
  publish(kv, tokens);
  return true;
}

void KvCacheManager::publish(RequestKv& kv, std::int64_t tokens) {
  // As vLLM does it: when the step is scheduled, so a request admitted to the same step can hit
  // already.
  const std::size_t full =
      std::min(static_cast<std::size_t>(tokens / config_.block_size), kv.shared.size());
  for (; kv.published < full; ++kv.published) {
    pool_.publish(kv.blocks[kv.published], kv.shared[kv.published]);
  }
}

void KvCacheManager::preempt(RequestKv& kv, std::int64_t num_computed_tokens) {
  if (config_.prefix_caching) {
    const auto full = static_cast<std::size_t>(num_computed_tokens / config_.block_size);
    for (std::size_t i = kv.shared.size(); i < std::min(full, kv.blocks.size()); ++i) {
      pool_.tag(kv.blocks[i], private_key(kv.identity, i));
    }
  }
  for (const BlockId block : std::views::reverse(kv.blocks)) pool_.release(block);
  kv.before = std::move(kv.blocks);
  kv.blocks.clear();
  kv.published = 0;
}

void KvCacheManager::free(RequestKv& kv) {
  for (const BlockId block : std::views::reverse(kv.blocks)) pool_.release(block);
  kv.blocks.clear();
}

}  // namespace troupe::serving
