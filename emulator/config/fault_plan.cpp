#include "emulator/config/fault_plan.h"

#include <limits>
#include <map>

#include "actors/director/fault_choice.h"
#include "emulator/config/fault_target.h"
#include "emulator/config/host_plan.h"
#include "emulator/config/instance_catalogue.h"
#include "emulator/config/link_fault_plan.h"
#include "emulator/config/values.h"
#include "messages/director.pb.h"
#include "messages/glob.h"
#include "messages/hash.h"
#include "messages/units.h"

namespace troupe::config {
namespace {

constexpr const char* kDirector = "controller/director/0";
constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

std::string listed_kinds() {
  std::string all;
  for (const FaultKind& kind : all_fault_kinds()) {
    all += (all.empty() ? "`" : ", `") + std::string(kind.key) + "`";
  }
  return all;
}

class FaultPlanner {
 public:
  FaultPlanner(const Inputs& inputs, plan::RunPlan& plan, Problems& problems, std::uint32_t first)
      : inputs_(inputs),
        plan_(plan),
        problems_(problems),
        first_(first),
        resolver_(inputs, plan, problems) {}

  void run() {
    for (int i = 0; i < inputs_.scenario.faults_size(); ++i) {
      const Fault& fault = inputs_.scenario.faults(i);
      const std::vector<const FaultKind*> kinds = kinds_of(fault);
      if (kinds.size() == 1) {
        add(fault, first_ + static_cast<std::uint32_t>(i), *kinds.front());
      } else {
        problems_.add("faults[" + std::to_string(i) + "]",
                      "expected exactly one of " + listed_kinds());
      }
    }
    if (!orders_.empty() && problems_.empty()) give_orders();
  }

 private:
  void add(const Fault& fault, std::uint32_t index, const FaultKind& kind) {
    const FaultFrame frame = frame_of(fault, index, kind, plan_, problems_);
    if (kind.scope == FaultScope::Network) return add_rule(fault, frame, kind);
    const bool of_messages = kind.of_messages;
    const FaultAction action = kind.make(fault, {.id = index + 1,
                                                 .probability_ppm = frame.probability_ppm,
                                                 .after = frame.after,
                                                 .length = frame.length,
                                                 .path = frame.path + "." + std::string(kind.key),
                                                 .live = inputs_.live,
                                                 .problems = problems_});
    if (!action.begin) return;
    if (action.length.count() > 0 && frame.length.count() > 0) {
      problems_.add(frame.path + ".duration", "said twice: expected one of the two");
    }
    check_instance_type(fault, frame);
    check_load(fault, frame);
    const FaultTargets targets = resolver_.resolve(fault, frame, kind, action);
    if (action.begin.as<fault::BefallProcess>() != nullptr) {
      return befall_processes({frame, kind, action, frame.length}, targets);
    }
    const Occurrence what{
        frame, kind, action, action.length.count() > 0 ? action.length : frame.length,
        of_messages ? static_cast<std::uint32_t>(kPerMillion) : frame.probability_ppm};
    if (targets.known && !frame.has_condition) {
      materialise(what, targets);
    } else {
      order(what, targets);
    }
  }

  struct Occurrence {
    const FaultFrame& frame;
    const FaultKind& kind;
    const FaultAction& action;
    Duration length;
    std::uint32_t probability_ppm = static_cast<std::uint32_t>(kPerMillion);
    /// The targets are hit together or not at all.
    [[nodiscard]] bool one_fate() const { return kind.scope == FaultScope::Process; }
  };

  struct Hit {
    std::int64_t at_ns = 0;
    std::string path;
    bool heals = true;  ///< false: it befalls the same one again before it would heal
  };

