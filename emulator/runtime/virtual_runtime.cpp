#include "emulator/runtime/virtual_runtime.h"

#include <algorithm>
#include <utility>

#include "emulator/runtime/clock_trap.h"
#include "messages/assert.h"
#include "messages/facts.pb.h"
#include "messages/runtime.pb.h"

namespace troupe {
namespace {

const std::string kRuntimeName = "runtime";
// A cell's table of stream ends is swept when it has grown this large; ends that passed order
// nothing any more.
constexpr std::size_t kStreamEndsSweep = 1024;

std::uint64_t hash_words(const std::vector<std::uint64_t>& words) {
  return hash_bytes({reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words[0])});
}

bool concerns_host(const Delivery& delivery) {
  return delivery.as<runtime::HostStart>() != nullptr ||
         delivery.as<runtime::HostStop>() != nullptr ||
         delivery.as<fault::CrashHost>() != nullptr || delivery.as<fault::SkewClock>() != nullptr ||
         delivery.as<fault::OpenLink>() != nullptr;
}

}  // namespace

VirtualRuntime::VirtualRuntime(RuntimeOptions options, const HostRegistry& registry)
    : options_(std::move(options)),
      registry_(registry),
      latency_(options_.seed, options_.latencies),
      link_faults_(options_.seed, options_.faults.link_rules, options_.faults.listed_hosts),
      departures_(options_.placement.processes()),
      context_(options_.seed, effects_, record_) {}

VirtualRuntime::~VirtualRuntime() {
  for (auto& [hash, host] : hosts_) {
    for (auto& [path, cell] : host->cells) stage_.stop(cell->carrier);
  }
}

std::optional<Defect> VirtualRuntime::advance(SimTime end) {
  const auto stopped = [this] { return options_.stop != nullptr && options_.stop->load(); };
  while (!defect_ && !queue_.empty() && queue_.next().time <= end && !stopped()) step();
  if (!defect_ && !stopped()) now_ = end;
  return defect_;
}

void VirtualRuntime::tell_standstill(SimTime end) {
  for (Observer* observer : observers_) observer->on_checkpoint(end, digest());
}

std::optional<Defect> VirtualRuntime::run_before(SimTime end) {
  while (!defect_ && !queue_.empty() && queue_.next().time < end) step();
  return defect_;
}

std::optional<SimTime> VirtualRuntime::next_event() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.next().time;
}

void VirtualRuntime::accept(const OrderKey& key, PendingEvent event) {
  TROUPE_ASSERT(key.time >= now_, "a message from another process is due before the present");
  queue_.push(key, std::move(event));
}

std::vector<std::vector<Departure>> VirtualRuntime::take_departures() {
  std::vector<std::vector<Departure>> taken(departures_.size());
  taken.swap(departures_);
  return taken;
}

void VirtualRuntime::restore(const std::string& host,
                             std::map<std::string, std::map<std::string, std::string>> persisted) {
  slot_of(host).persisted = std::move(persisted);
}

Handled VirtualRuntime::handle(const OrderKey& key, PendingEvent event) {
  TROUPE_ASSERT(key.time >= now_, "an event is due before the present");
  const std::uint64_t delivered = delivered_;
  const bool is_mail = event.delivery.timer == 0;
  const bool is_known = hosts_.contains(event.to.host) || !event.to;
  const bool begins = event.delivery.as<runtime::HostStart>() != nullptr ||
                      event.delivery.as<fault::TakeRules>() != nullptr;
  current_ = key;
  now_ = key.time;
  emitted_ = 0;
  if (key.event_class != EventClass::Fault || !apply_fault(event)) deliver(event);
  // Mail to a host that is there does something even where nobody reads it: it is refused.
  return {delivered_ != delivered || begins || (is_mail && is_known), emitted_};
}

std::string VirtualRuntime::path_of(const Address& actor) const {
  const Cell* cell = find(actor);
  return cell == nullptr ? std::string() : cell->path;
}

