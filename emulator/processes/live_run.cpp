#include "emulator/processes/live_run.h"

#include <algorithm>
#include <cmath>

#include "emulator/live/inbox_journal.h"
#include "emulator/runtime/order_key_message.h"
#include "emulator/transport/event_codec.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/fault.pb.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kRealTime = 1'000'000;  // ppm
constexpr std::int64_t kSpeedMax = 1000 * kRealTime;
constexpr auto kAdaptEvery = milliseconds(500);
constexpr auto kLookEvery = milliseconds(50);
// Where a worker holds the run up, those who steer it are asked so often: they may be who heals it.
constexpr auto kHeldUp = milliseconds(50);
// A successor that could not begin is followed by another after so long.
constexpr auto kTryAgain = std::chrono::seconds(1);
// A run that is over by its clock waits so long for a worker whose place is empty.
constexpr auto kLastChance = std::chrono::seconds(10);
// How long the workers may take to close their files.
constexpr auto kEnding = std::chrono::seconds(20);
constexpr auto kLastWord = std::chrono::seconds(2);
// The sender of what the launcher says itself: no host has such a hash by its name.
constexpr std::uint64_t kLaunchersFacts = 2;

}  // namespace

LiveRun::LiveRun(std::unique_ptr<Crew> crew, Options options)
    : crew_(std::move(crew)),
      options_(std::move(options)),
      workers_(crew_->size()),
      process_faults_(*crew_, options_.placement, options_.seed,
                      [this](Payload fact) { tell(std::move(fact)); }) {}

void LiveRun::begin() {
  if (std::exchange(began_, true)) return;
  // The clock stands until all that is there from the start has been built: that takes no virtual
  // time, and whoever is built last would be late otherwise.
  set_speed(0);
  const auto built = [this] {
    return std::ranges::all_of(workers_, [](const Worker& worker) { return worker.idle; });
  };
  while (!built() && !defect_ && !stopped()) {
    hear(milliseconds(20));
    look_for_losses();
  }
  set_speed(options_.speed_ppm.value_or(kRealTime));
}

void LiveRun::set_speed(std::int64_t speed_ppm) {
  speed_ppm_ = speed_ppm;
  clock_.set(clock_.now(), speed_ppm);
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].there) send_clock(i);
  }
}

void LiveRun::send_clock(std::uint32_t process) {
  wire::Message message;
  message.mutable_clock()->set_virtual_ns(to_ns(clock_.now()));
  message.mutable_clock()->set_speed_ppm(speed_ppm_);
  crew_->send(process, message);
}

// What befalls a worker is no event of the run: the launcher does it itself.
void LiveRun::inject(const Address& to, Payload what, SimTime at) {
  if (const auto* fault = what.as<fault::BefallProcess>()) return process_faults_.add(at, *fault);
  begin();
  wire::Message message;
  wire::Fault& fault = *message.mutable_fault();
  fault.set_at_ns(to_ns(at));
  *fault.mutable_to() = transport::to_wire(to);
  *fault.mutable_message() = to_envelope(what);
  fault.set_sequence(sequence_++);
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].there) crew_->send(i, message);
  }
  if (what.as<fault::TakeRules>() != nullptr) rules_.push_back(std::move(message));
}

std::optional<SimTime> LiveRun::next_event() const {
  return shown_ + milliseconds(1);
}

void LiveRun::keep_alive() {
  begin();
  if (!standing_) {
    standing_ = speed_ppm_;
    set_speed(0);
  }
  hear(milliseconds(0));
  look_for_losses();
}

bool LiveRun::set_own_speed(std::optional<double> speed) {
  options_.speed_ppm.reset();
  if (speed) options_.speed_ppm = std::llround(*speed * kRealTime);
  if (!speed) return true;  // it adapts
  if (standing_) {
    standing_ = *options_.speed_ppm;
  } else if (began_) {
    set_speed(*options_.speed_ppm);
  }
  return true;
}

