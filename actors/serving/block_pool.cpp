#include "actors/serving/block_pool.h"

#include <algorithm>
#include <utility>

#include "messages/assert.h"

namespace troupe::serving {
namespace {

constexpr std::size_t kSlotsMin = 64;

}  // namespace

BlockPool::BlockPool(std::uint32_t blocks) : total_(blocks), free_(blocks - 1), blocks_(1) {
  TROUPE_ASSERT(blocks >= 2, "a block pool needs a block beside the null block");
}

void BlockPool::take(std::uint32_t count, std::vector<BlockId>& out) {
  TROUPE_ASSERT(count <= free_, "more KV blocks taken than are free");
  free_ -= count;
  for (; count > 0 && blocks_.size() < total_; --count) {
    out.push_back(static_cast<BlockId>(blocks_.size()));
    blocks_.emplace_back().references = 1;
  }
  for (; count > 0; --count) {
    const BlockId block = blocks_[kNoBlock].next;
    dequeue(block);
    forget(block);
    blocks_[block].references = 1;
    out.push_back(block);
  }
}

void BlockPool::reference(BlockId block) {
  if (blocks_[block].references == 0) {
    dequeue(block);
    --free_;
  }
  ++blocks_[block].references;
}

void BlockPool::release(BlockId block) {
  TROUPE_ASSERT(blocks_[block].references > 0, "a free KV block released");
  if (--blocks_[block].references > 0) return;
  enqueue(block);
  ++free_;
}

void BlockPool::publish(BlockId block, BlockKey key) {
  TROUPE_ASSERT((key & kPrivateKey) == 0, "a private key published");
  if (blocks_[block].key == key) return;  // it was found by this key
  TROUPE_ASSERT(blocks_[block].key == 0, "a KV block published twice");
  if (published_ == slots_.size()) widen();
  ++published_;
  blocks_[block].key = key;
  append(block);
}

void BlockPool::append(BlockId block) {
  BlockId* link = &slot(blocks_[block].key);
  while (*link != kNoBlock) link = &blocks_[*link].same_slot;
  *link = block;
  blocks_[block].same_slot = kNoBlock;
}

/// Doubles the table. Blocks of one key keep their order: they were in one slot, and are appended
/// in its order.
void BlockPool::widen() {
  const std::vector<BlockId> before = std::exchange(slots_, {});
  slots_.resize(std::max(kSlotsMin, 2 * before.size()));
  for (BlockId block : before) {
    while (block != kNoBlock) append(std::exchange(block, blocks_[block].same_slot));
  }
}

void BlockPool::tag(BlockId block, BlockKey private_key) {
  TROUPE_ASSERT((private_key & kPrivateKey) != 0, "a shared key as a private one");
  if (blocks_[block].key == 0) blocks_[block].key = private_key;
}

BlockId BlockPool::find(BlockKey key) const {
  if (slots_.empty()) return kNoBlock;
  BlockId block = slots_[key & (slots_.size() - 1)];
  while (block != kNoBlock && blocks_[block].key != key) block = blocks_[block].same_slot;
  return block;
}

void BlockPool::enqueue(BlockId block) {
  const BlockId tail = blocks_[kNoBlock].previous;
  blocks_[block].previous = tail;
  blocks_[block].next = kNoBlock;
  blocks_[tail].next = block;
  blocks_[kNoBlock].previous = block;
}

void BlockPool::dequeue(BlockId block) {
  const BlockId previous = blocks_[block].previous;
  const BlockId next = blocks_[block].next;
  blocks_[previous].next = next;
  blocks_[next].previous = previous;
}

void BlockPool::forget(BlockId block) {
  const BlockKey key = blocks_[block].key;
  if (key == 0) return;
  blocks_[block].key = 0;
  if ((key & kPrivateKey) != 0) return;
  BlockId* link = &slot(key);
  while (*link != block) link = &blocks_[*link].same_slot;
  *link = blocks_[block].same_slot;
  blocks_[block].same_slot = kNoBlock;
  --published_;
}

}  // namespace troupe::serving