  // A fault whose victims are known.
  void materialise(const Occurrence& what, const FaultTargets& targets) {
    std::vector<Hit> hits;
    for (std::size_t n = 0; n < what.frame.moments.size(); ++n) {
      const auto bits = [&](std::uint64_t purpose, std::uint64_t i) {
        return mix(plan_.seed(), hash_bytes("fault"), what.frame.index, n, purpose, i);
      };
      for (const std::size_t index : director::choose(
               targets.paths.size(), targets.sought, [&](std::uint64_t i) { return bits(1, i); })) {
        const std::uint64_t chance = bits(2, what.one_fate() ? 0 : index);
        if (!bernoulli(chance, what.probability_ppm, kPerMillion)) continue;
        hits.push_back({what.frame.moments[n], targets.paths[index]});
      }
    }
    std::map<std::string, std::int64_t> next;
    for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
      const auto [known, is_last] = next.try_emplace(hit->path, hit->at_ns);
      hit->heals = is_last || known->second > hit->at_ns + what.length.count();
      known->second = hit->at_ns;
    }
    for (const Hit& hit : hits) add_entry(what, hit);
  }

  // Whom it hits is the launcher's to say: which workers there are, and which run the hosts.
  void befall_processes(Occurrence what, const FaultTargets& targets) {
    fault::BefallProcess befall = *what.action.begin.as<fault::BefallProcess>();
    const bool by_number = !befall.process().empty();
    befall.set_mode(targets.sought.mode());
    befall.set_count(targets.sought.count());
    if (!by_number) befall.mutable_hosts()->Assign(targets.paths.begin(), targets.paths.end());
    FaultAction action{.begin = Payload::of(befall)};
    if (what.action.end) {
      befall.set_heal(true);
      action.end = Payload::of(befall);
    }
    FaultTargets launcher;
    launcher.known = true;
    launcher.paths = {by_number ? targets.paths.front() : "process of " + targets.paths.front()};
    const Occurrence whole{what.frame, what.kind, action, what.length};
    if (what.frame.has_condition) {
      order(whole, launcher);
    } else {
      materialise(whole, launcher);
    }
  }

  void add_entry(const Occurrence& what, const Hit& hit) {
    const auto& [at_ns, path, does_heal] = hit;
    auto& entries = what.action.begin.as<fault::BefallProcess>() != nullptr
                        ? *plan_.mutable_process_faults()
                        : *plan_.mutable_faults();
    plan::FaultPlan& entry = *entries.Add();
    entry.set_at_ns(at_ns);
    entry.set_kind(std::string(what.kind.key));
    entry.set_target(path);
    const auto* crash = what.action.begin.as<fault::CrashHost>();
    if (crash != nullptr && !crash->graceful()) {
      entry.set_restarts(crash->restarts());
      entry.set_restart_after_ns(crash->restart_after_ns());
      return;
    }
    Payload begin = what.action.begin;
    if (const auto* reclaim = begin.as<fault::Reclaim>()) {
      fault::Reclaim named = *reclaim;
      named.set_node(path.substr(path.find('/') + 1));
      begin = Payload::of(std::move(named));
      entry.set_target("cloud/0");
    }
    *entry.mutable_message() = to_envelope(begin);
    if (what.length == Duration::zero() || !what.action.end || !does_heal) return;
    plan::FaultPlan& heals = *entries.Add();
    heals.set_at_ns(at_ns + what.length.count());
    heals.set_kind(std::string(what.kind.key));
    heals.set_target(path);
    heals.set_heals(true);
    *heals.mutable_message() = to_envelope(what.action.end);
  }

  fault::Order& order(const Occurrence& what, const FaultTargets& targets) {
    fault::Order& order = orders_.emplace_back();
    order.set_kind(std::string(what.kind.key));
    order.mutable_at_ns()->Add(what.frame.moments.begin(), what.frame.moments.end());
    if (what.frame.has_condition) *order.mutable_when() = what.frame.condition;
    *order.mutable_target() = targets.sought;
    if (targets.known) {
      order.mutable_target()->set_kind(fault::Target::PATHS);
      for (const std::string& path : targets.paths) order.mutable_target()->add_paths(path);
    }
    order.set_probability_ppm(what.probability_ppm);
    order.set_one_fate(what.one_fate());
    order.set_duration_ns(what.length.count());
    *order.mutable_begin() = to_envelope(what.action.begin);
    if (what.action.end) *order.mutable_end() = to_envelope(what.action.end);
    return order;
  }

