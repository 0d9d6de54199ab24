#include "actors/serving/block_pool.h"

#include <bit>

#include "messages/assert.h"

namespace troupe::serving {

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
  if (slots_.empty()) slots_.resize(std::bit_ceil(total_));
  blocks_[block].key = key;
  BlockId* link = &slot(key);
  while (*link != kNoBlock) link = &blocks_[*link].same_slot;
  *link = block;
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
}

}  // namespace troupe::serving