std::vector<Departure> VirtualRuntime::take_outgoing() {
  return std::exchange(departures_.front(), {});
}

std::optional<Defect> VirtualRuntime::take_defect() {
  return std::exchange(defect_, std::nullopt);
}

std::vector<VirtualRuntime::Kept> VirtualRuntime::take_kept() {
  return std::exchange(kept_, {});
}

Digest VirtualRuntime::digest() {
  for (Cell* cell : touched_) count(*cell);
  touched_.clear();
  return digest_;
}

void VirtualRuntime::step() {
  const OrderKey key = queue_.next();
  TROUPE_ASSERT(key.time >= now_, "an event is due before the present");
  checkpoint(key.time);
  current_ = key;
  now_ = key.time;
  const PendingEvent event = queue_.pop();
  if (key.event_class == EventClass::Fault && apply_fault(event)) return;
  deliver(event);
}

void VirtualRuntime::deliver(const PendingEvent& event) {
  Cell* const cell = find(event.to);
  if (event.delivery.timer != 0) {
    if (cell == nullptr || cell->armed_timers.erase(event.delivery.timer) == 0) return;
  } else if (cell == nullptr || concerns_host(event.delivery)) {
    return deliver_to_host(event);
  }
  ++delivered_;
  record_.assign(
      {static_cast<std::uint64_t>(to_ns(current_.time)),
       (std::uint64_t{current_.step} << 8) | static_cast<std::uint64_t>(current_.event_class),
       current_.tie, current_.sender, current_.sequence, event.delivery.payload.hash()});
  run_handler(*cell, &event.delivery);
}

void VirtualRuntime::deliver_to_host(const PendingEvent& event) {
  if (event.delivery.as<runtime::HostStart>() != nullptr) return begin_host(event);
  const auto host = hosts_.find(event.to.host);
  if (host == hosts_.end() || !host->second->alive) return;  // mail to a dead host vanishes
  if (befall(*host->second, event.delivery)) return;
  if (event.delivery.as<runtime::HostStop>() == nullptr)
    return refuse_or_drop(*host->second, event);
  host->second->stopped = true;
  end_life(*host->second);
}

Cell* VirtualRuntime::find(const Address& to) const {
  const auto found = cells_.find(to.actor);
  if (found == cells_.end()) return nullptr;
  const bool is_it = to.incarnation == Address::kAnyIncarnation ||
                     to.incarnation == found->second->address.incarnation;
  return is_it ? found->second : nullptr;
}

void VirtualRuntime::begin_host(const PendingEvent& event) {
  const auto& start = *event.delivery.as<runtime::HostStart>();
  Host& host = slot_of(start.path());
  if (host.alive) {
    return fail(start.path(), "HostStart", "a host of this name is alive already");
  }
  host.start = event.delivery.payload;
  host.stopped = false;
  begin_life(host);
}

Host& VirtualRuntime::slot_of(const std::string& name) {
  std::unique_ptr<Host>& slot = hosts_[host_hash(name)];
  if (!slot) {
    slot = std::make_unique<Host>();
    slot->name = name;
    slot->lives = options_.epoch * kLivesPerEpoch;
    slot->first_incarnation = slot->lives;
  }
  return *slot;
}

void VirtualRuntime::refuse_or_drop(Host& host, const PendingEvent& event) {
  const Address& back = event.delivery.sender;
  if (!back || event.delivery.as<runtime::ConnectionRefused>() != nullptr) return;
  OrderKey key = key_of_host(host, now_, EventClass::Network);
  if (back.host == event.to.host) {
    key.step = current_.step + 1;
  } else {
    key.time += latency_.draw(event.link, {key.sender, back.actor, 0, 0, key.sequence});
  }
  key.tie = tie(key.sender, back.actor, key.time);
  Payload refusal = Payload::of(runtime::ConnectionRefused{}, {event.delivery.payload});
  push(key, {back, {std::move(refusal), event.to, event.delivery.stream, 0}, event.link});
}

