// A small API server for the tests of one actor on a FakeContext: it holds objects, answers the
// actor's requests at once and tells its watches. It checks nothing, never refuses unless told to,
// and takes no time.
//
//   FakeContext context("controller/hpa/0");
//   ApiStub api(context);
//   api.put(pod);
//   actor.start(context);
//   api.serve(actor);                      // lists, watches, replies, until nothing is left to
//   answer EXPECT_EQ(api.writes.size(), 1u);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/actor.h"
#include "messages/api.pb.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/kinds.h"
#include "tests/support/fake_context.h"

namespace troupe::testing {

class ApiStub {
 public:
  struct Write {
    api::ApiRequest request;
    Payload object;  ///< empty for a write without one
    SimTime at;
  };

  explicit ApiStub(FakeContext& context) : context_(context) {}

  /// Creates or replaces an object.
  template <class T>
  void put(T object) {
    store(std::make_unique<T>(std::move(object)));
  }
  template <class T>
  void remove(const std::string& path) {
    const auto at = objects_.find({std::string(kind_of<T>().name), path});
    changes_.push_back({++revision_, at->first.first, api::WatchEvent::DELETED, at->second});
    objects_.erase(at);
  }
  template <class T>
  [[nodiscard]] std::shared_ptr<const T> get(const std::string& path) const {
    const auto at = objects_.find({std::string(kind_of<T>().name), path});
    return at == objects_.end() ? nullptr : at->second.template share<T>();
  }
  /// What the subresource "scale" of an object shows; a write of it changes both numbers of
  /// replicas.
  void set_scale(const std::string& kind_and_path, std::int32_t replicas, std::string selector) {
    k8s::Scale& scale = scales_[kind_and_path];
    scale.mutable_spec()->set_replicas(replicas);
    scale.mutable_status()->set_replicas(replicas);
    scale.mutable_status()->set_selector(std::move(selector));
  }
  [[nodiscard]] std::int32_t replicas(const std::string& kind_and_path) const {
    return scales_.at(kind_and_path).spec().replicas();
  }

  /// Answers everything that the actor has sent and that its watches have not heard, until there is
  /// no more.
  void serve(Actor& actor) {
    for (bool busy = true; busy;) {
      busy = false;
      while (served_ < context_.sent.size()) {
        const FakeContext::Sent sent = context_.sent[served_++];
        answer(actor, sent.what);
        busy = true;
      }
      busy = tell_watches(actor) || busy;
    }
  }
  /// Fires the actor's timers within `span` and answers what they bring forth.
  void run(Actor& actor, Duration span) {
    const SimTime until = context_.now() + span;
    serve(actor);
    while (auto delivery = context_.next_timer(until)) {
      actor.receive(context_, *delivery);
      serve(actor);
    }
    context_.set_now(until);
  }

  /// If it returns a code, the request is answered with that and has no effect; 0 leaves it without
  /// any answer.
  std::function<std::optional<int>(const api::ApiRequest&)> refuse;
  /// Sees every message to anyone else that the actor sends.
  std::function<void(Actor&, const FakeContext::Sent&)> other;
  std::vector<Write> writes;

 private:
  struct Change {
    std::int64_t revision = 0;
    std::string kind;
    api::WatchEvent::Type type = api::WatchEvent::ADDED;
    Payload object;
  };
  struct Watch {
    std::string kind;
    std::int64_t seen = 0;
  };
  using Key = std::pair<std::string, std::string>;  // kind, "namespace/name"

  static std::string path_of(const std::string& name_space, const std::string& name) {
    return name_space.empty() ? name : name_space + "/" + name;
  }

  Payload store(std::unique_ptr<google::protobuf::Message> object) {
    k8s::ObjectMeta* meta = mutable_meta(*object);
    meta->set_resource_version(std::to_string(++revision_));
    if (!meta->has_uid()) meta->set_uid("uid-" + meta->name());
    const Key key{std::string(find_kind(*object->GetDescriptor())->name),
                  path_of(meta->namespace_(), meta->name())};
    const auto type = objects_.contains(key) ? api::WatchEvent::MODIFIED : api::WatchEvent::ADDED;
    Payload payload(std::move(object), {});
    objects_[key] = payload;
    changes_.push_back({revision_, key.first, type, payload});
    return payload;
  }

