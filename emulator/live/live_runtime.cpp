#include "emulator/live/live_runtime.h"

#include <algorithm>
#include <limits>

#include "emulator/journal/fact_message.h"
#include "emulator/transport/event_codec.h"
#include "messages/assert.h"
#include "messages/envelope.h"
#include "messages/runtime.pb.h"

namespace troupe::live {
namespace {

constexpr std::int64_t kIdle = std::numeric_limits<std::int64_t>::max();
constexpr SimTime kNever{Duration(kIdle)};
// A host gives way to others after so many events.
constexpr int kEventsInOneGo = 200;
// After a defect of ours an actor's host begins again this much later.
constexpr Duration kDefectRestart = std::chrono::seconds(1);

}  // namespace

struct LiveRuntime::LiveHost {
  class FactsOfHost final : public Observer {
   public:
    void on_fact(const FactRecord& record) override { facts.push_back(to_message(record)); }
    std::vector<journal::Fact> facts;
  };

  LiveHost(std::string name, RuntimeOptions options, const HostRegistry& registry)
      : path(std::move(name)),
        hash(path.empty() ? 0 : host_hash(path)),
        runtime(std::move(options), registry) {
    runtime.add_observer(facts);
  }

  const std::string path;
  const std::uint64_t hash;
  caf::actor carrier;

  // Of whoever runs it, one thread at a time.
  VirtualRuntime runtime;
  FactsOfHost facts;
  EventQueue queue;
  SimTime last_stamp{Duration(-1)};
  std::uint64_t own_faults = 0;
  inbox::Record birth;  ///< until it is written