std::vector<WorkerState> LiveRun::workers() const {
  std::vector<WorkerState> states;
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    std::string state = "running";
    if (process_faults_.is_paused(i)) state = "paused";
    if (process_faults_.has_full_disk(i)) state = "disk full";
    if (!workers_[i].there) state = "away";
    states.push_back({crew_->name(i), std::move(state)});
  }
  return states;
}

void LiveRun::tell_standstill(SimTime end) {
  for (Observer* observer : observers_) observer->on_checkpoint(end, {});
}

std::optional<Defect> LiveRun::advance(SimTime end) {
  begin();
  if (standing_) set_speed(*std::exchange(standing_, std::nullopt));
  const auto patient_until = std::chrono::steady_clock::now() + kHeldUp;
  while (!defect_ && !stopped() && shown_ < end) {
    if (is_held_up() && std::chrono::steady_clock::now() > patient_until) break;
    hear(patience());
    process_faults_.act(clock_.now());
    look_for_losses();
    adapt_speed();
    show_until(std::min(watermark(), end));
  }
  return defect_;
}

// By a worker that stands still or is away, for as long as that lasts.
bool LiveRun::is_held_up() const {
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i].there || process_faults_.is_paused(i)) return true;
  }
  return false;
}

// Until something of the launcher's own is due, and no longer than a person would notice.
milliseconds LiveRun::patience() const {
  constexpr auto kLongest = milliseconds(20);
  const std::optional<SimTime> due = process_faults_.next();
  const auto when = due ? clock_.when(*due) : std::nullopt;
  if (!when) return kLongest;
  const auto left = std::chrono::ceil<milliseconds>(*when - std::chrono::steady_clock::now());
  return std::clamp(left, milliseconds(0), kLongest);
}

// Stamped with what was shown so far and shown at once: while a worker stands still nothing later
// can be shown, and whoever looks shall see why.
void LiveRun::tell(Payload fact) {
  show({{shown_, 0, EventClass::Fault, 0, kLaunchersFacts, told_++}, "launcher", std::move(fact)});
}

void LiveRun::finish() {
  if (std::exchange(finished_, true)) return;
  process_faults_.resume_all();
  wire::Message over;
  over.mutable_finish();
  for (std::uint32_t i = 0; i < workers_.size(); ++i) crew_->send(i, over);
  const auto until = std::chrono::steady_clock::now() + kEnding;
  const auto all_ended = [this] {
    return std::ranges::all_of(workers_, [](const Worker& one) { return one.ended || !one.there; });
  };
  while (!all_ended() && std::chrono::steady_clock::now() < until) {
    hear(milliseconds(20));
    // A worker's last word may still be on its way when its process has ended already.
    if (std::chrono::steady_clock::now() < until - kEnding + kLastWord) continue;
    if (const auto loss = crew_->loss(); loss && loss->process) {
      Worker& worker = workers_[*loss->process];
      if (!worker.ended) outcome_.unwritten = loss->how + " while the run ended";
      worker.ended = true;
    }
  }
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i].said_end) fold_for(i);
  }
  // Nothing better will come from one whose place is empty.
  if (defect_) show_until(std::min(clock_.now(), options_.end));
  outcome_.lateness = lateness();
  if (outgrown_) {
    for (std::size_t i = 0; i < live::kClasses; ++i) {
      outcome_.lateness[i] = outcome_.lateness[i].since((*outgrown_)[i]);
    }
  }
  outcome_.speed_ppm = speed_ppm_;
}

// Of a worker that is gone: its files say what it would have said.
void LiveRun::fold_for(std::uint32_t process) {
  const Result<live::InboxFold> fold = live::fold_inboxes(options_.journal, process);
  if (!fold) {
    outcome_.unwritten = fold.error().message;
    return;
  }
  digest_ += fold->digest();
  delivered_ += fold->delivered();
}

void LiveRun::hear(milliseconds patience) {
  for (auto heard = crew_->hear(patience); heard; heard = crew_->hear(milliseconds(0))) {
    if (!take(heard->process, heard->message)) crew_->refuse_message();
  }
}

