#include "actors/cloud/cloud_provider.h"

#include <algorithm>

#include "actors/cloud/node_template.h"
#include "actors/distribution.h"
#include "messages/assert.h"
#include "messages/facts.pb.h"
#include "messages/hash.h"
#include "messages/runtime.pb.h"

namespace troupe::cloud {
namespace {

constexpr const char* kDry = "InsufficientInstanceCapacity";
constexpr const char* kNothingAllowed = "InvalidParameterValue";
constexpr const char* kNotFound = "InvalidInstanceID.NotFound";

// Keys of what is kept.
const std::string kInstance = "instance/";
const std::string kSubscriber = "subscriber/";

std::string host_path(const std::string& node) {
  return "node/" + node;
}

/// An instance's start and stop are one stream: the stop must not come first.
constexpr Via kHostStream{.link = Link::Lifecycle, .stream = 1};

Via cloud_call(std::uint64_t request_id) {
  return {.link = Link::Cloud, .version = request_id};
}

InstanceTimer timer_of(InstanceTimer::Kind kind, const std::string& id) {
  InstanceTimer timer;
  timer.set_kind(kind);
  timer.set_id(id);
  return timer;
}

/// Tells a launch from every other, whatever else was launched.
std::uint64_t name_of(const Address& caller, std::uint64_t request_id) {
  return mix(caller.actor, caller.incarnation, request_id);
}

/// EC2's form: the zone and seventeen hexadecimal digits.
std::string provider_id(const std::string& zone, std::uint64_t bits) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id = "cloud:///" + zone + "/i-0";
  for (int shift = 60; shift >= 0; shift -= 4) id += kDigits[(bits >> shift) & 0xf];
  return id;
}

}  // namespace

CloudProviderActor::CloudProviderActor(std::shared_ptr<const hosts::CloudConfig> config,
                                       std::vector<Payload> attachments)
    : config_(std::move(config)),
      attachments_(std::move(attachments)),
      offerings_(config_->instance_types()) {}

void CloudProviderActor::receive(Context& context, const Delivery& delivery) {
  if (const auto* timer = delivery.as<InstanceTimer>()) {
    on_timer(context, *timer);
  } else if (const auto* call = delivery.as<LaunchInstance>()) {
    launch(context, *call, delivery.sender);
  } else if (const auto* end = delivery.as<TerminateInstance>()) {
    terminate(context, *end, delivery.sender);
  } else if (const auto* question = delivery.as<DescribeInstances>()) {
    describe(context, *question, delivery.sender);
  } else if (delivery.as<SubscribeInterruptions>() != nullptr) {
    // Whoever lives there when a notice comes: a consumer that restarted reads the same queue.
    const Address reader = delivery.sender.any();
    if (std::find(subscribers_.begin(), subscribers_.end(), reader) == subscribers_.end()) {
      subscribers_.push_back(reader);
      KeptSubscriber kept;
      kept.set_host(reader.host);
      kept.set_actor(reader.actor);
      context.persist(kSubscriber + std::to_string(reader.actor), kept.SerializeAsString());
    }
  } else if (const auto* victim = delivery.as<InterruptInstance>()) {
    interrupt(context, *victim, usual_notice());
  } else if (const auto* reclaim = delivery.as<fault::Reclaim>()) {
    InterruptInstance named;
    named.set_node(reclaim->node());
    interrupt(context, named,
              reclaim->notice_ns() > 0 ? Duration(reclaim->notice_ns()) : usual_notice());
  } else if (const auto* disturb = delivery.as<fault::DisturbLaunches>()) {
    faults_.change(*disturb);
  } else if (const auto* change = delivery.as<SetPoolCapacity>()) {
    offerings_.set_capacity(*change);
  } else if (const auto* restored = delivery.as<runtime::Restored>()) {
    restore(context, *restored);
  }
}

// ---- what outlives a crash ----

void CloudProviderActor::keep(Context& context, const Record& record) const {
  KeptInstance kept;
  *kept.mutable_instance() = record.instance;
  kept.set_pool(static_cast<std::uint32_t>(record.pool));
  *kept.mutable_call() = record.call;
  kept.set_launched(record.launched);
  kept.set_interrupted(record.interrupted);
  kept.set_reclaimed_ns(to_ns(record.reclaimed));
  kept.set_boot_delay_ns(record.fate.boot_delay.count());
  kept.set_device_plugin_delay_ns(record.fate.device_plugin_delay.count());
  kept.set_fails_checks(record.fate.fails_checks);
  kept.set_never_registers(record.fate.never_registers);
  context.persist(kInstance + record.instance.id(), kept.SerializeAsString());
}

