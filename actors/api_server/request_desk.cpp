#include "actors/api_server/request_desk.h"

#include <utility>

#include "actors/api_client/object_key.h"
#include "actors/api_server/eviction.h"
#include "actors/api_server/scale.h"
#include "messages/facts.pb.h"
#include "messages/hash.h"

namespace troupe::apiserver {
namespace {

constexpr std::string_view kDefaultNamespace = "default";

bool needs_body(api::Verb verb) {
  return verb == api::CREATE || verb == api::APPLY || verb == api::MERGE_PATCH ||
         verb == api::STRATEGIC_PATCH;
}

/// The key with the namespace that it means.
api::ObjectKey whole_key(const Kind& kind, const api::ObjectKey& key) {
  api::ObjectKey whole = key;
  if (!kind.namespaced) whole.clear_namespace_();
  if (kind.namespaced && key.namespace_().empty()) {
    whole.set_namespace_(std::string(kDefaultNamespace));
  }
  return whole;
}

/// What a request must have before anything is looked up; a status of code 0 if it has it.
Status check_form(const api::ApiRequest& request, const Kind& kind, const Payload& body) {
  const api::Verb verb = request.verb();
  const bool scales = request.subresource() == "scale";
  const bool known = request.subresource().empty() || request.subresource() == "status" ||
                     (scales && (verb == api::GET || verb == api::UPDATE));
  const bool pods_only = verb == api::BIND || verb == api::EVICT;
  if (!known || (pods_only && kind.prototype != &k8s::Pod::default_instance())) {
    return {404, "NotFound", "the server could not find the requested resource"};
  }
  if (scales && verb == api::UPDATE) {
    return request.has_replicas() ? Status{} : bad_request("spec.replicas: Required value");
  }
  if ((needs_body(verb) || verb == api::UPDATE) && !body) {
    return bad_request("the request has no object");
  }
  if (body && body.message().GetDescriptor() != kind.prototype->GetDescriptor()) {
    return bad_request("the object in the request is not a " + std::string(kind.name));
  }
  return {};
}

Payload first_of(const Payload& payload) {
  return payload.attachments().empty() ? Payload{} : payload.attachments().front();
}

std::int64_t revision_in(const Payload& object) {
  return object ? revision_of(meta_of(object.message()).resource_version()) : 0;
}

}  // namespace

// ---- arrival ----

void RequestDesk::handle(Context& context, const Delivery& delivery,
                         const api::ApiRequest& request) {
  auto operation = std::make_unique<Operation>();
  operation->client = delivery.sender;
  operation->message = delivery.payload;
  operation->request = &request;
  operation->kind = find_kind(request.key().kind());
  operation->since = context.now();
  if (operation->kind == nullptr) {
    reply_status(context, *operation,
                 {404, "NotFound", "the server could not find the requested resource"});
    return;
  }
  if (Status wrong = check_form(request, *operation->kind, first_of(delivery.payload))) {
    reply_status(context, *operation, wrong);
    return;
  }
  const api::ObjectKey key = whole_key(*operation->kind, request.key());
  switch (request.verb()) {
    case api::LIST:
      return list(context, std::move(operation));
    case api::GET:
      return read(context, std::move(operation), key);
    case api::EVICT:
      operation->stage = Stage::ReadForEviction;
      return read(context, std::move(operation), key);
    case api::CREATE:
      operation->stage = Stage::Write;
      return attempt_create(context, std::move(operation));
    default:
      operation->stage = Stage::Write;
      return attempt(context, std::move(operation), cache_.get(key.kind(), path_of(key)));
  }
}

// ---- lists ----

void RequestDesk::list(Context& context, OperationPtr operation) {
  const api::ApiRequest& request = *operation->request;
  auto selector = ObjectSelector::of(*operation->kind, request);
  if (!selector) {
    reply_status(context, *operation, bad_request(selector.error().message));
    return;
  }
  operation->selector = std::move(*selector);
  if (request.resource_version().empty()) {
    read(context, std::move(operation), request.key());
    return;
  }
  const std::int64_t wanted = revision_of(request.resource_version());
  if (wanted <= cache_.revision()) {
    answer_from_cache(context, *operation);
  } else {
    wait_for_cache(context, std::move(operation), wanted);
  }
}

void RequestDesk::wait_for_cache(Context& context, OperationPtr operation, std::int64_t revision) {
  const std::uint64_t id = ++last_id_;
  waiting_lists_.emplace(id, std::pair(revision, std::move(operation)));
  timers_.after(context, kCacheWait, "wait for cache", [this, id](Context& later) {
    auto found = waiting_lists_.extract(id);
    if (found.empty()) return;
    const auto& [wanted, list] = found.mapped();
    reply_status(later, *list, version_too_large(wanted, cache_.revision()));
  });
}

void RequestDesk::on_cache_advanced(Context& context) {
  for (auto it = waiting_lists_.begin(); it != waiting_lists_.end();) {
    if (it->second.first > cache_.revision()) {
      ++it;
      continue;
    }
    answer_from_cache(context, *it->second.second);
    it = waiting_lists_.erase(it);
  }
}

void RequestDesk::answer_from_cache(Context& context, const Operation& operation) {
  std::vector<Payload> items;
  if (const auto path = operation.selector.only_path()) {
    const Payload object = cache_.get(operation.kind->name, *path);
    if (object && operation.selector.matches(object.message())) items.push_back(object);
  } else {
    for (const auto& [path_of_object, object] : cache_.objects(operation.kind->name)) {
      if (operation.selector.matches(object.message())) items.push_back(object);
    }
  }
  reply_list(context, operation, cache_.revision(), std::move(items));
}

// ---- writes ----

Mutation RequestDesk::mutation_of(const Operation& operation, SimTime now) const {
  const Address& client = operation.client;
  const std::uint64_t identity =
      mix(client.actor, client.incarnation, operation.request->request_id());
  return {*operation.request,
          *operation.kind,
          first_of(operation.message),
          identity,
          operation.attempt,
          now,
          cache_};
}

void RequestDesk::attempt_create(Context& context, OperationPtr operation) {
  Decision decision = decide_create(mutation_of(*operation, context.now()));
  operation->live = true;
  proceed(context, std::move(operation), {}, std::move(decision));
}

void RequestDesk::attempt(Context& context, OperationPtr operation, const Payload& current) {
  Decision decision = decide(mutation_of(*operation, context.now()), current);
  proceed(context, std::move(operation), current, std::move(decision));
}

void RequestDesk::proceed(Context& context, OperationPtr operation, const Payload& current,
                          Decision decision) {
  const bool writes =
      decision.kind == Decision::Kind::Write || decision.kind == Decision::Kind::Remove;
  if (writes) {
    transact(context, std::move(operation), current, std::move(decision));
  } else if (!operation->live) {
    const api::ObjectKey key = operation->stage == Stage::ChargeBudget
                                   ? key_of(operation->budget.message())
                                   : whole_key(*operation->kind, operation->request->key());
    read(context, std::move(operation), key);
  } else if (decision.kind == Decision::Kind::Refuse) {
    reply_status(context, *operation, decision.status);
  } else if (operation->stage == Stage::ChargeBudget) {
    operation->stage = Stage::Write;
    const Payload pod = operation->pod;
    attempt(context, std::move(operation), pod);
  } else {
    reply_object(context, *operation, 200, current);
  }
}

// The object is given the revision that it will get if nobody else writes first, so that the store
// need not copy it.
void RequestDesk::transact(Context& context, OperationPtr operation, const Payload& current,
                           Decision decision) {
  api::StoreTxn txn;
  const std::uint64_t id = ++last_id_;
  txn.set_txn_id(id);
  txn.set_expected_revision(revision_in(current));
  *txn.mutable_key() = key_of(decision.object ? *decision.object : current.message());
  std::vector<Payload> attachments;
  if (decision.object) {
    known_revision_ = std::max(known_revision_, cache_.revision());
    mutable_meta(*decision.object)
        ->set_resource_version(std::to_string(known_revision_ + in_flight_ + 1));
    attachments.emplace_back(std::move(decision.object), std::vector<Payload>{});
  }
  ++in_flight_;
  operation->creates = !current;
  operation->in_transaction = true;
  const Via via{.link = Link::Api, .object = hash_of(txn.key()), .version = id};
  operations_.emplace(id, std::move(operation));
  context.send(store_, Payload::of(std::move(txn), std::move(attachments)), via);
}

void RequestDesk::on_txn_reply(Context& context, const Delivery& delivery,
                               const api::StoreTxnReply& reply) {
  OperationPtr operation = take(reply.txn_id());
  if (operation == nullptr) return;
  known_revision_ = std::max(known_revision_, reply.revision());
  const Payload object = first_of(delivery.payload);
  if (!reply.committed()) {
    retry(context, std::move(operation), object);
  } else if (operation->stage == Stage::ChargeBudget) {
    operation->stage = Stage::Write;
    const Payload pod = operation->pod;
    attempt(context, std::move(operation), pod);
  } else {
    finish(context, *operation, object);
  }
}

// Somebody wrote first: decide again on what is there now.
void RequestDesk::retry(Context& context, OperationPtr operation, const Payload& current) {
  ++operation->attempt;
  operation->live = true;
  const std::string& name = operation->request->key().name();
  if (operation->request->verb() == api::CREATE) {
    const bool generated = name.empty();
    if (generated && operation->attempt < kMaxNames) {
      attempt_create(context, std::move(operation));
    } else {
      const std::string taken = generated && current ? meta_of(current.message()).name() : name;
      reply_status(context, *operation, already_exists(*operation->kind, taken));
    }
  } else if (operation->attempt >= kMaxAttempts) {
    reply_status(context, *operation, stale(*operation->kind, name));
  } else if (operation->stage == Stage::ChargeBudget) {
    operation->budget = current;
    attempt_charge(context, std::move(operation));
  } else {
    attempt(context, std::move(operation), current);
  }
}

void RequestDesk::finish(Context& context, const Operation& operation, const Payload& object) {
  const api::Verb verb = operation.request->verb();
  const bool created = operation.creates || verb == api::BIND || verb == api::EVICT;
  if (verb == api::EVICT && !meta_of(operation.pod.message()).has_deletion_timestamp()) {
    const k8s::ObjectMeta& meta = meta_of(operation.pod.message());
    facts::PodEvicted evicted;
    evicted.set_uid(meta.uid());
    evicted.set_namespace_(meta.namespace_());
    evicted.set_name(meta.name());
    evicted.set_by("eviction API");
    evicted.set_reason("EvictionByEvictionAPI");
    context.emit(Payload::of(std::move(evicted)));
  }
  reply_object(context, operation, created ? 201 : 200, object);
}

// ---- evictions ----

void RequestDesk::begin_eviction(Context& context, OperationPtr operation, const Payload& pod) {
  operation->pod = pod;
  const auto* object = pod ? pod.as<k8s::Pod>() : nullptr;
  const std::vector<Payload> budgets = object != nullptr && !needs_no_budget(*object)
                                           ? budgets_of(*object, cache_)
                                           : std::vector<Payload>{};
  const bool refused =
      object != nullptr &&
      check_preconditions(mutation_of(*operation, context.now()), object->metadata());
  if (budgets.empty() || refused) {
    operation->stage = Stage::Write;
    attempt(context, std::move(operation), pod);
  } else if (budgets.size() > 1) {
    reply_status(context, *operation, several_budgets());
  } else {
    operation->stage = Stage::ChargeBudget;
    operation->budget = budgets.front();
    operation->live = false;
    attempt_charge(context, std::move(operation));
  }
}

void RequestDesk::attempt_charge(Context& context, OperationPtr operation) {
  const Payload budget = operation->budget;
  Decision decision = budget ? charge_budget(*budget.as<k8s::PodDisruptionBudget>(),
                                             *operation->pod.as<k8s::Pod>(), context.now())
                             : Decision::keep();  // the budget is gone
  proceed(context, std::move(operation), budget, std::move(decision));
}

// ---- the store's answers ----

void RequestDesk::read(Context& context, OperationPtr operation, const api::ObjectKey& key) {
  api::StoreRead request;
  const std::uint64_t id = ++last_id_;
  request.set_read_id(id);
  *request.mutable_key() = key;
  request.set_list(operation->request->verb() == api::LIST);
  const Via via{.link = Link::Api, .object = hash_of(key), .version = id};
  operations_.emplace(id, std::move(operation));
  context.send(store_, Payload::of(std::move(request)), via);
}

void RequestDesk::on_read_reply(Context& context, const Delivery& delivery,
                                const api::StoreReadReply& reply) {
  OperationPtr operation = take(reply.read_id());
  if (operation == nullptr) return;
  known_revision_ = std::max(known_revision_, reply.revision());
  operation->live = true;
  const Payload object = first_of(delivery.payload);
  if (operation->request->verb() == api::LIST) {
    std::vector<Payload> items = delivery.payload.attachments();
    std::erase_if(
        items, [&](const Payload& item) { return !operation->selector.matches(item.message()); });
    reply_list(context, *operation, reply.revision(), std::move(items));
    return;
  }
  switch (operation->stage) {
    case Stage::Read:
      if (object) return reply_object(context, *operation, 200, object);
      return reply_status(context, *operation,
                          not_found(*operation->kind, operation->request->key().name()));
    case Stage::ReadForEviction:
      return begin_eviction(context, std::move(operation), object);
    case Stage::ChargeBudget:
      operation->budget = object;
      return attempt_charge(context, std::move(operation));
    case Stage::Write:
      return attempt(context, std::move(operation), object);
  }
}

void RequestDesk::on_store_refused(Context& context, const Payload& refused) {
  OperationPtr operation;
  if (const auto* txn = refused.as<api::StoreTxn>()) {
    operation = take(txn->txn_id());
  } else if (const auto* request = refused.as<api::StoreRead>()) {
    operation = take(request->read_id());
  }
  if (operation == nullptr) return;
  reply_status(context, *operation, internal_error("etcdserver: connection refused"));
}

void RequestDesk::refuse(Context& context, const Delivery& delivery, const api::ApiRequest& request,
                         const Status& status) {
  Operation operation;
  operation.client = delivery.sender;
  operation.request = &request;
  reply_status(context, operation, status);
}

void RequestDesk::forget_old(SimTime now) {
  for (auto it = operations_.begin(); it != operations_.end();) {
    const std::uint64_t id = it->first;
    const bool old = it->second->since + kForget < now;
    ++it;
    if (old) take(id);
  }
}

RequestDesk::OperationPtr RequestDesk::take(std::uint64_t id) {
  auto found = operations_.extract(id);
  if (found.empty()) return nullptr;
  if (std::exchange(found.mapped()->in_transaction, false)) --in_flight_;
  return std::move(found.mapped());
}

// ---- replies ----

void RequestDesk::reply_object(Context& context, const Operation& operation, int code,
                               const Payload& object) {
  Payload shown = object;
  if (operation.request->subresource() == "scale") {
    auto scale = scale_of(object.message());
    if (!scale) {
      reply_status(context, operation, {404, "NotFound", scale.error().message});
      return;
    }
    shown = Payload::of(std::move(*scale));
  }
  api::ApiReply reply;
  reply.set_code(code);
  reply.set_resource_version(meta_of(object.message()).resource_version());
  send_reply(context, operation, std::move(reply), {std::move(shown)});
}

void RequestDesk::reply_list(Context& context, const Operation& operation, std::int64_t revision,
                             std::vector<Payload> items) {
  api::ApiReply reply;
  reply.set_code(200);
  reply.set_resource_version(std::to_string(revision));
  send_reply(context, operation, std::move(reply), std::move(items));
}

void RequestDesk::reply_status(Context& context, const Operation& operation, const Status& status) {
  api::ApiReply reply;
  reply.set_code(status.code);
  reply.set_reason(status.reason);
  reply.set_message(status.message);
  reply.set_retry_after_seconds(status.retry_after_seconds);
  send_reply(context, operation, std::move(reply), {});
}

void RequestDesk::send_reply(Context& context, const Operation& operation, api::ApiReply reply,
                             std::vector<Payload> attachments) {
  const std::uint64_t id = operation.request->request_id();
  reply.set_request_id(id);
  const Via via{.link = Link::Api, .object = hash_of(operation.request->key()), .version = id};
  context.send(operation.client, Payload::of(std::move(reply), std::move(attachments)), via);
}

}  // namespace troupe::apiserver
