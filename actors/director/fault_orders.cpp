#include "actors/director/fault_orders.h"

#include <algorithm>
#include <utility>

#include "actors/api_client/election.h"
#include "messages/assert.h"
#include "messages/cloud.pb.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/glob.h"
#include "messages/hash.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/labels.h"

namespace troupe::director {
namespace {

constexpr const char* kCloud = "cloud/0";
constexpr std::uint64_t kPerMillion = 1'000'000;

Payload unpack(const runtime::Envelope& envelope) {
  Result<Payload> payload = from_envelope(envelope);
  TROUPE_ASSERT(payload.has_value(), "an order holds what the resolver put into it");
  return *std::move(payload);
}

bool has_labels(const fault::Target& target, const LabelMap& labels) {
  return std::all_of(target.labels().begin(), target.labels().end(), [&](const auto& wanted) {
    const std::string* value = find_label(labels, wanted.key());
    return value != nullptr && matches_glob(wanted.value(), *value);
  });
}

bool is_terminal(const k8s::Pod& pod) {
  return pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
}

/// What befalls a process is no message to an actor: it is said as a fact, and the launcher, who
/// hears it, does it and says whom it hit.
bool is_of_process(const runtime::Envelope& begin) {
  return begin.type() == fault::BefallProcess::descriptor()->full_name();
}

/// What is sent to that victim: some messages name it.
Payload addressed(const Payload& what, const std::string& node, const std::string& uid) {
  if (!uid.empty()) {
    fault::ForPod wrapped;
    wrapped.set_uid(uid);
    return Payload::of(std::move(wrapped), {what});
  }
  if (what.as<fault::Reclaim>() != nullptr) {
    fault::Reclaim named = *what.as<fault::Reclaim>();
    named.set_node(node);
    return Payload::of(std::move(named));
  }
  return what;
}

}  // namespace

FaultOrders::FaultOrders(std::vector<fault::Order> orders, ApiClient& api)
    : orders_(std::move(orders)), states_(orders_.size()), api_(api) {}

// ---- when ----

void FaultOrders::start(Context& context) {
  const bool restarted = context.self().incarnation > 1;
  for (std::uint32_t i = 0; i < orders_.size(); ++i) take_up(context, i, restarted);
}

void FaultOrders::add(Context& context, const fault::Order& order, bool restarted) {
  orders_.push_back(order);
  states_.emplace_back();
  take_up(context, static_cast<std::uint32_t>(orders_.size() - 1), restarted);
}

// One who began again does not repeat what is past.
void FaultOrders::take_up(Context& context, std::uint32_t order, bool restarted) {
  State& state = states_[order];
  while (restarted && state.next < orders_[order].at_ns_size() &&
         from_ns(orders_[order].at_ns(state.next)) <= context.now()) {
    ++state.next;
  }
  arm(context, order);
}

void FaultOrders::arm(Context& context, std::uint32_t order) {
  const fault::Order& spec = orders_[order];
  if (states_[order].next >= spec.at_ns_size()) return;
  const Duration wait = from_ns(spec.at_ns(states_[order].next)) - context.now();
  fault::OrderDue due;
  due.set_order(order);
  context.set_timer(std::max(wait, Duration::zero()), Payload::of(std::move(due)));
}

bool FaultOrders::receive(Context& context, const Delivery& delivery) {
  if (const auto* due = delivery.as<fault::OrderDue>()) {
    ++states_[due->order()].next;
    find_victims(context, due->order(), {});
    arm(context, due->order());
  } else if (const auto* met = delivery.as<fault::ConditionMet>()) {
    find_victims(context, met->order(), delivery.payload.attachments().front());
  } else if (const auto* heals = delivery.as<fault::OrderHeals>()) {
    heal(context, heals->injection());
  } else if (delivery.payload.message().GetDescriptor()->file() ==
             facts::PodBound::descriptor()->file()) {
    hear(context, delivery.payload);
  } else {
    return false;
  }
  return true;
}

void FaultOrders::hear(Context& context, const Payload& fact) {
  for (std::uint32_t i = 0; i < orders_.size(); ++i) {
    const fault::Condition& condition = orders_[i].when();
    if (!orders_[i].has_when() || to_ns(context.now()) < condition.from_ns()) continue;
    if (!is_met(condition, fact.message())) continue;
    const std::uint32_t seen = ++states_[i].seen;
    if (seen != condition.nth() && !(condition.repeat() && seen > condition.nth())) continue;
    fault::ConditionMet met;
    met.set_order(i);
    context.set_timer(Duration(condition.delay_ns()), Payload::of(std::move(met), {fact}));
  }
}

// ---- to whom ----

void FaultOrders::find_victims(Context& context, std::uint32_t order, const Payload& fact) {
  const fault::Target& target = orders_[order].target();
  if (target.kind() == fault::Target::PATHS) {
    std::vector<Victim> victims;
    for (const std::string& path : target.paths()) victims.push_back({path, path, "", ""});
    return befall(context, order, victims);
  }
  if (target.kind() == fault::Target::LEADER) return find_leader(context, order);
  const bool pods = target.kind() == fault::Target::PODS;
  api_.list(context, {.kind = pods ? "Pod" : "Node", .resource_version = "0"},
            [this, order, fact, pods](Context& later, const ApiResult& result) {
              if (!result.ok()) return;  // as a chaos controller that cannot list: nothing happens
              const fault::Target& wanted = orders_[order].target();
              befall(later, order,
                     pods ? pods_among(wanted, fact, result.items)
                          : nodes_among(wanted, fact, result.items));
            });
}

// As a person does who reads the holder off the Lease.
void FaultOrders::find_leader(Context& context, std::uint32_t order) {
  const fault::Target& target = orders_[order].target();
  api_.get(context, key_for<k8s::Lease>(target.namespace_(), target.name()),
           [this, order](Context& later, const ApiResult& result) {
             const auto lease = result.ok() ? result.as<k8s::Lease>() : nullptr;
             if (!lease || lease->spec().holder_identity().empty()) return;
             const std::string host = host_of_identity(lease->spec().holder_identity());
             befall(later, order, {{host, host, "", ""}});
           });
}

std::vector<FaultOrders::Victim> FaultOrders::nodes_among(
    const fault::Target& target, const Payload& fact, const std::vector<Payload>& objects) const {
  std::vector<Victim> victims;
  for (const Payload& object : objects) {
    const auto* node = object.as<k8s::Node>();
    if (node == nullptr) continue;
    const std::string& name = node->metadata().name();
    if (target.of_fact() && (!fact || field_of(fact.message(), "node") != name)) continue;
    if (!matches_glob(target.name(), name) || !has_labels(target, node->metadata().labels())) {
      continue;
    }
    const std::string path = "node/" + name;
    if (target.kind() == fault::Target::NODES) {
      victims.push_back({path, path, name, ""});
      continue;
    }
    const std::int64_t gpus = amount_of(node->status().capacity(), "nvidia.com/gpu").to_whole();
    for (std::int64_t gpu = 0; gpu < gpus; ++gpu) {
      if (target.has_gpu() && target.gpu() != gpu) continue;
      const std::string of_gpu = path + "/gpu/" + std::to_string(gpu);
      victims.push_back({of_gpu, of_gpu, name, ""});
    }
  }
  return victims;
}

std::vector<FaultOrders::Victim> FaultOrders::pods_among(
    const fault::Target& target, const Payload& fact, const std::vector<Payload>& objects) const {
  std::vector<Victim> victims;
  for (const Payload& object : objects) {
    const auto* pod = object.as<k8s::Pod>();
    if (pod == nullptr || pod->spec().node_name().empty() || is_terminal(*pod)) continue;
    const k8s::ObjectMeta& meta = pod->metadata();
    if (target.of_fact() && (!fact || field_of(fact.message(), "uid") != meta.uid())) continue;
    if (!matches_glob(target.name(), meta.name()) ||
        !matches_glob(target.namespace_(), meta.namespace_()) ||
        !has_labels(target, meta.labels())) {
      continue;
    }
    const std::string& node = pod->spec().node_name();
    victims.push_back(
        {"node/" + node, "pod " + meta.namespace_() + "/" + meta.name(), node, meta.uid()});
  }
  return victims;
}

void FaultOrders::befall(Context& context, std::uint32_t order,
                         const std::vector<Victim>& candidates) {
  const fault::Order& spec = orders_[order];
  if (spec.begin().type() == fault::OpenLink::descriptor()->full_name()) {
    return open_link(context, order, candidates);
  }
  const std::uint64_t base = draws_;
  draws_ += candidates.size() + 1;
  const auto bits = [&](std::uint64_t i) { return context.random("fault target", base + i); };
  for (const std::size_t index : choose(candidates.size(), spec.target(), bits)) {
    const std::uint64_t chance =
        context.random("fault chance", base + (spec.one_fate() ? 0 : index));
    if (!bernoulli(chance, spec.probability_ppm(), kPerMillion)) continue;
    inject(context, order, candidates[index]);
  }
}

// ---- what ----

void FaultOrders::inject(Context& context, std::uint32_t order, const Victim& victim) {
  const fault::Order& spec = orders_[order];
  if (!is_of_process(spec.begin())) record(context, spec, victim.name);
  const Duration length(spec.duration_ns());
  tell(context, victim, addressed(unpack(spec.begin()), victim.node, victim.uid));
  if (length == Duration::zero() || !spec.has_end()) return;
  open_[++injections_] = {order, victim};
  fault::OrderHeals heals;
  heals.set_injection(injections_);
  context.set_timer(length, Payload::of(std::move(heals)));
}

void FaultOrders::record(Context& context, const fault::Order& order, const std::string& target) {
  facts::FaultInjected fact;
  fact.set_kind(order.kind());
  fact.set_target(target);
  context.emit(Payload::of(std::move(fact)));
}

// A rule of the network is one fault, of which each sender's host must know.
void FaultOrders::open_link(Context& context, std::uint32_t order,
                            const std::vector<Victim>& senders) {
  const fault::Order& spec = orders_[order];
  record(context, spec, "network");
  fault::OpenLink open = *unpack(spec.begin()).as<fault::OpenLink>();
  const Duration length(spec.duration_ns());
  open.set_until_ns(to_ns(length == Duration::zero() ? SimTime::max() : context.now() + length));
  const Payload message = Payload::of(open);
  for (const Victim& sender : senders) tell(context, sender, message);
}

void FaultOrders::heal(Context& context, std::uint64_t injection) {
  const auto found = open_.find(injection);
  if (found == open_.end()) return;
  const auto [order, victim] = found->second;
  open_.erase(found);
  const bool again =
      std::any_of(open_.begin(), open_.end(), [&, &o = order, &v = victim](const auto& entry) {
        return entry.second.order == o && entry.second.victim.path == v.path &&
               entry.second.victim.uid == v.uid;
      });
  if (again) return;  // it befell the same one once more, and heals with the last
  if (!is_of_process(orders_[order].begin())) {
    facts::FaultHealed fact;
    fact.set_kind(orders_[order].kind());
    fact.set_target(victim.name);
    context.emit(Payload::of(std::move(fact)));
  }
  tell(context, victim, addressed(unpack(orders_[order].end()), victim.node, victim.uid));
}

// Beginning and end of a fault are one stream: the end must not come first.
void FaultOrders::tell(Context& context, const Victim& victim, const Payload& what) {
  if (what.as<fault::BefallProcess>() != nullptr) return context.emit(what);
  const std::string& path = what.as<fault::Reclaim>() != nullptr ? kCloud : victim.path;
  context.send(address_of(path), what,
               {.link = Link::Lifecycle, .stream = 1, .version = ++messages_});
}

}  // namespace troupe::director