void CloudProviderActor::restore(Context& context, const runtime::Restored& restored) {
  for (const auto& entry : restored.entries()) {
    KeptInstance instance;
    KeptSubscriber subscriber;
    if (entry.key().starts_with(kSubscriber) && subscriber.ParseFromString(entry.value())) {
      subscribers_.push_back({subscriber.host(), subscriber.actor(), Address::kAnyIncarnation});
    } else if (entry.key().starts_with(kInstance) && instance.ParseFromString(entry.value())) {
      restore(context, instance);
    }
  }
}

// What was under way takes its whole time again.
void CloudProviderActor::restore(Context& context, const KeptInstance& kept) {
  const std::string& id = kept.instance().id();
  Record& record = instances_[id];
  record.instance = kept.instance();
  record.pool = kept.pool();
  record.call = kept.call();
  record.launched = kept.launched();
  record.interrupted = kept.interrupted();
  record.reclaimed = from_ns(kept.reclaimed_ns());
  record.fate = {Duration(kept.boot_delay_ns()), Duration(kept.device_plugin_delay_ns()),
                 kept.fails_checks(), kept.never_registers()};
  offerings_.take(record.pool);
  if (!record.call.client_token().empty()) by_token_[record.call.client_token()] = id;
  if (!record.launched) {
    context.set_timer(launch_time(context), Payload::of(timer_of(InstanceTimer::LAUNCHED, id)));
  }
  if (record.instance.state() == "shutting-down") {
    const Duration length = sample(config_->terminate(), terminate_times_.next(context));
    context.set_timer(length, Payload::of(timer_of(InstanceTimer::TERMINATED, id)));
  } else if (record.interrupted) {
    context.set_timer(std::max(record.reclaimed - context.now(), Duration::zero()),
                      Payload::of(timer_of(InstanceTimer::RECLAIMED, id)));
  }
}

// ---- launch ----

Duration CloudProviderActor::launch_time(Context& context) {
  return sample(config_->launch(), launch_times_.next(context));
}

void CloudProviderActor::launch(Context& context, const LaunchInstance& call,
                                const Address& sender) {
  const Caller caller{sender, call.request_id()};
  if (!call.client_token().empty()) {
    const auto known = by_token_.find(call.client_token());
    if (known != by_token_.end()) {
      Record& record = instances_.at(known->second);
      if (record.launched) {
        answer_launch(context, record, caller);
      } else {
        record.callers.push_back(caller);
      }
      return;
    }
  }
  Offerings::IsDry is_dry;
  if (!faults_.none()) {
    is_dry = [&](const Pool& pool) {
      return faults_.is_dry(context, pool, name_of(caller.address, caller.request_id));
    };
  }
  const Offerings::Choice choice = offerings_.choose(call, is_dry);
  if (choice.pool) {
    begin(context, call, choice, caller);
  } else {
    refuse(context, choice, caller);
  }
}

void CloudProviderActor::begin(Context& context, const LaunchInstance& call,
                               const Offerings::Choice& choice, const Caller& caller) {
  offerings_.take(*choice.pool);
  const Pool& pool = offerings_.at(*choice.pool);
  Record record;
  record.pool = *choice.pool;
  record.call = call;
  record.callers.push_back(caller);
  record.errors = report_dry(context, choice.dry);
  if (!faults_.none())
    record.fate = faults_.fate_of(context, pool, name_of(caller.address, caller.request_id));
  Instance& instance = record.instance;
  instance.set_id(provider_id(pool.zone, ids_.next(context)));
  instance.set_state("pending");
  instance.set_instance_type(pool.type->name());
  instance.set_zone(pool.zone);
  instance.set_capacity_type(pool.capacity_type);
  instance.set_node(free_name(call.node()));
  instance.set_node_pool(call.node_pool());
  instance.set_price_micro_usd_per_hour(pool.price_micro_usd_per_hour);
  const std::string id = instance.id();
  if (!call.client_token().empty()) by_token_[call.client_token()] = id;
  keep(context, record);
  instances_[id] = std::move(record);
  context.set_timer(launch_time(context), Payload::of(timer_of(InstanceTimer::LAUNCHED, id)));
}

void CloudProviderActor::refuse(Context& context, const Offerings::Choice& choice,
                                const Caller& caller) {
  LaunchInstanceReply reply;
  reply.set_request_id(caller.request_id);
  reply.set_error(choice.any_allowed ? kDry : kNothingAllowed);
  for (OfferingError& error : report_dry(context, choice.dry))
    *reply.add_errors() = std::move(error);
  refusals_[++last_refusal_] = {caller, std::move(reply)};
  InstanceTimer timer = timer_of(InstanceTimer::REFUSED, "");
  timer.set_call(last_refusal_);
  context.set_timer(launch_time(context), Payload::of(std::move(timer)));
}

