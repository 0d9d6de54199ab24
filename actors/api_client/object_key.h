// How API objects are named: kind, namespace and name, and the "namespace/name" of caches and work
// queues.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <google/protobuf/message.h>

#include "messages/api.pb.h"
#include "messages/kinds.h"

namespace troupe {

/// The key of an object by its parts: `object_key("Pod", "prod", "llama-0")`.
[[nodiscard]] api::ObjectKey object_key(std::string_view kind, std::string_view name_space,
                                        std::string_view name);
/// The key of `object`, whose kind is that of its message type.
[[nodiscard]] api::ObjectKey key_of(const google::protobuf::Message& object);
/// `key_for<k8s::Pod>("prod", "llama-0")`.
template <class T>
[[nodiscard]] api::ObjectKey key_for(std::string_view name_space, std::string_view name) {
  return object_key(kind_of<T>().name, name_space, name);
}
/// `key_for<k8s::Pod>("prod/llama-0")`; a name without '/' is cluster-scoped.
template <class T>
[[nodiscard]] api::ObjectKey key_for(std::string_view path) {
  const auto slash = path.find('/');
  return slash == std::string_view::npos
             ? object_key(kind_of<T>().name, "", path)
             : object_key(kind_of<T>().name, path.substr(0, slash), path.substr(slash + 1));
}

/// "namespace/name", or "name" of a cluster-scoped object: the key of caches and work queues.
[[nodiscard]] std::string path_of(const k8s::ObjectMeta& meta);
[[nodiscard]] std::string path_of(const api::ObjectKey& key);
/// A hash of the whole key, for Via::object.
[[nodiscard]] std::uint64_t hash_of(const api::ObjectKey& key);

/// The number in a resourceVersion; 0 for an empty or foreign one. Versions are opaque in
/// Kubernetes, yet even client-go compares them in its caches, and here they are the store's
/// revision.
[[nodiscard]] std::int64_t revision_of(std::string_view resource_version);

}  // namespace troupe
