#include "actors/api_server/store_actor.h"

#include <algorithm>
#include <utility>

#include "actors/api_client/object_key.h"
#include "actors/api_server/object_fields.h"
#include "actors/api_server/pod_facts.h"
#include "actors/context.h"
#include "messages/assert.h"
#include "messages/facts.pb.h"

namespace troupe::apiserver {
namespace {

/// The key under which the store's revision is persisted; no object's key has no slash.
const std::string kRevisionKey = "revision";

std::string persisted_key(const api::ObjectKey& key) {
  return key.kind() + "/" + path_of(key);
}

api::ObjectKey parse_persisted_key(std::string_view text) {
  const auto kind_end = text.find('/');
  const std::string_view path = text.substr(kind_end + 1);
  const auto slash = path.find('/');
  const bool namespaced = slash != std::string_view::npos;
  return object_key(text.substr(0, kind_end), namespaced ? path.substr(0, slash) : "",
                    namespaced ? path.substr(slash + 1) : path);
}

Payload event_of(const Store::Commit& commit) {
  api::StoreEvent event;
  event.set_revision(commit.revision);
  *event.mutable_key() = commit.key;
  event.set_type(commit.type);
  std::vector<Payload> attachments{commit.object};
  if (commit.previous) attachments.push_back(commit.previous);
  return Payload::of(std::move(event), std::move(attachments));
}

Payload committed_fact(const Store::Commit& commit) {
  facts::ObjectCommitted fact;
  fact.set_kind(commit.key.kind());
  fact.set_namespace_(commit.key.namespace_());
  fact.set_name(commit.key.name());
  fact.set_deleted(commit.type == api::WatchEvent::DELETED);
  fact.set_created(commit.type == api::WatchEvent::ADDED);
  fact.set_revision(commit.revision);
  return Payload::of(std::move(fact), {commit.object});
}

}  // namespace

StoreActor::StoreActor(Options options)
    : store_(options.compaction), preload_(std::move(options.preload)) {}

void StoreActor::receive(Context& context, const Delivery& delivery) {
  if (!begun_) begin(context, delivery);
  if (const auto* txn = delivery.as<api::StoreTxn>()) {
    transact(context, delivery, *txn);
  } else if (const auto* request = delivery.as<api::StoreRead>()) {
    read(context, delivery, *request);
  } else if (const auto* renewal = delivery.as<api::RenewNodeLease>()) {
    renew(context, *renewal);
  } else if (const auto* subscription = delivery.as<api::StoreSubscribe>()) {
    subscribe(context, delivery, *subscription);
  } else if (const auto* asked = delivery.as<api::StoreProgressRequest>()) {
    api::StoreProgress progress;
    progress.set_revision(store_.revision());
    context.send(delivery.sender, Payload::of(std::move(progress)),
                 {.link = Link::Watch, .stream = asked->stream()});
  } else if (delivery.as<runtime::ConnectionRefused>() != nullptr) {
    std::erase_if(subscribers_, [&](const Subscriber& subscriber) {
      return subscriber.address == delivery.sender;  // that life of it, no other
    });
  }
}

// A restarted actor's first message brings what it had persisted; any other first message means a
// first life.
void StoreActor::begin(Context& context, const Delivery& first) {
  begun_ = true;
  const auto* restored = first.as<runtime::Restored>();
  if (restored != nullptr && !restored->entries().empty()) {
    restore(*restored);
  } else {
    for (const Payload& object : preload_) {
      const auto* commit = store_.commit(key_of(object.message()), 0, object, context.now());
      TROUPE_ASSERT(commit != nullptr,
                    "an initial object is given twice: " + persisted_key(key_of(object.message())));
      record(context, *commit);
    }
  }
  preload_.clear();
}

void StoreActor::restore(const runtime::Restored& restored) {
  std::int64_t revision = 0;
  std::vector<std::pair<api::ObjectKey, Payload>> objects;
  for (const auto& entry : restored.entries()) {
    if (entry.key() == kRevisionKey) {
      revision = revision_of(entry.value());
      continue;
    }
    api::ObjectKey key = parse_persisted_key(entry.key());
    const Kind* kind = find_kind(key.kind());
    TROUPE_ASSERT(kind != nullptr, "a persisted object of no known kind: " + entry.key());
    std::unique_ptr<Message> object(kind->prototype->New());
    TROUPE_ASSERT(object->ParseFromString(entry.value()), "a broken persisted object");
    objects.emplace_back(std::move(key), Payload(std::move(object), {}));
  }
  store_.restore(revision, objects);
}

void StoreActor::transact(Context& context, const Delivery& delivery, const api::StoreTxn& txn) {
  const auto& attachments = delivery.payload.attachments();
  const Payload object = attachments.empty() ? Payload{} : attachments.front();
  const Store::Commit* commit =
      store_.commit(txn.key(), txn.expected_revision(), object, context.now());
  api::StoreTxnReply reply;
  reply.set_txn_id(txn.txn_id());
  reply.set_committed(commit != nullptr);
  reply.set_revision(store_.revision());
  std::vector<Payload> current;
  if (commit != nullptr) {
    record(context, *commit);
    current.push_back(commit->object);
  } else if (Store::Object found = store_.get(txn.key()); found.revision != 0) {
    current.push_back(std::move(found.object));
  }
  context.send(delivery.sender, Payload::of(std::move(reply), std::move(current)),
               {.link = Link::Api, .version = txn.txn_id()});
  if (commit == nullptr || subscribers_.empty()) return;
  const Payload event = event_of(*commit);
  for (const Subscriber& subscriber : subscribers_) stream_to(context, subscriber, *commit, event);
}

void StoreActor::record(Context& context, const Store::Commit& commit) {
  const std::string key = persisted_key(commit.key);
  const bool deleted = commit.type == api::WatchEvent::DELETED;
  context.persist(key, deleted ? std::string{} : commit.object.bytes());
  context.persist(kRevisionKey, std::to_string(commit.revision));
  context.emit(committed_fact(commit));
  for (Payload& fact : pod_facts(commit)) context.emit(std::move(fact));
}

void StoreActor::stream_to(Context& context, const Subscriber& subscriber,
                           const Store::Commit& commit, const Payload& event) {
  context.send(subscriber.address, event,
               {.link = Link::Watch,
                .stream = subscriber.stream,
                .object = hash_of(commit.key),
                .version = static_cast<std::uint64_t>(commit.revision),
                .extra = subscriber.lag});
}

void StoreActor::read(Context& context, const Delivery& delivery, const api::StoreRead& request) {
  api::StoreReadReply reply;
  reply.set_read_id(request.read_id());
  reply.set_revision(store_.revision());
  std::vector<Payload> objects;
  if (request.list()) {
    objects = store_.list(request.key().kind());
  } else if (Store::Object found = store_.get(request.key()); found.revision != 0) {
    objects.push_back(std::move(found.object));
  }
  context.send(delivery.sender, Payload::of(std::move(reply), std::move(objects)),
               {.link = Link::Api, .version = request.read_id()});
}

void StoreActor::subscribe(Context& context, const Delivery& delivery,
                           const api::StoreSubscribe& request) {
  std::erase_if(subscribers_, [&](const Subscriber& known) {
    return known.address.any() == delivery.sender.any();
  });
  const Subscriber subscriber{delivery.sender, request.stream(), Duration(request.lag_ns())};
  subscribers_.push_back(subscriber);
  const std::int64_t after = request.after_revision();
  if (after > 0 && after <= store_.revision() && store_.has_log_since(after)) {
    for (const Store::Commit& commit : store_.log()) {
      if (commit.revision > after) stream_to(context, subscriber, commit, event_of(commit));
    }
    return;
  }
  api::StoreSnapshot snapshot;
  snapshot.set_revision(store_.revision());
  context.send(subscriber.address, Payload::of(std::move(snapshot), store_.list("")),
               {.link = Link::Watch, .stream = subscriber.stream});
}

void StoreActor::renew(Context& context, const api::RenewNodeLease& renewal) {
  api::NodeLeaseRenewed renewed;
  renewed.set_node(renewal.node());
  const Payload message = Payload::of(std::move(renewed));
  for (const Subscriber& subscriber : subscribers_) {
    context.send(subscriber.address, message,
                 {.link = Link::Watch, .stream = subscriber.stream, .extra = subscriber.lag});
  }
}

}  // namespace troupe::apiserver