std::vector<OfferingError> CloudProviderActor::report_dry(
    Context& context, const std::vector<std::size_t>& pools) const {
  std::vector<OfferingError> errors;
  for (const std::size_t index : pools) {
    const Pool& pool = offerings_.at(index);
    OfferingError& error = errors.emplace_back();
    error.set_instance_type(pool.type->name());
    error.set_zone(pool.zone);
    error.set_capacity_type(pool.capacity_type);
    error.set_code(kDry);
    facts::LaunchFailed fact;
    fact.set_instance_type(pool.type->name());
    fact.set_zone(pool.zone);
    fact.set_capacity_type(pool.capacity_type);
    fact.set_reason(kDry);
    context.emit(Payload::of(std::move(fact)));
  }
  return errors;
}

std::string CloudProviderActor::free_name(const std::string& wanted) const {
  const auto taken = [this](const std::string& name) {
    return std::any_of(instances_.begin(), instances_.end(),
                       [&name](const auto& entry) { return entry.second.instance.node() == name; });
  };
  std::string name = wanted;
  for (int n = 2; taken(name); ++n) name = wanted + "-" + std::to_string(n);
  return name;
}

void CloudProviderActor::on_timer(Context& context, const InstanceTimer& timer) {
  if (timer.kind() == InstanceTimer::REFUSED) {
    const Refusal& refusal = refusals_.at(timer.call());
    context.send(refusal.caller.address, Payload::of(refusal.reply),
                 cloud_call(refusal.caller.request_id));
    refusals_.erase(timer.call());
    return;
  }
  const auto found = instances_.find(timer.id());
  if (found == instances_.end()) return;
  if (timer.kind() == InstanceTimer::LAUNCHED) {
    launched(context, found->second);
  } else if (timer.kind() == InstanceTimer::TERMINATED) {
    gone(context, timer.id(), found->second.fate.fails_checks ? "failed" : "deleted");
  } else {
    gone(context, timer.id(), "interrupted");
  }
}

void CloudProviderActor::launched(Context& context, Record& record) {
  record.launched = true;
  Instance& instance = record.instance;
  instance.set_launched_ns(to_ns(context.now()));
  const hosts::InstanceType& type = *offerings_.at(record.pool).type;
  facts::InstanceLaunched fact;
  fact.set_instance(instance.id());
  fact.set_instance_type(instance.instance_type());
  fact.set_zone(instance.zone());
  fact.set_capacity_type(instance.capacity_type());
  fact.set_node(instance.node());
  fact.set_gpus(type.gpus());
  fact.set_price_micro_usd_per_hour(instance.price_micro_usd_per_hour());
  fact.set_node_pool(instance.node_pool());
  fact.set_gpu_model(type.gpu_model());
  context.emit(Payload::of(std::move(fact)));
  // It may have been terminated while it was pending: then it never boots.
  if (instance.state() == "pending" && record.fate.fails_checks) {
    instance.set_state("shutting-down");
    const Duration length = sample(config_->terminate(), terminate_times_.next(context));
    context.set_timer(length, Payload::of(timer_of(InstanceTimer::TERMINATED, instance.id())));
  } else if (instance.state() == "pending") {
    instance.set_state("running");
    if (!record.fate.never_registers) boot(context, record);
  }
  keep(context, record);
  for (const Caller& caller : std::exchange(record.callers, {})) {
    answer_launch(context, record, caller);
  }
}

void CloudProviderActor::boot(Context& context, const Record& record) {
  const Instance& instance = record.instance;
  hosts::NodeConfig node = node_config_of(config_->node(), offerings_.at(record.pool), record.call,
                                          {instance.id(), instance.node()});
  if (record.fate.device_plugin_delay > Duration::zero()) {
    const std::uint64_t bits = context.random("late plugin", hash_bytes(instance.id()));
    const Duration usual = sample(node.device_plugin(), bits);
    node.mutable_device_plugin()->Clear();
    node.mutable_device_plugin()->set_a_ns((usual + record.fate.device_plugin_delay).count());
  }
  std::vector<Payload> attachments;
  attachments.push_back(Payload::of(std::move(node)));
  attachments.insert(attachments.end(), attachments_.begin(), attachments_.end());
  runtime::HostStart start;
  start.set_kind("node");
  start.set_path(host_path(instance.node()));
  context.send(
      address_of(host_path(instance.node())), Payload::of(std::move(start), std::move(attachments)),
      {.link = kHostStream.link, .stream = kHostStream.stream, .extra = record.fate.boot_delay});
}