OrderKey VirtualRuntime::key_of_host(Host& host, SimTime at, EventClass event_class) {
  return {at, 0, event_class, 0, mix(host_hash(host.name), host.lives), host.sequence++};
}

// What is said to a host or to the observers; false if it is mail to an actor.
bool VirtualRuntime::apply_fault(const PendingEvent& event) {
  const Payload& what = event.delivery.payload;
  if (what.as<runtime::RecordFact>() != nullptr) {
    record_fact(kRuntimeName, what.attachments().front());
    return true;
  }
  if (const auto* rules = what.as<fault::TakeRules>()) {
    take_rules(*rules);
    return true;
  }
  const auto* crash_message = what.as<runtime::HostCrash>();
  if (crash_message == nullptr && what.as<runtime::HostRestart>() == nullptr) return false;
  const auto found = hosts_.find(event.to.host);
  if (found == hosts_.end() || found->second->stopped) return true;
  Host& host = *found->second;
  if (crash_message != nullptr) {
    crash(host, *crash_message);
  } else if (!host.alive) {
    begin_life(host);
  }
  return true;
}

void VirtualRuntime::crash(Host& host, const runtime::HostCrash& crash) {
  if (!host.alive) return;
  end_life(host);
  facts::HostCrashed crashed;
  crashed.set_host(host.name);
  record_fact(kRuntimeName, Payload::of(std::move(crashed)));
  if (!crash.restarts()) return;
  const SimTime at = now_ + Duration(crash.restart_after_ns());
  OrderKey key = key_of_host(host, at, EventClass::Fault);
  if (at == now_) key.step = current_.step + 1;
  push(key, {address_of(host.name), {Payload::of(runtime::HostRestart{}), {}, 0, 0}});
}

void VirtualRuntime::begin_life(Host& host) {
  host.alive = true;
  ++host.lives;
  std::unique_ptr<Actor> root;
  try {
    root = registry_.build(host.start.as<runtime::HostStart>()->kind(), host.start);
  } catch (const std::exception& e) {
    return fail(host.name, "HostStart", e.what());
  }
  facts::HostStarted started;
  started.set_host(host.name);
  started.set_incarnation(host.lives);
  record_fact(kRuntimeName, Payload::of(std::move(started)));
  Address address = address_of(host.name);
  address.incarnation = host.next_incarnation(address.actor);
  std::vector<Effects::Spawn> births;
  births.push_back({host.name, address, std::move(root)});
  run_births(host, std::move(births));
}

void VirtualRuntime::end_life(Host& host) {
  host.alive = false;
  host.held.clear();
  while (!host.cells.empty()) remove_cell(host, std::string(host.cells.begin()->first));
}

Cell& VirtualRuntime::add_cell(Host& host, Effects::Spawn birth) {
  TROUPE_ASSERT(!cells_.contains(birth.address.actor),
                "an actor lives at " + birth.path + " already");
  auto owned = std::make_unique<Cell>(host, birth.path, birth.address, std::move(birth.actor));
  Cell& cell = *owned;
  cell.carrier = stage_.spawn([this, &cell] {
    const ClockTrap trap(cell.path);
    if (in_hand_ != nullptr) {
      cell.logic->receive(context_, *in_hand_);
    } else {
      cell.logic->start(context_);
    }
  });
  cells_[cell.address.actor] = &cell;
  host.cells.emplace(cell.path, std::move(owned));
  return cell;
}

void VirtualRuntime::remove_cell(Host& host, const std::string& path) {
  const auto found = host.cells.find(path);
  Cell& cell = *found->second;
  count(cell);
  std::erase(touched_, &cell);
  cells_.erase(cell.address.actor);
  stage_.stop(cell.carrier);
  host.cells.erase(found);
}

