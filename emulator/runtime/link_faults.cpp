#include "emulator/runtime/link_faults.h"

#include <algorithm>
#include <string_view>

#include "actors/random.h"
#include "messages/assert.h"
#include "messages/cloud.pb.h"
#include "messages/hash.h"

namespace troupe {
namespace {

constexpr std::uint64_t kPerMillion = 1'000'000;
/// Linux: TCP_RTO_MIN, doubled by each retransmission.
constexpr Duration kFirstRetransmission = std::chrono::milliseconds(200);
/// Linux: TCP_RTO_MAX.
constexpr Duration kLastRetransmission = std::chrono::seconds(120);
/// So many are waited for here: 12.6 s in all, longer than the client of any call waits.
constexpr int kRetransmissions = 6;

/// What a stream can suffer.
enum class Stream { Late, Call, Scrape, Queue, Untouched };

Stream stream_of(const LinkMessage& message) {
  static const std::uint64_t notice = Payload::of(cloud::InterruptionNotice{}).kind();
  switch (message.link) {
    case Link::Watch:
    case Link::DataPlane:
      return Stream::Late;
    case Link::Cloud:
      return message.name.kind == notice ? Stream::Queue : Stream::Call;
    case Link::Api:
      return Stream::Call;
    case Link::Scrape:
      return Stream::Scrape;
    default:
      return Stream::Untouched;
  }
}

bool may_be_lost(Stream stream) {
  return stream == Stream::Call || stream == Stream::Scrape;
}

/// When the window that holds `now` ends; nothing outside of all windows.
std::optional<SimTime> window_end(const fault::LinkRule& rule, SimTime now) {
  std::optional<SimTime> end;
  for (int i = 0; i < rule.begin_ns_size(); ++i) {
    if (from_ns(rule.begin_ns(i)) > now || from_ns(rule.end_ns(i)) <= now) continue;
    end = std::max(end.value_or(now), from_ns(rule.end_ns(i)));
  }
  return end;
}

/// Nothing gets through, and what waits there may not be lost.
bool holds_back(const fault::LinkRule& rule, const LinkMessage& message) {
  const Stream stream = stream_of(message);
  const bool certain =
      rule.effect() == fault::LinkRule::PARTITION ||
      (rule.effect() == fault::LinkRule::LOSS && rule.probability_ppm() >= kPerMillion);
  return rule.by_hand() && certain && stream != Stream::Untouched && !may_be_lost(stream);
}

std::optional<SimTime> latest(std::optional<SimTime> a, std::optional<SimTime> b) {
  if (!a || !b) return a ? a : b;
  return std::max(*a, *b);
}

}  // namespace

SimTime next_retransmission(SimTime sent, SimTime now) {
  Duration timeout = kFirstRetransmission;
  SimTime again = sent + timeout;
  while (again < now) {
    timeout = std::min(2 * timeout, kLastRetransmission);
    again += timeout;
  }
  return again;
}

LinkFaults::LinkFaults(std::uint64_t seed, std::vector<fault::LinkRule> rules,
                       std::unordered_set<std::uint64_t> hosts)
    : seed_(seed), hosts_(std::move(hosts)) {
  for (fault::LinkRule& spec : rules) {
    spec.set_number(static_cast<std::uint32_t>(rules_.size()));
    add(spec);
  }
}

void LinkFaults::add(const fault::LinkRule& spec) {
  Rule rule{spec, {}, {}};
  rule.from.insert(spec.from().begin(), spec.from().end());
  rule.to.insert(spec.to().begin(), spec.to().end());
  rules_.push_back(std::move(rule));
}

void LinkFaults::end(std::uint32_t number) {
  for (Rule& rule : rules_) rule.ended = rule.ended || rule.spec.number() == number;
}

bool LinkFaults::is_by_hand(std::uint32_t number) const {
  return std::any_of(rules_.begin(), rules_.end(), [number](const Rule& rule) {
    return rule.spec.by_hand() && rule.spec.number() == number;
  });
}

std::optional<SimTime> LinkFaults::holds_until(const Rule& rule, const Host& sender, SimTime now) {
  if (rule.ended) return std::nullopt;
  const std::optional<SimTime> until = window_end(rule.spec, now);
  const auto open = sender.open_links.find(rule.spec.number());
  if (open == sender.open_links.end() || open->second <= now) return until;
  return latest(until, open->second);
}

std::optional<std::uint32_t> LinkFaults::holder(const Host& sender,
                                                const LinkMessage& message) const {
  for (const Rule& rule : rules_) {
    if (!holds_back(rule.spec, message) || !holds_until(rule, sender, message.sent)) continue;
    if (concerns(rule, host_hash(sender.name), message.to_host, message.link)) {
      return rule.spec.number();
    }
  }
  return std::nullopt;
}

LinkFate LinkFaults::judge(Cell& sender, const LinkMessage& message) const {
  LinkFate fate{false, message.due, std::nullopt, std::nullopt};
  for (const Rule& rule : rules_) {
    if (fate.lost || fate.held_by) break;
    if (!concerns(rule, sender.address.host, message.to_host, message.link)) continue;
    const std::optional<SimTime> until = holds_until(rule, sender.host, message.sent);
    if (!until) continue;
    const std::uint32_t number = rule.spec.number();
    if (rule.spec.after() > 0 &&
        sender.kind_counts[mix(number, 0x6c696e6b)]++ < rule.spec.after()) {
      continue;
    }
    if (holds_back(rule.spec, message)) {
      fate.held_by = number;
    } else {
      apply(rule, number, *until, message, fate);
    }
  }
  TROUPE_ASSERT(fate.lost || fate.due >= message.due, "a fault of the network may only delay");
  TROUPE_ASSERT(!fate.again || stream_of(message) == Stream::Queue,
                "only the interruption queue delivers twice");
  return fate;
}

bool LinkFaults::concerns(const Rule& rule, std::uint64_t from, std::uint64_t to, Link link) const {
  const fault::LinkRule& spec = rule.spec;
  if (((spec.links() >> static_cast<unsigned>(link)) & 1U) == 0) return false;
  const auto one_way = [&](std::uint64_t a, std::uint64_t b) {
    return is_end(rule.from, spec.from_launched(), a) && is_end(rule.to, spec.to_launched(), b);
  };
  return one_way(from, to) || (spec.both_ways() && one_way(to, from));
}

bool LinkFaults::is_end(const std::unordered_set<std::uint64_t>& listed, bool launched,
                        std::uint64_t host) const {
  return listed.contains(host) || (launched && !hosts_.contains(host));
}

void LinkFaults::apply(const Rule& rule, std::size_t index, SimTime until,
                       const LinkMessage& message, LinkFate& fate) const {
  const Stream stream = stream_of(message);
  if (stream == Stream::Untouched) return;
  const MessageName& name = message.name;
  const std::uint64_t bits = mix(seed_, 0x6661756c74, index, name.sender, name.receiver, name.kind,
                                 name.object, name.version);
  const auto ppm = rule.spec.probability_ppm();
  const auto hit = [&] { return bernoulli(mix(bits, 1), ppm, kPerMillion); };
  const auto delay = [&] { return sample(rule.spec.delay(), mix(bits, 2)); };
  switch (rule.spec.effect()) {
    case fault::LinkRule::DELAY:
      if (hit()) fate.due += delay();
      break;
    case fault::LinkRule::REORDER:
      if (stream != Stream::Late && hit()) fate.due += delay();
      break;
    case fault::LinkRule::DUPLICATE:
      if (stream == Stream::Queue && hit()) fate.again = fate.due + delay() + Duration(1);
      break;
    case fault::LinkRule::LOSS:
      lose(until, bits, ppm, message, fate);
      break;
    case fault::LinkRule::PARTITION:
      lose(until, bits, kPerMillion, message, fate);
      break;
    default:
      break;
  }
}

// Each transmission is lost with the same probability. A call or scrape that is not through when
// TCP's patience here ends is lost; what must not be lost comes when the loss is over, at the
// latest.
void LinkFaults::lose(SimTime until, std::uint64_t bits, std::uint32_t loss_ppm,
                      const LinkMessage& message, LinkFate& fate) const {
  Duration waited{0};
  Duration timeout = kFirstRetransmission;
  for (int i = 0; i < kRetransmissions; ++i) {
    if (!bernoulli(mix(bits, 3, static_cast<std::uint64_t>(i)), loss_ppm, kPerMillion)) {
      fate.due += waited;
      return;
    }
    waited += timeout;
    timeout *= 2;
    if (message.sent + waited >= until) {  // this one finds the network whole
      fate.due += waited;
      return;
    }
  }
  const bool for_ever = until == SimTime::max();
  if (may_be_lost(stream_of(message)) || (loss_ppm >= kPerMillion && for_ever)) {
    fate.lost = true;
    return;
  }
  // Until the end of the window, and then until the next retransmission.
  while (loss_ppm >= kPerMillion && message.sent + waited < until) {
    waited += timeout;
    timeout = std::min(2 * timeout, kLastRetransmission);
  }
  fate.due += waited;
}

}  // namespace troupe