  void answer(Actor& actor, const Payload& message) {
    if (const auto* request = message.as<api::ApiRequest>()) {
      const std::optional<int> code = refuse ? refuse(*request) : std::nullopt;
      if (code == 0) return;
      code ? reply(actor, *request, *code, {}) : apply(actor, *request, message);
    } else if (const auto* watch = message.as<api::WatchRequest>()) {
      watches_[watch->watch_id()] = {watch->kind(), std::stoll("0" + watch->resource_version())};
    } else if (const auto* stop = message.as<api::StopWatch>()) {
      watches_.erase(stop->watch_id());
    } else if (const auto* ping = message.as<api::Ping>()) {
      api::PingReply pong;
      pong.set_connection(ping->connection());
      actor.receive(context_, context_.deliver(Payload::of(std::move(pong))));
    } else if (other) {
      other(actor, context_.sent[served_ - 1]);
    }
  }

  void apply(Actor& actor, const api::ApiRequest& request, const Payload& message) {
    const Key key{request.key().kind(), path_of(request.key().namespace_(), request.key().name())};
    if (request.verb() == api::LIST) return list(actor, request);
    if (request.verb() != api::GET) {
      writes.push_back({request,
                        message.attachments().empty() ? Payload{} : message.attachments()[0],
                        context_.now()});
    }
    if (request.subresource() == "scale") return scale(actor, request, key);
    if (request.verb() == api::GET) {
      const auto at = objects_.find(key);
      return at == objects_.end() ? reply(actor, request, 404, {})
                                  : reply(actor, request, 200, {at->second});
    }
    if (message.attachments().empty()) return reply(actor, request, 200, {});
    const google::protobuf::Message& given = message.attachments()[0].message();
    std::unique_ptr<google::protobuf::Message> copy(given.New());
    copy->CopyFrom(given);
    reply(actor, request, request.verb() == api::CREATE ? 201 : 200, {store(std::move(copy))});
  }

  void list(Actor& actor, const api::ApiRequest& request) {
    std::vector<Payload> items;
    for (const auto& [key, object] : objects_) {
      if (key.first == request.key().kind()) items.push_back(object);
    }
    reply(actor, request, 200, std::move(items));
  }

  void scale(Actor& actor, const api::ApiRequest& request, const Key& key) {
    const auto at = scales_.find(key.first + "/" + key.second);
    if (at == scales_.end()) return reply(actor, request, 404, {});
    if (request.verb() == api::UPDATE) {
      at->second.mutable_spec()->set_replicas(static_cast<std::int32_t>(request.replicas()));
      at->second.mutable_status()->set_replicas(static_cast<std::int32_t>(request.replicas()));
    }
    reply(actor, request, 200, {Payload::of(at->second)});
  }

  void reply(Actor& actor, const api::ApiRequest& request, int code, std::vector<Payload> objects) {
    api::ApiReply answer;
    answer.set_request_id(request.request_id());
    answer.set_code(code);
    answer.set_resource_version(std::to_string(revision_));
    if (code >= 400) answer.set_message("refused with " + std::to_string(code));
    actor.receive(context_, context_.deliver(Payload::of(std::move(answer), std::move(objects))));
  }

  bool tell_watches(Actor& actor) {
    bool told = false;
    const std::map<std::uint64_t, Watch> watches = watches_;
    for (const auto& [id, watch] : watches) {
      for (const Change& change : std::vector<Change>(changes_)) {
        if (change.kind != watch.kind || change.revision <= watch.seen) continue;
        if (!watches_.contains(id)) break;
        watches_[id].seen = change.revision;
        api::WatchEvent event;
        event.set_watch_id(id);
        event.set_type(change.type);
        event.set_resource_version(std::to_string(change.revision));
        actor.receive(context_, context_.deliver(Payload::of(std::move(event), {change.object}),
                                                 "apiserver/0", id));
        told = true;
      }
    }
    return told;
  }

  FakeContext& context_;
  std::map<Key, Payload> objects_;
  std::map<std::string, k8s::Scale> scales_;  // by "Kind/namespace/name"
  std::map<std::uint64_t, Watch> watches_;
  std::vector<Change> changes_;
  std::int64_t revision_ = 1;
  std::size_t served_ = 0;
};

}  // namespace troupe::testing
