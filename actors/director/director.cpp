#include "actors/director/director.h"

#include <utility>

#include "messages/assert.h"
#include "messages/facts.pb.h"
#include "messages/kinds.h"
#include "messages/runtime.pb.h"

namespace troupe::director {
namespace {

std::string name_of(const api::ObjectKey& key) {
  std::string name = key.kind() + "/";
  if (!key.namespace_().empty()) name += key.namespace_() + "/";
  return name + key.name();
}

std::string name_of(const google::protobuf::Message& object) {
  const k8s::ObjectMeta& meta = meta_of(object);
  api::ObjectKey key;
  const Kind* kind = find_kind(*object.GetDescriptor());
  key.set_kind(kind == nullptr ? object.GetDescriptor()->name() : std::string(kind->name));
  key.set_namespace_(meta.namespace_());
  key.set_name(meta.name());
  return name_of(key);
}

// How many steps have been taken: who works the cluster from outside does not forget it in a crash.
constexpr const char* kDone = "steps";
constexpr const char* kOrders = "orders";
constexpr std::int32_t kTooManyRequests = 429;
// kubectl drain's own interval.
constexpr Duration kEvictionRetry = std::chrono::seconds(5);

// Reports what the server did not accept, and of a console's steps what it did.
ApiCallback report(const Step& step, std::string object) {
  return [step, object = std::move(object)](Context& context, const ApiResult& result) {
    if (step.command() != 0) {
      if (step.verb() == api::EVICT && result.code == kTooManyRequests) {
        RetryEviction retry;
        *retry.mutable_step() = step;
        context.set_timer(kEvictionRetry, Payload::of(std::move(retry)));
      }
      StepEnded ended;
      ended.set_command(step.command());
      ended.set_object(object);
      ended.set_code(result.code);
      ended.set_message(result.message);
      return context.emit(Payload::of(std::move(ended)));
    }
    if (result.ok()) return;
    facts::StepRefused refused;
    refused.set_object(object);
    refused.set_code(result.code);
    refused.set_message(result.message);
    context.emit(Payload::of(std::move(refused)));
  };
}

}  // namespace

Director::Director(Plan plan, std::vector<Payload> objects)
    : plan_(std::move(plan)),
      objects_(std::move(objects)),
      faults_({plan_.faults().begin(), plan_.faults().end()}, api_) {}

void Director::start(Context& context) {
  arm(context);
  faults_.start(context);
}

void Director::receive(Context& context, const Delivery& delivery) {
  if (api_.receive(context, delivery) || faults_.receive(context, delivery)) return;
  if (const auto* work = delivery.as<Plan>()) {
    for (const Step& step : work->steps()) run(context, step, delivery.payload.attachments());
    take_orders(context, *work);
  } else if (const auto* retry = delivery.as<RetryEviction>()) {
    run(context, retry->step(), {});
  } else if (delivery.as<StepDue>() != nullptr) {
    while (next_ < plan_.steps_size() && plan_.steps(next_).at_ns() <= to_ns(context.now())) {
      run(context, plan_.steps(next_), objects_);
      ++next_;
    }
    context.persist(kDone, std::to_string(next_));
    arm(context);
  } else if (const auto* restored = delivery.as<runtime::Restored>()) {
    for (const auto& entry : restored->entries()) {
      if (entry.key() == kDone) next_ = std::stoi(entry.value());
      if (entry.key() != kOrders) continue;
      const bool parsed = ordered_.ParseFromString(entry.value());
      TROUPE_ASSERT(parsed, "a director finds the orders that it kept");
      for (const fault::Order& order : ordered_.faults()) faults_.add(context, order, true);
    }
  }
}

// Who works the cluster from outside does not forget in a crash what it was told.
void Director::take_orders(Context& context, const Plan& work) {
  if (work.faults().empty()) return;
  for (const fault::Order& order : work.faults()) faults_.add(context, order, false);
  ordered_.MergeFrom(work);
  ordered_.clear_steps();
  context.persist(kOrders, ordered_.SerializeAsString());
}

void Director::arm(Context& context) {
  if (next_ >= plan_.steps_size()) return;
  const Duration wait = from_ns(plan_.steps(next_).at_ns()) - context.now();
  context.set_timer(std::max(wait, Duration::zero()), Payload::of(StepDue{}));
}

void Director::run(Context& context, const Step& step, const std::vector<Payload>& objects) {
  if (step.has_key()) {
    ApiCallback done = report(step, name_of(step.key()));
    if (step.verb() == api::EVICT) return api_.evict(context, step.key(), {}, std::move(done));
    if (step.verb() == api::UPDATE)
      return api_.scale(context, step.key(), step.replicas(), std::move(done));
    return api_.remove(context, step.key(), {}, std::move(done));
  }
  const Payload& object = objects.at(step.attachment() - 1);
  ApiCallback done = report(step, name_of(object.message()));
  if (step.verb() == api::MERGE_PATCH) {
    return api_.patch_object(context, object,
                             {.clear = {step.clear_paths().begin(), step.clear_paths().end()}},
                             std::move(done));
  }
  api_.write(context, step.verb(), "", object, std::move(done));
}

std::unique_ptr<Actor> make_director(const Payload& host_start) {
  const std::vector<Payload>& attachments = host_start.attachments();
  const auto* plan = attachments.empty() ? nullptr : attachments.front().as<Plan>();
  TROUPE_ASSERT(plan != nullptr, "a director starts with its plan");
  return std::make_unique<Director>(
      *plan, std::vector<Payload>(attachments.begin() + 1, attachments.end()));
}

}  // namespace troupe::director