void VirtualRuntime::run_births(Host& host, std::vector<Effects::Spawn> births) {
  for (Effects::Spawn& birth : births) {
    if (defect_) return;
    const Address address = birth.address;
    Cell& cell = add_cell(host, std::move(birth));
    if (lived_before(host, cell)) push_restored(host, cell);
    record_.assign({static_cast<std::uint64_t>(to_ns(now_)), address.incarnation});
    run_handler(cell, nullptr);
  }
}

// In this process, or as what persisted something in one before.
bool VirtualRuntime::lived_before(const Host& host, const Cell& cell) {
  if (cell.address.incarnation > host.first_incarnation + 1) return true;
  return host.first_incarnation > 0 &&
         (cell.path == host.name || host.persisted.contains(cell.path));
}

void VirtualRuntime::push_restored(Host& host, const Cell& cell) {
  runtime::Restored restored;
  if (const auto kept = host.persisted.find(cell.path); kept != host.persisted.end()) {
    for (const auto& [key, bytes] : kept->second) {
      auto* entry = restored.add_entries();
      entry->set_key(key);
      entry->set_value(bytes);
    }
  }
  OrderKey key = key_of_host(host, now_, EventClass::Fault);  // before any mail of this moment
  key.step = current_.step + 1;
  push(key, {cell.address, {Payload::of(std::move(restored)), {}, 0, 0}});
}

void VirtualRuntime::run_handler(Cell& cell, const Delivery* delivery) {
  in_hand_ = delivery;
  context_.begin(std::max(now_ + cell.host.skew, kTimeZero), cell);
  if (const auto thrown = stage_.run(cell.carrier)) {
    effects_.clear();
    return fail(cell.path, delivery != nullptr ? delivery->payload.type_name() : "start", *thrown);
  }
  if (options_.queue_outside) emitted_ = mix(emitted_, hash_words(record_));
  cell.chain.fold(record_);
  if (!cell.touched) {
    cell.touched = true;
    touched_.push_back(&cell);
  }
  commit(cell);
}

void VirtualRuntime::commit(Cell& cell) {
  for (Effects::Persist& write : effects_.persists) {
    if (options_.queue_outside) kept_.push_back({cell.path, write.key, write.bytes});
    auto& entries = cell.host.persisted[cell.path];
    if (write.bytes.empty()) {
      entries.erase(write.key);
    } else {
      entries[write.key] = std::move(write.bytes);
    }
  }
  for (Effects::Timer& timer : effects_.timers) arm(cell, std::move(timer));
  for (const TimerId cancelled : effects_.cancelled) cell.armed_timers.erase(cancelled);
  for (Effects::Send& send : effects_.sends) post(cell, std::move(send));
  for (const Payload& fact : effects_.facts) {
    record_fact(cell.path, fact);
    if (!options_.faults.ears.empty()) tell_directors(cell, fact);
  }
  std::vector<Effects::Spawn> births = std::exchange(effects_.spawns, {});
  const std::vector<Address> stops = std::exchange(effects_.stops, {});
  effects_.clear();
  if (!births.empty()) run_births(cell.host, std::move(births));
  for (const Address& stop : stops) {
    if (const Cell* stopped = find(stop)) remove_cell(stopped->host, std::string(stopped->path));
  }
}

void VirtualRuntime::arm(Cell& cell, Effects::Timer timer) {
  OrderKey key{now_ + timer.delay, 0, EventClass::Timer, 0, cell.id, timer.id};
  if (timer.delay == Duration::zero()) key.step = current_.step + 1;
  key.tie = tie(cell.id, cell.id, key.time);
  cell.armed_timers.insert(timer.id);
  push(key, {cell.address, {std::move(timer.what), cell.address, 0, timer.id}});
}

