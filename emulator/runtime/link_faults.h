// Faults of the network: what befalls a message on its way between two hosts.
//
// A pure function of the message's name and the seed, evaluated where the message is sent, so it is
// the same on any number of processes and one message more shifts no other. Delay only ever adds,
// so no lookahead shrinks. What may happen to each stream is what TCP and the protocol above it
// would let happen, whatever a rule asks for:
//
//   watch, inference HTTP   late, never lost, doubled or reordered: lost segments are sent again
//   API or cloud call       late, or lost on its way: to its caller both are a timeout
//   metrics scrape          late or lost
//   interruption queue      late, doubled, reordered, never lost: delivery is at least once
//   birth of a host         nothing: it is no message of the network
//
// Limit: a connection that TCP gives up is not reset by the network itself; its ends find out by
// their own health checks and timeouts, as they do where packets are dropped without a word.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "emulator/runtime/host.h"
#include "emulator/runtime/latency_model.h"
#include "messages/fault.pb.h"

namespace troupe {

/// A message that is about to leave.
struct LinkMessage {
  Link link = Link::Api;
  std::uint64_t to_host = 0;
  SimTime sent;
  SimTime due;  ///< without any fault
  MessageName name;
};

/// What becomes of it.
struct LinkFate {
  bool lost = false;
  SimTime due;
  std::optional<SimTime> again;  ///< when a second copy comes
  /// The rule by hand that it waits for: TCP sends it again until that is over, whenever that is.
  std::optional<std::uint32_t> held_by;
};

/// When what was sent then, in vain until `now`, is sent next.
[[nodiscard]] SimTime next_retransmission(SimTime sent, SimTime now);

class LinkFaults {
 public:
  /// `hosts`: every host that the plan lists; others are nodes that a cloud launched.
  LinkFaults(std::uint64_t seed, std::vector<fault::LinkRule> rules,
             std::unordered_set<std::uint64_t> hosts);

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  /// Also counts the messages of `sender` that a rule lets pass first.
  [[nodiscard]] LinkFate judge(Cell& sender, const LinkMessage& message) const;

  /// A rule by hand holds from here on, in its windows; one that ended never again.
  void add(const fault::LinkRule& rule);
  void end(std::uint32_t number);
  [[nodiscard]] bool is_by_hand(std::uint32_t number) const;
  /// Which rule by hand would hold back what `sender` sends now.
  [[nodiscard]] std::optional<std::uint32_t> holder(const Host& sender,
                                                    const LinkMessage& message) const;

 private:
  struct Rule {
    fault::LinkRule spec;
    std::unordered_set<std::uint64_t> from;
    std::unordered_set<std::uint64_t> to;
    bool ended = false;
  };

  /// Until when it holds for what that host sends now.
  [[nodiscard]] static std::optional<SimTime> holds_until(const Rule& rule, const Host& sender,
                                                          SimTime now);

  [[nodiscard]] bool concerns(const Rule& rule, std::uint64_t from, std::uint64_t to,
                              Link link) const;
  [[nodiscard]] bool is_end(const std::unordered_set<std::uint64_t>& listed, bool launched,
                            std::uint64_t host) const;
  void apply(const Rule& rule, std::size_t index, SimTime until, const LinkMessage& message,
             LinkFate& fate) const;
  void lose(SimTime until, std::uint64_t bits, std::uint32_t loss_ppm, const LinkMessage& message,
            LinkFate& fate) const;

  std::uint64_t seed_;
  std::vector<Rule> rules_;
  std::unordered_set<std::uint64_t> hosts_;
};

}  // namespace troupe
