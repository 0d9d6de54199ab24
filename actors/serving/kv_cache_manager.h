// Who holds which KV blocks: allocation by token counts, and prefix hits on admission.
//
// vLLM's KvCacheManager. Only full blocks are cached, and a hit ends before the last token of the
// content, since that token has to be computed to yield the next one. What a prompt shares with
// others is found through published keys; what only one request has can be hit by nobody but
// itself, when it comes back after a preemption, so it costs no table.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/serving/block_pool.h"
#include "actors/serving/prompt_content.h"

namespace troupe::serving {

/// The KV blocks of one request.
struct RequestKv {
  std::uint64_t identity = 0;    ///< unlike any other request of the engine
  std::vector<BlockKey> shared;  ///< keys of the leading blocks that others may have
  std::vector<BlockId> blocks;   ///< held now, in the order of the content
  std::vector<BlockId> before;   ///< held until the last preemption
  std::size_t published = 0;     ///< leading blocks that others can find
};

/// Leading blocks of a request's content that are in the cache.
struct PrefixHit {
  std::vector<BlockId> blocks;
  std::int64_t tokens = 0;
};

struct KvCacheConfig {
  std::uint32_t num_blocks = 0;  ///< with the null block
  std::int64_t block_size = 16;  ///< tokens; vLLM's default on CUDA
  bool prefix_caching = true;    ///< vLLM V1's default
};

class KvCacheManager {
 public:
  explicit KvCacheManager(const KvCacheConfig& config)
      : config_(config), pool_(config.num_blocks) {}

  [[nodiscard]] std::int64_t block_size() const { return config_.block_size; }
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const {
    return (tokens + config_.block_size - 1) / config_.block_size;
  }
  [[nodiscard]] bool caches_prefixes() const { return config_.prefix_caching; }
  [[nodiscard]] const BlockPool& pool() const { return pool_; }
  /// vllm:kv_cache_usage_perc: the share of blocks that live requests hold, 0 to 1.
  [[nodiscard]] double usage() const;

  /// The keys under which a prompt's blocks are shared; none without prefix caching.
  [[nodiscard]] std::vector<BlockKey> keys_of(const std::vector<ContentRun>& prompt) const;
  /// What the cache has of a content of `tokens` tokens, all its blocks but the one with the last
  /// token at most.
  [[nodiscard]] PrefixHit find_hit(const RequestKv& kv, std::int64_t tokens) const;
  /// Takes the hit's blocks and new ones up to `tokens` tokens. False, and nothing done, if too few
  /// are free.
  [[nodiscard]] bool admit(RequestKv& kv, const PrefixHit& hit, std::int64_t tokens);
  /// Has the request hold blocks for its first `tokens` tokens. False, and nothing done, if too few
  /// are free.
  [[nodiscard]] bool grow(RequestKv& kv, std::int64_t tokens);
  /// Gives all blocks back, the content's end first, and keeps note of them: the request will come
  /// back.
  void preempt(RequestKv& kv, std::int64_t num_computed_tokens);
  /// Gives all blocks back for good.
  void free(RequestKv& kv);

 private:
  void publish(RequestKv& kv, std::int64_t tokens);

  KvCacheConfig config_;
  BlockPool pool_;
};

}  // namespace troupe::serving