void VirtualRuntime::post(Cell& cell, Effects::Send send) {
  OrderKey key{now_ + send.via.extra, 0, EventClass::Network, 0, cell.id, send.sequence};
  if (send.to.host == cell.address.host) {
    if (send.via.extra == Duration::zero()) key.step = current_.step + 1;
  } else {
    const std::uint64_t kind = send.what.kind();
    const std::uint64_t version =
        send.via.version ? *send.via.version : cell.kind_counts[mix(send.to.actor, kind)]++;
    const MessageName name{cell.id, send.to.actor, kind, send.via.object, version};
    key.time += latency_.draw(send.via.link, name);
    if (!link_faults_.empty()) {
      const std::optional<SimTime> due = travel(cell, send, name, key.time);
      if (!due) return;
      key.time = *due;
    }
    if (send.via.stream != 0) {
      key.time = keep_stream_order(cell, mix(send.to.actor, send.via.stream), key.time);
    }
  }
  key.tie = tie(cell.id, send.to.actor, key.time);
  push(key, {send.to, {std::move(send.what), cell.address, send.via.stream, 0}, send.via.link});
}

SimTime VirtualRuntime::keep_stream_order(Cell& cell, std::uint64_t channel, SimTime due) {
  if (cell.stream_ends.size() >= kStreamEndsSweep) {
    for (auto end = cell.stream_ends.begin(); end != cell.stream_ends.end();) {
      end = end.value() < now_ ? cell.stream_ends.erase(end) : std::next(end);
    }
  }
  SimTime& end = cell.stream_ends[channel];
  end = std::max(due, end + Duration(1));
  return end;
}

void VirtualRuntime::push(const OrderKey& key, PendingEvent event) {
  if (options_.queue_outside) {
    departures_.front().push_back({key, std::move(event)});
    return;
  }
  const std::uint32_t process = options_.placement.process_of(event.to.host);
  if (process == options_.process) [[likely]] {
    return queue_.push(key, std::move(event));
  }
  TROUPE_ASSERT(key.time - now_ >= options_.lookahead,
                "a " + event.delivery.payload.type_name() + " crosses processes by link " +
                    std::string(name_of(event.link)) + " in less than the lookahead");
  departures_[process].push_back({key, std::move(event)});
}

// Every process is told every fault and counts it, so that all give it the same key; the host's own
// keeps it.
void VirtualRuntime::inject(const Address& to, Payload what, SimTime at) {
  const OrderKey key{at, 0, EventClass::Fault, 0, 0, runtime_sequence_++};
  const bool for_all = what.as<fault::TakeRules>() != nullptr;
  if (!for_all && options_.placement.process_of(to.host) != options_.process) return;
  queue_.push(key, {to, {std::move(what), {}, 0, 0}});
}

void VirtualRuntime::record_fact(const std::string& actor, const Payload& fact) {
  for (Observer* observer : observers_) observer->on_fact({current_, actor, fact});
}

void VirtualRuntime::fail(const std::string& actor, const std::string& message,
                          const std::string& what) {
  defect_ = Defect{actor, message, now_, what};
}

void VirtualRuntime::count(Cell& cell) {
  digest_ -= cell.counted;
  cell.counted = cell.chain.contribution(cell.path, cell.address.incarnation);
  digest_ += cell.counted;
  cell.touched = false;
}

void VirtualRuntime::checkpoint(SimTime upcoming) {
  if (upcoming < next_checkpoint_) return;
  const SimTime second = std::chrono::floor<std::chrono::seconds>(upcoming);
  for (Observer* observer : observers_) observer->on_checkpoint(second, digest());
  next_checkpoint_ = second + std::chrono::seconds(1);
}

std::uint64_t VirtualRuntime::tie(std::uint64_t sender, std::uint64_t receiver, SimTime at) const {
  if (!options_.shuffle_ties) return 0;
  return mix(options_.seed, sender, receiver, static_cast<std::uint64_t>(to_ns(at)));
}

}  // namespace troupe