void CloudProviderActor::answer_launch(Context& context, const Record& record,
                                       const Caller& caller) const {
  LaunchInstanceReply reply;
  reply.set_request_id(caller.request_id);
  *reply.mutable_instance() = record.instance;
  for (const OfferingError& error : record.errors) *reply.add_errors() = error;
  context.send(caller.address, Payload::of(std::move(reply)), cloud_call(caller.request_id));
}

// ---- the end of instances ----

void CloudProviderActor::terminate(Context& context, const TerminateInstance& call,
                                   const Address& sender) {
  TerminateInstanceReply reply;
  reply.set_request_id(call.request_id());
  const auto found = instances_.find(call.id());
  if (found == instances_.end()) {
    reply.set_error(kNotFound);
  } else if (found->second.instance.state() != "shutting-down") {
    found->second.instance.set_state("shutting-down");
    keep(context, found->second);
    const Duration length = sample(config_->terminate(), terminate_times_.next(context));
    context.set_timer(length, Payload::of(timer_of(InstanceTimer::TERMINATED, call.id())));
  }
  context.send(sender, Payload::of(std::move(reply)), cloud_call(call.request_id()));
}

Duration CloudProviderActor::usual_notice() const {
  return config_->spot_notice_ns() > 0 ? Duration(config_->spot_notice_ns()) : kSpotNotice;
}

void CloudProviderActor::interrupt(Context& context, const InterruptInstance& what,
                                   Duration notice) {
  const auto found = std::find_if(instances_.begin(), instances_.end(), [&what](const auto& entry) {
    const Instance& instance = entry.second.instance;
    return what.id().empty() ? instance.node() == what.node() : instance.id() == what.id();
  });
  if (found == instances_.end() || !found->second.launched || found->second.interrupted) return;
  Record& record = found->second;
  record.interrupted = true;
  record.reclaimed = context.now() + notice;
  keep(context, record);
  facts::InstanceInterrupted fact;
  fact.set_instance(record.instance.id());
  fact.set_node(record.instance.node());
  fact.set_notice_ns(notice.count());
  context.emit(Payload::of(std::move(fact)));
  InterruptionNotice message;
  message.set_id(record.instance.id());
  message.set_node(record.instance.node());
  message.set_instance_type(record.instance.instance_type());
  message.set_zone(record.instance.zone());
  message.set_terminates_at_ns(to_ns(context.now() + notice));
  const Payload payload = Payload::of(std::move(message));
  for (const Address& subscriber : subscribers_) {
    context.send(subscriber, payload, {.link = Link::Cloud});
  }
  context.set_timer(notice, Payload::of(timer_of(InstanceTimer::RECLAIMED, record.instance.id())));
}

void CloudProviderActor::gone(Context& context, const std::string& id, const std::string& reason) {
  const Record& record = instances_.at(id);
  if (record.launched) {
    const std::string& node = record.instance.node();
    context.send(address_of(host_path(node)), Payload::of(runtime::HostStop{}), kHostStream);
    facts::InstanceTerminated fact;
    fact.set_instance(id);
    fact.set_node(node);
    fact.set_reason(reason);
    context.emit(Payload::of(std::move(fact)));
  }
  for (const Caller& caller : record.callers) answer_launch(context, record, caller);
  offerings_.give_back(record.pool);
  by_token_.erase(record.call.client_token());
  context.persist(kInstance + id, {});
  instances_.erase(id);
}

void CloudProviderActor::describe(Context& context, const DescribeInstances& call,
                                  const Address& sender) const {
  DescribeInstancesReply reply;
  reply.set_request_id(call.request_id());
  for (const auto& [id, record] : instances_) {
    const bool wanted = call.ids().empty() ||
                        std::find(call.ids().begin(), call.ids().end(), id) != call.ids().end();
    if (wanted) *reply.add_instances() = record.instance;
  }
  context.send(sender, Payload::of(std::move(reply)), cloud_call(call.request_id()));
}

std::unique_ptr<Actor> make_cloud(const Payload& host_start) {
  const std::vector<Payload>& attachments = host_start.attachments();
  TROUPE_ASSERT(!attachments.empty(), "a cloud's host starts with its configuration");
  auto config = attachments.front().share<hosts::CloudConfig>();
  TROUPE_ASSERT(config != nullptr, "the configuration of a cloud is a CloudConfig");
  return std::make_unique<CloudProviderActor>(
      std::move(config), std::vector<Payload>(attachments.begin() + 1, attachments.end()));
}

}  // namespace troupe::cloud
