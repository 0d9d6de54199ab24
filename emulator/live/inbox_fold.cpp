#include "emulator/live/inbox_fold.h"

#include "messages/address.h"
#include "messages/hash.h"

namespace troupe::live {

void InboxFold::add(const inbox::Record& record) {
  if (record.has_birth()) {
    const inbox::Birth& birth = record.birth();
    const std::uint64_t host = birth.host().empty() ? 0 : host_hash(birth.host());
    epochs_[host] = birth.epoch();
    Life& life = lives_[{host, birth.epoch()}];
    life.name = birth.host();
    for (const inbox::Birth::Entry& entry : birth.persisted()) {
      words_.insert(words_.end(), {hash_bytes(entry.actor()), hash_bytes(entry.key()),
                                   hash_bytes(entry.value())});
    }
    life.chain.fold(words_);
    return;
  }
  ++delivered_;
  const inbox::Delivery& delivery = record.delivery();
  const wire::Event& event = delivery.event();
  const runtime::OrderKey& key = event.key();
  words_.assign({static_cast<std::uint64_t>(key.time_ns()),
                 (std::uint64_t{key.step()} << 8) | key.class_(), key.tie(), key.sender(),
                 key.sequence(), event.to().actor(), event.to().incarnation(), delivery.timer(),
                 static_cast<std::uint64_t>(delivery.due_ns()), delivery.payload_hash(),
                 delivery.emitted()});
  lives_[{delivery.host(), epochs_[delivery.host()]}].chain.fold(words_);
}

Digest InboxFold::digest() const {
  Digest total;
  for (const auto& [place, life] : lives_)
    total += life.chain.contribution(life.name, place.second);
  return total;
}

}  // namespace troupe::live
