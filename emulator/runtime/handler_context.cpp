#include "emulator/runtime/handler_context.h"

#include "messages/assert.h"
#include "messages/hash.h"

namespace troupe {
namespace {

// Tells the kinds of effect apart in an actor's record.
enum Mark : std::uint64_t { kSend = 1, kTimer, kCancel, kSpawn, kStop, kPersist, kFact };

}  // namespace

void Effects::clear() {
  sends.clear();
  timers.clear();
  cancelled.clear();
  spawns.clear();
  stops.clear();
  persists.clear();
  facts.clear();
}

void HandlerContext::begin(SimTime now, Cell& cell) {
  now_ = now;
  cell_ = &cell;
}

void HandlerContext::send(const Address& to, Payload what, const Via& via) {
  TROUPE_ASSERT(static_cast<bool>(to), "send to an empty address");
  TROUPE_ASSERT(static_cast<bool>(what), "send of an empty payload");
  TROUPE_ASSERT(via.extra >= Duration::zero(), "send into the past");
  record_.insert(record_.end(), {kSend, to.actor, to.incarnation, what.hash(),
                                 static_cast<std::uint64_t>(via.extra.count())});
  effects_.sends.push_back({to, std::move(what), via, cell_->sequence++});
}

TimerId HandlerContext::set_timer(Duration delay, Payload what) {
  TROUPE_ASSERT(delay >= Duration::zero(), "timer in the past");
  TROUPE_ASSERT(static_cast<bool>(what), "timer with an empty payload");
  const TimerId id = ++cell_->sequence;  // never 0: 0 means "no timer" to actors
  record_.insert(record_.end(), {kTimer, static_cast<std::uint64_t>(delay.count()), what.hash()});
  effects_.timers.push_back({id, delay, std::move(what)});
  return id;
}

void HandlerContext::cancel_timer(TimerId timer) {
  record_.insert(record_.end(), {kCancel, timer});
  effects_.cancelled.push_back(timer);
}

Address HandlerContext::spawn(const std::string& path, std::unique_ptr<Actor> actor) {
  TROUPE_ASSERT(host_of(path) == cell_->host.name && path != cell_->host.name,
                "spawn of " + path + " outside its own host " + cell_->host.name);
  TROUPE_ASSERT(actor != nullptr, "spawn of nothing at " + path);
  Address address = address_of(path);
  address.incarnation = cell_->host.next_incarnation(address.actor);
  record_.insert(record_.end(), {kSpawn, address.actor, address.incarnation});
  effects_.spawns.push_back({path, address, std::move(actor)});
  return address;
}

void HandlerContext::stop(const Address& actor) {
  TROUPE_ASSERT(actor.host == cell_->address.host, "stop of an actor on another host");
  record_.insert(record_.end(), {kStop, actor.actor, actor.incarnation});
  effects_.stops.push_back(actor);
}

void HandlerContext::persist(const std::string& key, std::string bytes) {
  record_.insert(record_.end(), {kPersist, hash_bytes(key), hash_bytes(bytes)});
  effects_.persists.push_back({key, std::move(bytes)});
}

void HandlerContext::emit(Payload fact) {
  TROUPE_ASSERT(static_cast<bool>(fact), "emit of an empty fact");
  record_.insert(record_.end(), {kFact, fact.hash()});
  effects_.facts.push_back(std::move(fact));
}

std::uint64_t HandlerContext::random(std::string_view purpose, std::uint64_t index) const {
  return mix(seed_, cell_->id, hash_bytes(purpose), index);
}

}  // namespace troupe
