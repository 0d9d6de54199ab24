// A control plane for tests: a store, API server replicas and clients on a FakeNetwork, with calls
// that wait for their answer.
//
//   ApiCluster cluster;
//   ApiResult made = cluster.create(pod("prod", "a"));
//   EXPECT_TRUE(made.ok());
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/api_client/api_client.h"
#include "actors/api_server/api_server_actor.h"
#include "messages/facts.pb.h"
#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
#include "tests/support/fake_network.h"

namespace troupe::testing {

inline k8s::Pod pod(const std::string& name_space, const std::string& name) {
  k8s::Pod made;
  made.mutable_metadata()->set_namespace_(name_space);
  made.mutable_metadata()->set_name(name);
  k8s::Container& container = *made.mutable_spec()->add_containers();
  container.set_name("main");
  container.set_image("registry/image:1");
  return made;
}

/// An actor that is nothing but a client; what is not its client's is kept.
class ClientActor final : public Actor {
 public:
  explicit ClientActor(ApiClientOptions options) : api(std::move(options)) {}
  void receive(Context& context, const Delivery& delivery) override {
    if (api.receive(context, delivery)) return;
    if (on_other) on_other(context, delivery);
  }
  ApiClient api;
  std::function<void(Context&, const Delivery&)> on_other;
};

class ApiCluster {
 public:
  static constexpr const char* kClient = "controller/test/0";

  explicit ApiCluster(std::uint32_t replicas = 1,
                      std::function<void(apiserver::ApiServerActor::Options&)> adjust = {}) {
    for (std::uint32_t i = 0; i < replicas; ++i) {
      apiserver::ApiServerActor::Options options;
      options.replica = i;
      if (adjust) adjust(options);
      network.add("apiserver/" + std::to_string(i),
                  [options] { return std::make_unique<apiserver::ApiServerActor>(options); });
    }
    add_client(kClient, {.api_servers = replicas, .qps = 0});
    network.run_for(std::chrono::milliseconds(20));
  }

  ClientActor& add_client(const std::string& path, const ApiClientOptions& options) {
    network.add(path, [this, path, options] {
      auto actor = std::make_unique<ClientActor>(options);
      clients_[path] = actor.get();
      return actor;
    });
    return *clients_.at(path);
  }
  ClientActor& client(const std::string& path = kClient) { return *clients_.at(path); }

  /// Makes a call as a client and runs until its answer is there.
  ApiResult call(const std::function<void(ApiClient&, Context&, ApiCallback)>& action,
                 const std::string& path = kClient) {
    std::optional<ApiResult> answer;
    network.as(path, [&](Context& context) {
      action(client(path).api, context,
             [&](Context&, const ApiResult& result) { answer = result; });
    });
    for (int i = 0; i < 3000 && !answer; ++i) network.run_for(std::chrono::milliseconds(10));
    return answer.value_or(ApiResult{});
  }

  template <class T>
  ApiResult create(T object) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.create(context, std::move(object), std::move(done));
    });
  }
  /// A node that the node lifecycle controller has found ready: admission's taint is off.
  ApiResult create_ready(k8s::Node node) {
    const auto made = create(node).template as<k8s::Node>();
    if (made == nullptr) return {};
    k8s::Node ready = *made;
    *ready.mutable_spec()->mutable_taints() = node.spec().taints();
    return update(std::move(ready));
  }
  template <class T>
  ApiResult update(T object) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.update(context, std::move(object), std::move(done));
    });
  }
  template <class T>
  ApiResult update_status(T object) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.update_status(context, std::move(object), std::move(done));
    });
  }
  template <class T>
  ApiResult patch(T partial, PatchOptions options = {}) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.patch(context, std::move(partial), options, std::move(done));
    });
  }
  template <class T>
  ApiResult apply(T object) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.apply(context, std::move(object), std::move(done));
    });
  }
  ApiResult remove(const api::ObjectKey& key, DeleteOptions options = {}) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.remove(context, key, options, std::move(done));
    });
  }
  ApiResult bind(const api::ObjectKey& key, const std::string& node, const std::string& uid = {}) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.bind(context, key, uid, node, std::move(done));
    });
  }
  ApiResult evict(const api::ObjectKey& key, DeleteOptions options = {}) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.evict(context, key, options, std::move(done));
    });
  }
  ApiResult get(const api::ObjectKey& key) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.get(context, key, std::move(done));
    });
  }
  ApiResult list(ListOptions options) {
    return call([&](ApiClient& api, Context& context, ApiCallback done) {
      api.list(context, options, std::move(done));
    });
  }
  /// The object as the store has it, or null.
  template <class T>
  std::shared_ptr<const T> stored(const std::string& path) {
    return get(key_for<T>(path)).template as<T>();
  }

  FakeNetwork network;

 private:
  std::map<std::string, ClientActor*> clients_;
};

}  // namespace troupe::testing