  // Of everybody.
  std::mutex mutex;
  std::vector<Departure> arrivals;
  SimTime next_wake = kNever;
  mutable std::mutex lateness_mutex;
  LatenessByClass lateness;
  /// While it runs, the clock when it began to.
  std::atomic<std::int64_t> busy_since{kIdle};
};

LiveRuntime::LiveRuntime(LiveOptions options, const HostRegistry& registry, LiveClock& clock,
                         std::function<void(HostOutput)> take)
    : options_(std::move(options)), registry_(registry), clock_(clock), take_(std::move(take)) {
  timekeeper_ = std::thread([this] { keep_time(); });
}

LiveRuntime::~LiveRuntime() {
  stop();
}

void LiveRuntime::stop() {
  if (stopping_.exchange(true)) return;
  clock_changed();
  timekeeper_.join();
  // A host that runs just now comes to its end; one that is woken from now on sees that it is over.
  std::vector<LiveHost*> hosts;
  {
    const std::lock_guard lock(hosts_mutex_);
    for (auto& [hash, host] : hosts_) hosts.push_back(host.get());
  }
  for (const LiveHost* host : hosts) {
    while (host->busy_since != kIdle) std::this_thread::yield();
  }
  for (LiveHost* host : hosts) CafPool::stop(host->carrier);
}

void LiveRuntime::take_up(const StateStore::Host& host) {
  LiveHost& taken = host_of(host.path);
  inbox::Birth& birth = *taken.birth.mutable_birth();
  for (const auto& [actor, entries] : host.persisted) {
    for (const auto& [key, bytes] : entries) {
      auto& entry = *birth.add_persisted();
      entry.set_actor(actor);
      entry.set_key(key);
      entry.set_value(bytes);
    }
  }
  if (!host.path.empty()) taken.runtime.restore(host.path, host.persisted);
}

LiveRuntime::LiveHost& LiveRuntime::host_of(const std::string& path) {
  const std::lock_guard lock(hosts_mutex_);
  std::unique_ptr<LiveHost>& slot = hosts_[path.empty() ? 0 : host_hash(path)];
  if (slot) return *slot;
  RuntimeOptions options{
      .seed = options_.seed, .latencies = options_.latencies, .faults = options_.faults};
  options.queue_outside = true;
  options.epoch = options_.epoch;
  slot = std::make_unique<LiveHost>(path, std::move(options), registry_);
  slot->birth.mutable_birth()->set_host(path);
  slot->birth.mutable_birth()->set_epoch(options_.epoch);
  LiveHost& host = *slot;
  if (!path.empty()) {
    for (const auto& [key, rules] : rules_) {
      host.arrivals.push_back({key, {address_of(path), {rules, {}, 0, 0}}});
    }
  }
  host.carrier = pool_.spawn([this, &host] { run(host); });
  return host;
}

LiveRuntime::LiveHost* LiveRuntime::find(std::uint64_t host) const {
  const std::lock_guard lock(hosts_mutex_);
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? nullptr : found->second.get();
}

void LiveRuntime::deliver(const OrderKey& key, PendingEvent event) {
  LiveHost* host = find(event.to.host);
  if (host == nullptr) {
    const auto* start = event.delivery.as<runtime::HostStart>();
    if (start == nullptr && event.to) return;
    host = &host_of(start == nullptr ? std::string() : start->path());
  }
  SimTime due = key.time;
  {
    const std::lock_guard lock(host->mutex);
    host->arrivals.push_back({key, std::move(event)});
    if (due >= host->next_wake) return;
    host->next_wake = due;
  }
  wake_at(due, *host);
}

void LiveRuntime::take_rules(const OrderKey& key, const Payload& rules) {
  std::vector<std::string> paths;
  {
    const std::lock_guard lock(hosts_mutex_);
    rules_.emplace_back(key, rules);
    for (const auto& [hash, host] : hosts_) {
      if (!host->path.empty()) paths.push_back(host->path);
    }
  }
  for (const std::string& path : paths) deliver(key, {address_of(path), {rules, {}, 0, 0}});
}

void LiveRuntime::run(LiveHost& host) {
  host.busy_since = to_ns(clock_.now());
  if (stopping_) {
    host.busy_since = kIdle;
    return;
  }
  HostOutput output;
  std::vector<Departure> within;  // for other hosts of this process
  {
    const std::lock_guard lock(host.mutex);
    for (Departure& arrival : host.arrivals) host.queue.push(arrival.key, std::move(arrival.event));
    host.arrivals.clear();
    host.next_wake = kNever;
  }
  const SimTime now = clock_.now();
  for (int i = 0; i < kEventsInOneGo && !host.queue.empty() && now <= options_.end &&
                  host.queue.next().time <= now;
       ++i) {
    const OrderKey due = host.queue.next();
    run_event(host, due, host.queue.pop(), output);
    for (Departure& departure : host.runtime.take_outgoing()) {
      if (departure.event.to.host == host.hash) {
        host.queue.push(departure.key, std::move(departure.event));
      } else if (options_.placement.process_of(departure.event.to.host) == options_.process) {
        within.push_back(std::move(departure));
      } else {
        output.departures.push_back(std::move(departure));
      }
    }
  }
  output.facts = std::exchange(host.facts.facts, {});
  if (!output.records.empty() || !output.facts.empty()) take_(std::move(output));
  for (Departure& departure : within) deliver(departure.key, std::move(departure.event));
  if (!host.queue.empty() && now <= options_.end) wake_at_latest(host.queue.next().time, host);
  host.busy_since = kIdle;  // last of all: whoever stops the runtime takes the carrier away then
}

void LiveRuntime::wake_at_latest(SimTime time, LiveHost& host) {
  {
    const std::lock_guard lock(host.mutex);
    if (time >= host.next_wake) return;
    host.next_wake = time;
  }
  wake_at(time, host);
}

void LiveRuntime::run_event(LiveHost& host, const OrderKey& due, PendingEvent event,
                            HostOutput& output) {
  OrderKey key = due;
  key.time = std::max({due.time, clock_.now(), host.last_stamp + Duration(1)});
  inbox::Record record;
  inbox::Delivery& delivery = *record.mutable_delivery();
  delivery.set_host(host.hash);
  const bool is_own = event.delivery.timer != 0 ||
                      (event.delivery.sender && event.delivery.sender.host == host.hash);
  *delivery.mutable_event() = transport::to_wire({key, event}, !is_own);
  delivery.set_timer(event.delivery.timer);
  delivery.set_due_ns(to_ns(due.time));
  delivery.set_payload_hash(event.delivery.payload.hash());
  if (const auto* start = event.delivery.as<runtime::HostStart>()) {
    output.begun.push_back(
        {start->path(), to_envelope(event.delivery.payload).SerializeAsString()});
  } else if (event.delivery.as<runtime::HostStop>() != nullptr) {
    output.begun.push_back({host.path, {}});
  }
  const std::size_t lateness_class =
      event.delivery.timer != 0 ? kTimers : static_cast<std::size_t>(event.link);
  const Handled handled = host.runtime.handle(key, std::move(event));
  if (!handled.happened) return;
  host.last_stamp = key.time;
  delivery.set_emitted(handled.emitted);
  if (host.birth.has_birth()) output.records.push_back(std::exchange(host.birth, {}));
  output.records.push_back(std::move(record));
  for (VirtualRuntime::Kept& kept : host.runtime.take_kept()) {
    output.writes.push_back(
        {host.path, std::move(kept.actor), std::move(kept.key), std::move(kept.bytes)});
  }
  if (due.event_class != EventClass::Fault) {
    const std::lock_guard lock(host.lateness_mutex);
    host.lateness[lateness_class].add(key.time - due.time);
  }
  if (const auto defect = host.runtime.take_defect()) {
    ++output.defects;
    runtime::HostCrash crash;
    crash.set_restarts(true);
    crash.set_restart_after_ns(kDefectRestart.count());
    // The host's own doing: a replay comes to the same defect, and finds this beside it.
    host.queue.push({key.time + Duration(1), 0, EventClass::Fault, 0, host.hash, host.own_faults++},
                    {address_of(host.path), {Payload::of(std::move(crash)), {}, 0, 0}});
  }
}

void LiveRuntime::wake_at(SimTime time, LiveHost& host) {
  if (time <= clock_.now()) return CafPool::wake(host.carrier);
  const std::lock_guard lock(waking_mutex_);
  const bool is_first = wakings_.empty() || time < wakings_.top().time;
  wakings_.push({time, &host});
  if (is_first) waking_changed_.notify_one();
}

void LiveRuntime::clock_changed() {
  const std::lock_guard lock(waking_mutex_);
  waking_changed_.notify_one();
}

void LiveRuntime::keep_time() {
  std::unique_lock lock(waking_mutex_);
  while (!stopping_) {
    if (wakings_.empty()) {
      waking_changed_.wait(lock);
      continue;
    }
    const SimTime next = wakings_.top().time;
    if (next <= clock_.now()) {
      CafPool::wake(wakings_.top().host->carrier);
      wakings_.pop();
      continue;
    }
    if (const auto wall = clock_.when(next)) {
      waking_changed_.wait_until(lock, *wall);
    } else {
      waking_changed_.wait(lock);
    }
  }
}

SimTime LiveRuntime::watermark() const {
  std::int64_t mark = to_ns(clock_.now());
  const std::lock_guard lock(hosts_mutex_);
  for (const auto& [hash, host] : hosts_) mark = std::min(mark, host->busy_since.load());
  return from_ns(mark);
}

bool LiveRuntime::idle() const {
  const SimTime now = clock_.now();
  const std::lock_guard lock(hosts_mutex_);
  return std::ranges::all_of(hosts_, [now](const auto& entry) {
    LiveHost& host = *entry.second;
    const std::lock_guard host_lock(host.mutex);
    return host.next_wake > now && host.busy_since == kIdle;
  });
}

LatenessByClass LiveRuntime::lateness() const {
  LatenessByClass total;
  const std::lock_guard lock(hosts_mutex_);
  for (const auto& [hash, host] : hosts_) {
    const std::lock_guard host_lock(host->lateness_mutex);
    for (std::size_t i = 0; i < kClasses; ++i) {
      const auto& buckets = host->lateness[i].buckets();
      for (std::size_t b = 0; b < buckets.size(); ++b) {
        if (buckets[b] != 0) total[i].add_bucket(b, buckets[b]);
      }
    }
  }
  return total;
}

}  // namespace troupe::live
