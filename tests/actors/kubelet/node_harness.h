// One node for tests: a kubelet with its GPUs and pods, time, and an API server that answers at
// once.
//
//   NodeHarness node(small_node());
//   node.start();
//   node.create(PodBuilder("a").on("n1", "Pending").raw());
//   node.run(seconds(5));
//   EXPECT_EQ(node.pod("a").status().phase(), "Running");
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/api_client/object_key.h"
#include "actors/kubelet/kubelet.h"
#include "messages/conditions.h"
#include "messages/hash.h"
#include "messages/merge_patch.h"
#include "tests/support/cluster_objects.h"

namespace troupe::kubelet {

/// "n1": 16 CPUs, 64 GiB, two GPUs, there and ready at once; images are there, a container starts
/// in a second.
inline hosts::NodeConfig small_node() {
  hosts::NodeConfig config;
  config.set_name("n1");
  config.set_cpu_milli(16'000);
  config.set_memory_bytes(64LL << 30);
  config.set_pods(10);
  config.set_gpus(2);
  config.set_gpu_model("H100");
  config.set_gpu_memory_mib(81'100);
  config.mutable_container_start()->set_a_ns(1'000'000'000);
  return config;
}

class NodeHarness {
 public:
  struct Fact {
    SimTime at;
    Payload what;
  };
  struct Request {
    api::ApiRequest what;
    SimTime at;
  };

  explicit NodeHarness(hosts::NodeConfig config, KubeletPorts ports = {},
                       std::vector<Payload> attachments = {})
      : config_(std::make_shared<const hosts::NodeConfig>(std::move(config))),
        attachments_(std::move(attachments)),
        ports_(ports),
        path_("node/" + config_->name()) {}

  // ---- what a test does ----
  void start() {
    spawn(path_, std::make_unique<KubeletActor>(config_, attachments_, ports_));
    run(Duration::zero());
  }
  void reconfigure(hosts::NodeConfig config) {
    config_ = std::make_shared<const hosts::NodeConfig>(std::move(config));
  }
  /// The host dies, and comes back at once with what it had persisted.
  void crash_and_restart() {
    actors_.clear();
    events_.clear();
    watches_.clear();
    ++life_;
    spawn(path_, std::make_unique<KubeletActor>(config_, attachments_, ports_));
    runtime::Restored restored;
    for (const auto& [key, value] : persisted_) {
      auto* entry = restored.add_entries();
      entry->set_key(key);
      entry->set_value(value);
    }
    post(address_of(path_), Payload::of(std::move(restored)), {}, Duration::zero());
    run(Duration::zero());
  }
  void run(Duration span) {
    const SimTime until = now_ + span;
    while (!events_.empty() && std::get<SimTime>(events_.begin()->first) <= until) {
      auto event = events_.extract(events_.begin());
      now_ = std::get<SimTime>(event.key());
      deliver(std::move(event.mapped()));
    }
    now_ = until;
  }
  template <class M>
  void tell(const std::string& path, M message) {
    post(address_of(path), Payload::of(std::move(message)), address_of("director/0"),
         Duration::zero());
    run(Duration::zero());
  }
  /// The same with attachments.
  void tell_payload(const std::string& path, Payload what) {
    post(address_of(path), std::move(what), address_of("director/0"), Duration::zero());
    run(Duration::zero());
  }
  template <class T>
  void create(T object) {
    store(Payload::of(std::move(object)), api::WatchEvent::ADDED);
    run(Duration::zero());
  }
  /// Changes an object behind the kubelet's back.
  template <class T>
  void change(const std::string& path, const std::function<void(T&)>& edit) {
    T object = get<T>(path);
    edit(object);
    store(Payload::of(std::move(object)), api::WatchEvent::MODIFIED);
    run(Duration::zero());
  }
  void delete_pod(const std::string& name, std::int64_t grace_seconds) {
    change<k8s::Pod>("default/" + name, [&](k8s::Pod& pod) {
      pod.mutable_metadata()->set_deletion_timestamp(
          to_ns(now_ + std::chrono::seconds(grace_seconds)));
      pod.mutable_metadata()->set_deletion_grace_period_seconds(grace_seconds);
    });
  }
  void remove_pod_object(const std::string& name) {
    erase("Pod/default/" + name);
    run(Duration::zero());
  }

  // ---- what it sees ----
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] bool exists(const std::string& name) const {
    return objects_.contains("Pod/default/" + name);
  }
  [[nodiscard]] const k8s::Pod& pod(const std::string& name) const {
    return get<k8s::Pod>("default/" + name);
  }
  [[nodiscard]] const k8s::Node& node() const { return get<k8s::Node>(config_->name()); }
  [[nodiscard]] bool ready(const std::string& name) const {
    return is_true(pod(name).status().conditions(), "Ready");
  }
  [[nodiscard]] std::string allocatable_gpus() const {
    return amount_of(node().status().allocatable(), "nvidia.com/gpu").to_string();
  }
  [[nodiscard]] bool alive(const std::string& path) const {
    return actors_.contains(address_of(path).actor);
  }
  template <class M>
  [[nodiscard]] std::vector<const M*> facts() const {
    std::vector<const M*> found;
    for (const Fact& fact : facts_) {
      if (const M* one = fact.what.as<M>()) found.push_back(one);
    }
    return found;
  }
  /// The names of the facts since the last call, in order.
  std::vector<std::string> fact_names() {
    std::vector<std::string> names;
    for (; named_ < facts_.size(); ++named_) names.push_back(facts_[named_].what.type_name());
    return names;
  }
  template <class M>
  [[nodiscard]] std::vector<const M*> outbox() const {
    std::vector<const M*> found;
    for (const Payload& payload : outbox_) {
      if (const M* one = payload.as<M>()) found.push_back(one);
    }
    return found;
  }
  [[nodiscard]] const std::vector<Request>& requests() const { return requests_; }
  [[nodiscard]] std::size_t status_writes(const std::string& name) const {
    return static_cast<std::size_t>(
        std::count_if(requests_.begin(), requests_.end(), [&name](const Request& request) {
          return request.what.subresource() == "status" && request.what.key().name() == name;
        }));
  }

  int fail_next = 0;  ///< so many API writes are answered with 500

 private:
  struct Living {
    std::string path;
    std::unique_ptr<Actor> actor;
    Address address;
  };
  struct Event {
    Address to;
    Delivery delivery;
  };
  /// Time, then messages before timers, then the order of sending.
  using Key = std::tuple<SimTime, bool, std::uint64_t>;

  class ActorContext final : public Context {
   public:
    ActorContext(NodeHarness& host, const Living& living)
        : host_(host), path_(living.path), self_(living.address) {}
    [[nodiscard]] SimTime now() const override { return host_.now_; }
    [[nodiscard]] const Address& self() const override { return self_; }
    [[nodiscard]] const std::string& path() const override { return path_; }
    void send(const Address& to, Payload what, const Via&) override {
      host_.route(to, std::move(what), self_);
    }
    TimerId set_timer(Duration delay, Payload what) override {
      const TimerId id = ++host_.sequence_;
      host_.events_[{host_.now_ + delay, true, id}] = {self_, {std::move(what), self_, 0, id}};
      return id;
    }
    void cancel_timer(TimerId timer) override {
      std::erase_if(host_.events_, [timer](const auto& entry) {
        return timer != 0 && entry.second.delivery.timer == timer;
      });
    }
    Address spawn(const std::string& path, std::unique_ptr<Actor> actor) override {
      return host_.spawn(path, std::move(actor));
    }
    void stop(const Address& actor) override { host_.stopping_.push_back(actor.actor); }
    void persist(const std::string& key, std::string bytes) override {
      if (bytes.empty()) {
        host_.persisted_.erase(key);
      } else {
        host_.persisted_[key] = std::move(bytes);
      }
    }
    void emit(Payload fact) override { host_.facts_.push_back({host_.now_, std::move(fact)}); }
    [[nodiscard]] std::uint64_t random(std::string_view purpose,
                                       std::uint64_t index) const override {
      return mix(hash_bytes(purpose), index, self_.actor, self_.incarnation);
    }

   private:
    NodeHarness& host_;
    std::string path_;
    Address self_;
  };

  Address spawn(const std::string& path, std::unique_ptr<Actor> actor) {
    Address address = address_of(path);
    address.incarnation = ++incarnations_[path];
    Living& living = actors_[address.actor] = {path, std::move(actor), address};
    ActorContext context(*this, living);
    living.actor->start(context);
    return address;
  }
  void post(const Address& to, Payload what, const Address& from, Duration delay) {
    events_[{now_ + delay, false, ++sequence_}] = {to, {std::move(what), from, 0, 0}};
  }
  void deliver(Event event) {
    const auto found = actors_.find(event.to.actor);
    if (found == actors_.end()) return;
    const std::uint32_t meant = event.to.incarnation;
    if (meant != Address::kAnyIncarnation && meant != found->second.address.incarnation) return;
    ActorContext context(*this, found->second);
    found->second.actor->receive(context, event.delivery);
    for (const std::uint64_t actor : std::exchange(stopping_, {})) actors_.erase(actor);
  }
  void route(const Address& to, Payload what, const Address& from) {
    if (to.host == address_of(path_).host) {
      post(to, std::move(what), from, Duration::zero());
    } else if (const auto* request = what.as<api::ApiRequest>()) {
      requests_.push_back({*request, now_});
      answer(*request, what, from);
    } else if (const auto* watch = what.as<api::WatchRequest>()) {
      watches_.emplace_back(from, *watch);
    } else {
      outbox_.push_back(std::move(what));
    }
  }

  // ---- the API server ----
  static std::string key_text(const api::ObjectKey& key) { return key.kind() + "/" + path_of(key); }
  template <class T>
  [[nodiscard]] const T& get(const std::string& path) const {
    return *objects_.at(std::string(kind_of<T>().name) + "/" + path).template as<T>();
  }
  [[nodiscard]] static bool selected(
      const google::protobuf::RepeatedPtrField<api::FieldSelector>& fields, const Payload& object) {
    for (const auto& field : fields) {
      const auto* pod = object.as<k8s::Pod>();
      if (field.field() == "spec.nodeName" &&
          (pod == nullptr || pod->spec().node_name() != field.value()))
        return false;
      if (field.field() == "metadata.name" && meta_of(object.message()).name() != field.value())
        return false;
    }
    return true;
  }
  void reply(const api::ApiRequest& request, int code, const std::string& reason,
             std::vector<Payload> items, const Address& to) {
    api::ApiReply reply;
    reply.set_request_id(request.request_id());
    reply.set_code(code);
    reply.set_reason(reason);
    reply.set_resource_version(std::to_string(revision_));
    Address server = address_of("apiserver/0");
    server.incarnation = 1;
    post(to, Payload::of(std::move(reply), std::move(items)), server, Duration::zero());
  }
  void answer(const api::ApiRequest& request, const Payload& payload, const Address& to) {
    const std::string key = key_text(request.key());
    const auto found = objects_.find(key);
    if (request.verb() == api::LIST) {
      std::vector<Payload> items;
      for (const auto& [path, object] : objects_) {
        if (path.starts_with(request.key().kind() + "/") && selected(request.fields(), object))
          items.push_back(object);
      }
      reply(request, 200, "", std::move(items), to);
    } else if (fail_next > 0) {
      --fail_next;
      reply(request, 500, "InternalError", {}, to);
    } else if (request.verb() == api::CREATE) {
      const bool there = found != objects_.end();
      if (!there) store(payload.attachments().front(), api::WatchEvent::ADDED);
      reply(request, there ? 409 : 201, there ? "AlreadyExists" : "", {}, to);
    } else if (found == objects_.end()) {
      reply(request, 404, "NotFound", {}, to);
    } else if (request.verb() == api::DELETE) {
      erase(key);
      reply(request, 200, "", {}, to);
    } else {
      std::unique_ptr<google::protobuf::Message> object(found->second.message().New());
      object->CopyFrom(found->second.message());
      merge_patch(*object, payload.attachments().front().message());
      store(Payload(std::move(object), {}), api::WatchEvent::MODIFIED);
      reply(request, 200, "", {}, to);
    }
  }
  void store(const Payload& object, api::WatchEvent::Type type) {
    std::unique_ptr<google::protobuf::Message> copy(object.message().New());
    copy->CopyFrom(object.message());
    mutable_meta(*copy)->set_resource_version(std::to_string(++revision_));
    Payload stored(std::move(copy), {});
    objects_[key_text(key_of(stored.message()))] = stored;
    notify(stored, type);
  }
  void erase(const std::string& key) {
    const Payload last = objects_.at(key);
    objects_.erase(key);
    ++revision_;
    notify(last, api::WatchEvent::DELETED);
  }
  void notify(const Payload& object, api::WatchEvent::Type type) {
    for (const auto& [watcher, request] : watches_) {
      if (request.kind() != find_kind(*object.message().GetDescriptor())->name) continue;
      if (!selected(request.fields(), object)) continue;
      api::WatchEvent event;
      event.set_watch_id(request.watch_id());
      event.set_type(type);
      event.set_resource_version(std::to_string(revision_));
      Address server = address_of("apiserver/0");
      server.incarnation = 1;
      post(watcher, Payload::of(std::move(event), {object}), server, Duration::zero());
    }
  }

  std::shared_ptr<const hosts::NodeConfig> config_;
  std::vector<Payload> attachments_;
  KubeletPorts ports_;
  std::string path_;
  SimTime now_ = kTimeZero;
  std::uint64_t sequence_ = 0;
  int life_ = 1;
  std::map<Key, Event> events_;
  std::map<std::uint64_t, Living> actors_;
  std::map<std::string, std::uint32_t> incarnations_;
  std::vector<std::uint64_t> stopping_;
  std::map<std::string, std::string> persisted_;
  std::vector<Fact> facts_;
  std::size_t named_ = 0;
  std::vector<Payload> outbox_;
  std::vector<Request> requests_;
  std::int64_t revision_ = 100;
  std::map<std::string, Payload> objects_;  ///< by "Kind/namespace/name"
  std::vector<std::pair<Address, api::WatchRequest>> watches_;
};

/// A pod of namespace "default" bound to n1, with a main container.
inline testing::PodBuilder bound_pod(std::string_view name) {
  return testing::PodBuilder(name).on("n1", "Pending");
}

}  // namespace troupe::kubelet
