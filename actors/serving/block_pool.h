// The KV blocks of one engine: which are referenced, which are free, and what the free ones still
// remember.
//
// As vLLM's BlockPool: a block whose last reference goes keeps its content and joins the tail of a
// queue; new blocks come from its head, so the least recently used content is forgotten first.
// Block 0 is vLLM's null block and is never given out. Blocks that were never used need no memory:
// they stand, implicitly, before all others in the queue.
#pragma once

#include <cstdint>
#include <vector>

#include "actors/serving/prompt_content.h"

namespace troupe::serving {

using BlockId = std::uint32_t;
inline constexpr BlockId kNoBlock = 0;

class BlockPool {
 public:
  /// `blocks` includes the null block: at least 2.
  explicit BlockPool(std::uint32_t blocks);

  /// Blocks that can be given out.
  [[nodiscard]] std::uint32_t usable() const { return total_ - 1; }
  [[nodiscard]] std::uint32_t free_count() const { return free_; }
  /// Blocks that a live request references.
  [[nodiscard]] std::uint32_t used() const { return usable() - free_; }

  /// Takes `count` (at most free_count()) of the free blocks, least recently used first, each with
  /// one reference and its content forgotten, and appends them to `out`.
  void take(std::uint32_t count, std::vector<BlockId>& out);
  /// Adds a reference to a block, which may be a free one.
  void reference(BlockId block);
  /// Takes a reference away. The last one puts the block at the tail of the free queue, content
  /// kept.
  void release(BlockId block);

  /// Makes the content findable by others. A key may have several blocks; the first published is
  /// found.
  void publish(BlockId block, BlockKey key);
  /// Notes the content of a block that only its owner will ask for, with holds().
  void tag(BlockId block, BlockKey private_key);
  /// A block with this content, referenced or free; kNoBlock if there is none.
  [[nodiscard]] BlockId find(BlockKey key) const;
  [[nodiscard]] bool holds(BlockId block, BlockKey key) const {
    return block < blocks_.size() && blocks_[block].key == key;
  }
  [[nodiscard]] bool is_free(BlockId block) const { return blocks_[block].references == 0; }

 private:
  struct Block {
    BlockKey key = 0;
    BlockId previous = kNoBlock;  // in the free queue, whose ends meet in block 0
    BlockId next = kNoBlock;
    BlockId same_slot = kNoBlock;  // the next published block whose key falls into the same slot
    std::uint32_t references = 0;
  };

  void enqueue(BlockId block);
  void dequeue(BlockId block);
  void forget(BlockId block);
  void append(BlockId block);
  void widen();
  [[nodiscard]] BlockId& slot(BlockKey key) { return slots_[key & (slots_.size() - 1)]; }

  std::uint32_t total_;
  std::uint32_t free_;
  std::vector<Block> blocks_;  // of the blocks that were ever used
  // A hash table of the published blocks by key: as many slots as blocks or more, a power of two.
  std::vector<BlockId> slots_;
  std::size_t published_ = 0;
};

}  // namespace troupe::serving
