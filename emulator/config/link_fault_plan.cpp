#include "emulator/config/link_fault_plan.h"

#include "emulator/config/values.h"
#include "messages/address.h"
#include "messages/glob.h"
#include "messages/link.h"
#include "messages/units.h"

namespace troupe::config {
namespace {

constexpr std::uint32_t kCertain = 1'000'000;
constexpr std::uint32_t kAllLinks = (1U << kLinkNames.size()) - 1;

class LinkRuleBuilder {
 public:
  LinkRuleBuilder(const FaultFrame& frame, const TargetResolver& hosts, Problems& problems)
      : frame_(frame), hosts_(hosts), problems_(problems) {
    rule_.set_links(kAllLinks);
    rule_.set_after(frame.after);
    rule_.set_probability_ppm(frame.probability_ppm);
  }

  fault::LinkRule build(const Fault& fault) {
    if (fault.has_network_delay()) {
      read("networkDelay", fault.network_delay(), "to");
      links(fault.network_delay().links());
      delay(fault.network_delay());
    } else if (fault.has_network_loss()) {
      read("networkLoss", fault.network_loss(), "to");
      links(fault.network_loss().links());
      rule_.set_effect(fault::LinkRule::LOSS);
      chance(fault.network_loss().loss(), "loss");
    } else if (fault.has_network_duplicate()) {
      duplicate(fault.network_duplicate());
    } else if (fault.has_network_reorder()) {
      read("networkReorder", fault.network_reorder(), "to");
      links(fault.network_reorder().links());
      rule_.set_effect(fault::LinkRule::REORDER);
      chance(fault.network_reorder().reorder(), "reorder");
      *rule_.mutable_delay() =
          constant(duration_or(fault.network_reorder().latency(), Duration::zero()));
    } else {
      read("networkPartition", fault.network_partition(), "both");
      rule_.set_effect(fault::LinkRule::PARTITION);
      if (frame_.probability_ppm != kCertain || frame_.after > 0) {
        problems_.add(frame_.path,
                      "a partition has neither `probability` nor `after`: expected networkLoss");
      }
    }
    return std::move(rule_);
  }

 private:
  template <class Spec>
  void read(const char* key, const Spec& spec, const std::string& direction) {
    path_ = frame_.path + "." + key;
    rule_.set_kind(key);
    const std::string& way = spec.direction().empty() ? direction : spec.direction();
    if (spec.from().empty() && spec.to().empty()) {
      problems_.add(path_, "expected between whom: `from`, `to` or both");
    }
    // As Chaos Mesh says it: traffic *to* the target, *from* it, or both.
    const bool reversed = way == "from";
    side(reversed ? spec.to() : spec.from(), reversed ? "to" : "from", *rule_.mutable_from(),
         [this] { rule_.set_from_launched(true); });
    side(reversed ? spec.from() : spec.to(), reversed ? "from" : "to", *rule_.mutable_to(),
         [this] { rule_.set_to_launched(true); });
    rule_.set_both_ways(way == "both");
    const auto name = [](const std::string& pattern) { return pattern.empty() ? "*" : pattern; };
    rule_.set_between(name(reversed ? spec.to() : spec.from()) +
                      (way == "both" ? " <-> " : " -> ") +
                      name(reversed ? spec.from() : spec.to()));
  }

  template <class Launched>
  void side(const std::string& pattern, const char* field,
            google::protobuf::RepeatedField<std::uint64_t>& ends, const Launched& launched) {
    const bool all_nodes = pattern.empty() || pattern == "*" || pattern == "node/*";
    if (hosts_.has_cloud() && all_nodes) {
      launched();
      if (pattern == "node/*" && !hosts_.any("node/*")) return;
    } else if (hosts_.has_cloud() && is_glob(pattern) && matches_glob("node/*", pattern)) {
      problems_.add(path_ + "." + field,
                    "expected a node's name or node/*: which nodes a cloud launches is not known");
    }
    for (const std::string& host :
         hosts_.hosts(pattern.empty() ? "*" : pattern, path_ + "." + field)) {
      ends.Add(address_of(host).host);
    }
  }

  void links(const google::protobuf::RepeatedPtrField<std::string>& names) {
    if (names.empty()) return;
    std::uint32_t bits = 0;
    for (const std::string& name : names) {
      for (std::size_t i = 0; i < kLinkNames.size(); ++i) {
        if (kLinkNames[i] == name) bits |= 1U << i;
      }
    }
    rule_.set_links(bits);
  }

  void chance(const std::string& percent, const char* field) {
    const std::uint32_t ppm = percent_ppm(percent, 0, path_ + "." + field, problems_);
    // Of a fault that happens with a probability, each message is hit with the product.
    rule_.set_probability_ppm(
        static_cast<std::uint32_t>(std::uint64_t{ppm} * frame_.probability_ppm / kPerMillion));
  }

  void delay(const Fault::NetworkDelay& spec) {
    const Duration latency = duration_or(spec.latency(), Duration::zero());
    const Duration jitter = duration_or(spec.jitter(), Duration::zero());
    if (jitter > latency) {
      problems_.add(path_ + ".jitter", "expected at most the latency: a delay only adds");
      return;
    }
    Distribution& delay = *rule_.mutable_delay();
    delay.set_shape(Distribution::UNIFORM);
    delay.set_a_ns((latency - jitter).count());
    delay.set_b_ns((latency + jitter).count());
    rule_.set_effect(fault::LinkRule::DELAY);
  }

  void duplicate(const Fault::NetworkDuplicate& spec) {
    path_ = frame_.path + ".networkDuplicate";
    rule_.set_kind("networkDuplicate");
    rule_.set_effect(fault::LinkRule::DUPLICATE);
    rule_.set_links(1U << static_cast<unsigned>(Link::Cloud));
    chance(spec.duplicate(), "duplicate");
    // SQS: a copy of a message comes from a server that missed its deletion, within seconds.
    Distribution& later = *rule_.mutable_delay();
    later.set_shape(Distribution::EXPONENTIAL);
    later.set_a_ns(Duration(std::chrono::seconds(1)).count());
    if (!hosts_.has_cloud()) {
      problems_.add(path_,
                    "expected a topology with a cloud: only its interruption queue delivers twice");
      return;
    }
    side("cloud/0", "", *rule_.mutable_from(), [] {});
    side("*", "", *rule_.mutable_to(), [] {});
    rule_.set_between("cloud/0 -> *");
  }

  const FaultFrame& frame_;
  const TargetResolver& hosts_;
  Problems& problems_;
  std::string path_;
  fault::LinkRule rule_;
};

}  // namespace

fault::LinkRule link_rule_of(const Fault& fault, const FaultFrame& frame,
                             const TargetResolver& hosts, Problems& problems) {
  return LinkRuleBuilder(frame, hosts, problems).build(fault);
}

}  // namespace troupe::config