  void add_rule(const Fault& fault, const FaultFrame& frame, const FaultKind& kind) {
    if (fault.has_target()) {
      problems_.add(frame.path + ".target", "expected `from` and `to` in the fault itself");
    }
    fault::LinkRule rule = link_rule_of(fault, frame, resolver_, problems_);
    for (const std::int64_t moment : frame.moments) {
      rule.add_begin_ns(moment);
      rule.add_end_ns(frame.length == Duration::zero() ? kForEver : moment + frame.length.count());
    }
    rule.set_number(first_ + static_cast<std::uint32_t>(plan_.links_size()));
    if (frame.has_condition) open_on_condition(rule, frame, kind);
    *plan_.add_links() = std::move(rule);
  }

  // Each sender's host is told that the rule holds from now on.
  void open_on_condition(const fault::LinkRule& rule, const FaultFrame& frame,
                         const FaultKind& kind) {
    if (rule.from_launched() || (rule.both_ways() && rule.to_launched())) {
      problems_.add(frame.path + ".when",
                    "on a condition only hosts that the topology lists can be named");
    }
    FaultTargets targets;
    targets.known = true;
    for (const plan::HostPlan& host : plan_.hosts()) {
      const std::uint64_t id = address_of(host.path()).host;
      const auto among = [id](const auto& ends) {
        return std::find(ends.begin(), ends.end(), id) != ends.end();
      };
      if (among(rule.from()) || (rule.both_ways() && among(rule.to()))) {
        targets.paths.push_back(host.path());
      }
    }
    fault::OpenLink open;
    open.set_rule(rule.number());
    const FaultAction action{.begin = Payload::of(std::move(open))};
    order({frame, kind, action, frame.length, static_cast<std::uint32_t>(kPerMillion)}, targets);
  }

  void check_instance_type(const Fault& fault, const FaultFrame& frame) {
    if (!fault.has_pool_capacity() || !resolver_.has_cloud()) return;
    const std::string& name = fault.pool_capacity().instance_type();
    if (find_instance_type(inputs_, name) != nullptr) return;
    problems_.add(frame.path + ".poolCapacity.instanceType",
                  "no instance type '" + name + "' in the catalogue");
  }

  // The users of a closed loop are as many as there are.
  void check_load(const Fault& fault, const FaultFrame& frame) {
    const std::string& wanted = fault.load_spike().traffic();
    for (const Load& load : inputs_.scenario.traffic()) {
      if (!fault.has_load_spike() || !matches_glob(wanted, load.name())) continue;
      if (!load.generator().arrivals().has_closed_loop()) continue;
      problems_.add(frame.path + ".loadSpike.traffic",
                    "'" + load.name() + "' is a closed loop: expected arrivals by rate or a trace");
    }
  }

  void give_orders() {
    plan_.set_director_acts(true);
    for (const fault::Order& order : orders_) {
      if (order.has_when()) plan_.add_watched_facts(order.when().fact());
    }
    for (plan::HostPlan& host : *plan_.mutable_hosts()) {
      if (host.path() != kDirector) continue;
      const Result<Payload> before = from_envelope(host.attachments(0));
      director::Plan work = *before->as<director::Plan>();
      work.mutable_faults()->Add(orders_.begin(), orders_.end());
      *host.mutable_attachments(0) = to_envelope(Payload::of(std::move(work)));
      return;
    }
    director::Plan work;
    work.mutable_faults()->Add(orders_.begin(), orders_.end());
    add_host(plan_, kDirector, "director", std::move(work));
  }

  const Inputs& inputs_;
  plan::RunPlan& plan_;
  Problems& problems_;
  std::uint32_t first_;
  TargetResolver resolver_;
  std::vector<fault::Order> orders_;
};

}  // namespace

void plan_faults(const Inputs& inputs, plan::RunPlan& plan, Problems& problems,
                 std::uint32_t first) {
  FaultPlanner(inputs, plan, problems, first).run();
}

}  // namespace troupe::config
