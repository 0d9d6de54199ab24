// An informer: an actor's own copy of the objects of one kind, kept up by a watch, and the handlers
// that hear of changes.
//
// The copy is late by whatever the network and the API server's cache make it; it never shows the
// actor's own writes before the watch brings them. That is how controllers come to act on what is
// no longer true, here as in production.
//
//   Informer<k8s::Pod> pods_{api_, {.fields = {field_is("spec.nodeName", "gpu-1")}}};
//   pods_.on_add([this](Context& context, const auto& pod) { queue_.add(context,
//   path_of(pod->metadata())); }); pods_.start(context);
//   ...
//   if (auto pod = pods_.get("prod/llama-0")) ...
//   for (const auto& [path, pod] : pods_.cache()) ...       // in order of "namespace/name"
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/api_client/reflector.h"

namespace troupe {

template <class T>
class Informer final : public Reflector {
 public:
  using Object = std::shared_ptr<const T>;
  using Cache = std::map<std::string, Object, std::less<>>;
  using AddHandler = std::function<void(Context&, const Object&)>;
  using UpdateHandler = std::function<void(Context&, const Object& before, const Object& after)>;
  using DeleteHandler = std::function<void(Context&, const Object& last_state)>;
  using SyncHandler = std::function<void(Context&)>;

  explicit Informer(ApiClient& client, InformerOptions options = {})
      : Reflector(client, kind_of<T>().name, std::move(options)) {}

  // Handlers run after the cache has changed, in the order in which they were added. Add them
  // before start().
  void on_add(AddHandler handler) { add_handlers_.push_back(std::move(handler)); }
  /// Also called at a resync, with the same object twice.
  void on_update(UpdateHandler handler) { update_handlers_.push_back(std::move(handler)); }
  /// The last state that the watch told of; after a re-list, the last state that the cache had.
  void on_delete(DeleteHandler handler) { delete_handlers_.push_back(std::move(handler)); }
  /// Once, when the first list is in the cache and its adds have been handled.
  void on_synced(SyncHandler handler) { sync_handlers_.push_back(std::move(handler)); }

  [[nodiscard]] const Cache& cache() const { return cache_; }
  /// The object at "namespace/name" (or "name"), or null.
  [[nodiscard]] Object get(std::string_view path) const {
    const auto found = cache_.find(path);
    return found == cache_.end() ? nullptr : found->second;
  }
  [[nodiscard]] Object get(std::string_view name_space, std::string_view name) const {
    return get(std::string(name_space) + "/" + std::string(name));
  }
  [[nodiscard]] std::size_t size() const { return cache_.size(); }

 private:
  void set(Context& context, const std::string& path, const Payload& payload) override {
    Object object = payload.share<T>();
    const auto [at, added] = cache_.try_emplace(path, object);
    if (added) {
      for (const auto& handler : add_handlers_) handler(context, object);
      return;
    }
    const Object before = std::exchange(at->second, object);
    if (before->metadata().resource_version() == object->metadata().resource_version()) return;
    for (const auto& handler : update_handlers_) handler(context, before, object);
  }
  void erase(Context& context, const std::string& path, const Payload& last_state) override {
    const auto found = cache_.find(path);
    if (found == cache_.end()) return;
    const Object object = last_state ? last_state.share<T>() : found->second;
    cache_.erase(found);
    for (const auto& handler : delete_handlers_) handler(context, object);
  }
  [[nodiscard]] std::string path_of_object(const Payload& object) const override {
    return path_of(object.as<T>()->metadata());
  }
  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> result;
    result.reserve(cache_.size());
    for (const auto& [path, object] : cache_) result.push_back(path);
    return result;
  }
  void resync(Context& context) override {
    for (const auto& [path, object] : Cache(cache_)) {
      for (const auto& handler : update_handlers_) handler(context, object, object);
    }
  }
  void first_synced(Context& context) override {
    for (const auto& handler : sync_handlers_) handler(context);
  }

  Cache cache_;
  std::vector<AddHandler> add_handlers_;
  std::vector<UpdateHandler> update_handlers_;
  std::vector<DeleteHandler> delete_handlers_;
  std::vector<SyncHandler> sync_handlers_;
};

}  // namespace troupe