bool LiveRun::take(std::uint32_t process, const wire::Message& message) {
  Worker& worker = workers_.at(process);
  if (message.has_facts()) return take_facts(message.facts());
  if (message.has_progress()) return take_progress(worker, message.progress());
  if (message.has_ended()) return take_end(worker, message.ended());
  if (!message.has_joined()) return false;
  joined(process);
  return true;
}

bool LiveRun::take_facts(const journal::Facts& facts) {
  bool all = true;
  for (const journal::Fact& fact : facts.facts()) {
    Result<Payload> payload = from_envelope(fact.fact());
    if (!payload || fact.key().time_ns() < 0) {
      all = false;
      continue;
    }
    facts_.push_back({from_message(fact.key()), fact.actor(), *std::move(payload)});
  }
  return all;
}

bool LiveRun::take_progress(Worker& worker, const wire::Progress& progress) {
  bool all = progress.watermark_ns() >= 0;
  worker.watermark = std::max(worker.watermark, from_ns(progress.watermark_ns()));
  worker.idle = progress.idle();
  for (const wire::Lateness& one : progress.lateness()) {
    if (one.class_() >= live::kClasses) {
      all = false;
      continue;
    }
    live::LatenessHistogram& histogram = worker.lateness[one.class_()];
    histogram = {};
    for (const auto& bucket : one.buckets()) {
      const bool known = bucket.bucket() < live::LatenessHistogram::kBuckets;
      if (known) histogram.add_bucket(bucket.bucket(), bucket.count());
      all = all && known;
    }
  }
  return all;
}

bool LiveRun::take_end(Worker& worker, const wire::Ended& ended) {
  if (std::exchange(worker.ended, true)) return false;
  worker.said_end = true;
  digest_ += Digest{ended.digest_low(), ended.digest_high()};
  delivered_ += ended.delivered();
  defects_ += ended.defects();
  outcome_.transactions += ended.persisted();
  refused_by_workers_ += transport::from_wire(ended.refusals());
  if (!ended.unwritten().empty()) outcome_.unwritten = ended.unwritten();
  return true;
}

transport::Refused LiveRun::refused() const {
  transport::Refused all = crew_->refused();
  all += refused_by_workers_;
  return all;
}

void LiveRun::look_for_losses() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  while (const auto loss = crew_->loss()) {
    if (loss->process && workers_[*loss->process].there) {
      workers_[*loss->process].how = loss->how;
      lost(*loss->process);
    } else {
      could_not_begin(loss->how);
    }
  }
  start_successors();
}

// One that fails at once, for want of room on its disk say, would fail again at once. A successor
// takes any place that is empty, so what counts is how many are under way.
void LiveRun::could_not_begin(const std::string& how) {
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (worker.there || worker.try_again) continue;
    crew_->tell("a successor could not begin: " + how);
    worker.how = how;
    worker.try_again = looked_ + kTryAgain;
    return;
  }
}

void LiveRun::start_successors() {
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (worker.there) continue;
    if (worker.try_again && *worker.try_again <= looked_) {
      worker.try_again.reset();
      if (const Result<void> replaced = crew_->replace(i); !replaced) {
        defect_ = Defect{crew_->name(i), "", clock_.now(), replaced.error().message};
      }
    }
    if (clock_.now() < options_.end || looked_ - worker.since < kLastChance) continue;
    defect_ = Defect{crew_->name(i), "", clock_.now(),
                     "its hosts are down at the end of the run, no successor began: " + worker.how};
  }
}

// A worker's death is a power loss of every host on it at that instant.
void LiveRun::lost(std::uint32_t process) {
  Worker& worker = workers_[process];
  worker.there = false;
  process_faults_.forget_pause(process);
  ++outcome_.deaths;
  for (std::size_t i = 0; i < live::kClasses; ++i) {
    const auto& buckets = worker.lateness[i].buckets();
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      if (buckets[b] != 0) worker.before[i].add_bucket(b, buckets[b]);
    }
    worker.lateness[i] = {};
  }
  wire::Message message;
  message.mutable_peer_lost()->set_process(process);
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].there) crew_->send(i, message);
  }
  crew_->tell(worker.how);
  worker.since = looked_;
  worker.try_again = looked_;
}

