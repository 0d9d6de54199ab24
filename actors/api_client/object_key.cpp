#include "actors/api_client/object_key.h"

#include <charconv>

#include "messages/hash.h"

namespace troupe {
namespace {

std::string join_path(std::string_view name_space, std::string_view name) {
  std::string path;
  path.reserve(name_space.size() + name.size() + 1);
  if (!name_space.empty()) path.append(name_space).push_back('/');
  path.append(name);
  return path;
}

}  // namespace

api::ObjectKey object_key(std::string_view kind, std::string_view name_space,
                          std::string_view name) {
  api::ObjectKey key;
  key.set_kind(kind.data(), kind.size());
  key.set_namespace_(name_space.data(), name_space.size());
  key.set_name(name.data(), name.size());
  return key;
}

api::ObjectKey key_of(const google::protobuf::Message& object) {
  const Kind* kind = find_kind(*object.GetDescriptor());
  const k8s::ObjectMeta& meta = meta_of(object);
  return object_key(kind != nullptr ? kind->name : std::string_view(object.GetDescriptor()->name()),
                    meta.namespace_(), meta.name());
}

std::string path_of(const k8s::ObjectMeta& meta) {
  return join_path(meta.namespace_(), meta.name());
}

std::string path_of(const api::ObjectKey& key) {
  return join_path(key.namespace_(), key.name());
}

std::uint64_t hash_of(const api::ObjectKey& key) {
  return mix(hash_bytes(key.kind()), hash_bytes(key.namespace_()), hash_bytes(key.name()));
}

std::int64_t revision_of(std::string_view resource_version) {
  std::int64_t revision = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto [stop, error] = std::from_chars(resource_version.data(), end, revision);
  return error == std::errc{} && stop == end && revision > 0 ? revision : 0;
}

}  // namespace troupe
