#include "emulator/processes/live_egress.h"

#include <utility>

#include "emulator/transport/event_codec.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using transport::FrameSocket;
using transport::Role;

constexpr std::size_t kFrameSize = std::size_t{4} << 20;
constexpr auto kProgressEvery = milliseconds(25);

}  // namespace

void LiveEgress::begin(const live::LiveRuntime& runtime) {
  runtime_ = &runtime;
  thread_ = std::thread([this] { work(); });
}

void LiveEgress::take(live::HostOutput output) {
  const std::lock_guard lock(mutex_);
  taken_.push_back(std::move(output));
  if (taken_.size() == 1) changed_.notify_one();
}

void LiveEgress::peer_lost(const wire::PeerLost& lost) {
  const std::lock_guard lock(mutex_);
  lost_.push_back(lost);
  changed_.notify_one();
}

void LiveEgress::end(transport::Refused refused) {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_one();
  }
  thread_.join();
  note(journal_.close());
  wire::Message message;
  wire::Ended& ended = *message.mutable_ended();
  const Digest digest = journal_.fold().digest();
  ended.set_digest_low(digest.low);
  ended.set_digest_high(digest.high);
  ended.set_delivered(journal_.fold().delivered());
  ended.set_defects(defects_);
  ended.set_persisted(transactions_);
  ended.set_unwritten(unwritten_);
  refused += seat_.launcher.refused();
  *ended.mutable_refusals() = transport::to_wire(refused);
  say(message);
}

void LiveEgress::abandon() {
  thread_.join();
}

void LiveEgress::work() {
  while (true) {
    std::vector<live::HostOutput> outputs;
    std::vector<wire::PeerLost> lost;
    bool ending = false;
    SimTime watermark{};
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kProgressEvery,
                        [this] { return !taken_.empty() || !lost_.empty() || ending_; });
      ending = ending_;
    }
    // Whatever was done before it has been taken by now, and is sent below before it is said.
    watermark = runtime_->watermark();
    {
      const std::lock_guard lock(mutex_);
      outputs.swap(taken_);
      lost.swap(lost_);
    }
    for (const wire::PeerLost& one : lost) apply(one);
    if (!write(outputs)) {
      is_stuck_ = true;
      return;
    }
    send(outputs);
    const auto now = std::chrono::steady_clock::now();
    if (ending || now - progress_said_ >= kProgressEvery) {
      progress_said_ = now;
      launcher_is_gone_ = seat_.launcher.broken();
      say_progress(watermark);
    }
    if (ending && outputs.empty()) return;
  }
}

bool LiveEgress::write(const std::vector<live::HostOutput>& outputs) {
  if (outputs.empty()) return true;
  if (disk_is_full_) {
    note(fail("the disk of its journal has no room left"));
    return false;
  }
  std::vector<live::StateStore::Begun> begun;
  std::vector<live::StateStore::Write> writes;
  for (const live::HostOutput& output : outputs) {
    begun.insert(begun.end(), output.begun.begin(), output.begun.end());
    writes.insert(writes.end(), output.writes.begin(), output.writes.end());
    for (const inbox::Record& record : output.records) journal_.append(record);
    defects_ += output.defects;
  }
  if (!begun.empty() || !writes.empty()) {
    ++transactions_;
    note(store_.commit(begun, writes));
  }
  if (unwritten_.empty() && !journal_.flush()) {
    note(fail("its journal could not be written: is the disk full?"));
  }
  return unwritten_.empty();
}

void LiveEgress::send(const std::vector<live::HostOutput>& outputs) {
  flush_waiting();
  send_batches(outputs);
  send_facts(outputs);
}

void LiveEgress::send_batches(const std::vector<live::HostOutput>& outputs) {
  const Placement placement(seat_.plan.placement(), seat_.welcome.processes());
  std::vector<transport::BatchWriter> batches(seat_.peers.size(),
                                              transport::BatchWriter(seat_.welcome.process()));
  const auto close = [&](std::uint32_t peer) {
    std::string frame = batches[peer].take();
    PeerState& state = peer_states_[peer];
    if (!state.lost && (!state.waiting.empty() ||
                        seat_.peers[peer].send_frame(frame) == FrameSocket::Sent::Full)) {
      state.waiting.push_back(std::move(frame));
    }
  };
  for (const live::HostOutput& output : outputs) {
    for (const Departure& departure : output.departures) {
      const std::uint32_t peer = placement.process_of(departure.event.to.host);
      batches[peer].add(departure);
      if (batches[peer].size() >= kFrameSize) close(peer);
    }
  }
  for (std::uint32_t peer = 0; peer < batches.size(); ++peer) {
    if (!batches[peer].empty()) close(peer);
  }
}

void LiveEgress::flush_waiting() {
  for (std::size_t peer = 0; peer < peer_states_.size(); ++peer) {
    std::deque<std::string>& waiting = peer_states_[peer].waiting;
    while (!waiting.empty() &&
           seat_.peers[peer].send_frame(waiting.front()) == FrameSocket::Sent::Yes) {
      waiting.pop_front();
    }
  }
}

void LiveEgress::send_facts(const std::vector<live::HostOutput>& outputs) {
  wire::Message message;
  std::size_t size = 0;
  for (const live::HostOutput& output : outputs) {
    for (const journal::Fact& fact : output.facts) {
      size += fact.ByteSizeLong();
      *message.mutable_facts()->add_facts() = fact;
      if (size < kFrameSize) continue;
      say(message);
      message.Clear();
      size = 0;
    }
  }
  if (message.has_facts()) say(message);
}

// Mail to a process that is gone vanishes with it; its successor gets none of it.
void LiveEgress::apply(const wire::PeerLost& lost) {
  PeerState& state = peer_states_[lost.process()];
  state.waiting.clear();
  state.lost = lost.endpoint().empty();
  seat_.peers[lost.process()] = FrameSocket(seat_.context, Role::Outbox, seat_.keys);
  if (!state.lost) note(seat_.peers[lost.process()].connect(lost.endpoint()));
}

void LiveEgress::say_progress(SimTime watermark) {
  wire::Message message;
  wire::Progress& progress = *message.mutable_progress();
  progress.set_watermark_ns(to_ns(watermark));
  progress.set_idle(hosts_are_there_ && runtime_->idle());
  const live::LatenessByClass lateness = runtime_->lateness();
  for (std::size_t i = 0; i < lateness.size(); ++i) {
    if (lateness[i].count() == 0) continue;
    wire::Lateness& one = *progress.add_lateness();
    one.set_class_(static_cast<std::uint32_t>(i));
    const auto& buckets = lateness[i].buckets();
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      if (buckets[b] == 0) continue;
      auto& bucket = *one.add_buckets();
      bucket.set_bucket(static_cast<std::uint32_t>(b));
      bucket.set_count(buckets[b]);
    }
  }
  say(message);
}

void LiveEgress::say(const wire::Message& message) {
  while (seat_.launcher.send(message) == FrameSocket::Sent::Full) {
    if (seat_.launcher.broken()) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void LiveEgress::note(const Result<void>& written) {
  if (written || !unwritten_.empty()) return;
  unwritten_ = written.error().message;
  if (!written.error().where.empty()) unwritten_ += ": " + written.error().where;
}

}  // namespace troupe