void LiveRun::joined(std::uint32_t process) {
  workers_[process].there = true;
  // A successor takes any empty place: what was still to be tried for this one is tried for
  // another.
  const auto pending = std::exchange(workers_[process].try_again, std::nullopt);
  const auto other = std::ranges::find_if(
      workers_, [](const Worker& one) { return !one.there && !one.try_again; });
  if (pending && other != workers_.end()) other->try_again = pending;
  wire::Message message;
  message.mutable_peer_lost()->set_process(process);
  message.mutable_peer_lost()->set_endpoint(crew_->endpoint(process));
  for (std::uint32_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].there && i != process) crew_->send(i, message);
  }
  for (const wire::Message& rules : rules_) crew_->send(process, rules);
  send_clock(process);
}

// While a worker is away nothing happens on it: it holds nobody up once its successor is there.
SimTime LiveRun::watermark() const {
  SimTime mark = clock_.now();
  for (const Worker& worker : workers_) mark = std::min(mark, worker.watermark);
  return mark;
}

void LiveRun::show(const Fact& fact) {
  while (fact.key.time >= next_checkpoint_) {
    for (Observer* observer : observers_) observer->on_checkpoint(next_checkpoint_, {});
    next_checkpoint_ += std::chrono::seconds(1);
  }
  for (Observer* observer : observers_) observer->on_fact({fact.key, fact.actor, fact.fact});
}

void LiveRun::show_until(SimTime mark) {
  const auto ripe = std::stable_partition(
      facts_.begin(), facts_.end(), [mark](const Fact& fact) { return fact.key.time < mark; });
  std::stable_sort(facts_.begin(), ripe,
                   [](const Fact& a, const Fact& b) { return a.key < b.key; });
  for (auto fact = facts_.begin(); fact != ripe; ++fact) {
    show(*fact);
    // What the director decided is done where it is heard.
    const auto* ordered = fact->fact.as<fault::BefallProcess>();
    if (ordered != nullptr) process_faults_.add(fact->key.time, *ordered);
  }
  facts_.erase(facts_.begin(), ripe);
  shown_ = std::max(shown_, mark);
}

live::LatenessByClass LiveRun::lateness() const {
  live::LatenessByClass total;
  for (const Worker& worker : workers_) {
    for (const live::LatenessByClass* part : {&worker.lateness, &worker.before}) {
      for (std::size_t i = 0; i < live::kClasses; ++i) {
        const auto& buckets = (*part)[i].buckets();
        for (std::size_t b = 0; b < buckets.size(); ++b) {
          if (buckets[b] != 0) total[i].add_bucket(b, buckets[b]);
        }
      }
    }
  }
  return total;
}

// As fast as API calls and watches stay in time: their 99th percentile of lateness within a tenth
// of their median latency. It grows until they are late, and shrinks from there until they are not;
// what the run says of its lateness is what it was at the speed that it kept.
void LiveRun::adapt_speed() {
  const auto now = std::chrono::steady_clock::now();
  if (options_.speed_ppm || now - adapted_ < kAdaptEvery) return;
  adapted_ = now;
  const live::LatenessByClass total = lateness();
  bool late = false;
  bool measured = false;
  for (const Link link : {Link::Api, Link::Watch}) {
    const auto i = static_cast<std::size_t>(link);
    const live::LatenessHistogram recent = total[i].since(adapted_on_[i]);
    const auto p99 = recent.percentile(99);
    if (!p99) continue;
    measured = true;
    late = late || *p99 > live::tolerable(options_.latencies[i]);
  }
  adapted_on_ = total;
  if (!measured || (!late && outgrown_)) return;
  const std::int64_t wanted = late ? speed_ppm_ / 2 : speed_ppm_ + speed_ppm_ / 4;
  if (late) outgrown_ = total;
  set_speed(std::clamp(wanted, kRealTime / 100, kSpeedMax));
}

}  // namespace troupe
