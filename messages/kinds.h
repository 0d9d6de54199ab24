// The kinds of object that the emulation models.
//
// A manifest says `apiVersion` and `kind`; an API request says the kind alone. The same kind name
// exists in several API groups (Topology in KAI and in Kueue), so a manifest is looked up by both;
// inside the emulation one group was chosen for each name, and the name suffices.
#pragma once

#include <span>
#include <string_view>

#include <google/protobuf/message.h>

#include "messages/k8s/meta.pb.h"

namespace troupe {

/// One modelled kind.
struct Kind {
  std::string_view name;                       ///< "Pod"
  std::span<const std::string_view> versions;  ///< accepted apiVersions, the preferred one first
  std::string_view plural;                     ///< "pods"
  bool namespaced = false;
  const google::protobuf::Message* prototype = nullptr;  ///< the default instance of its message
};

/// Every modelled kind, sorted by name.
[[nodiscard]] std::span<const Kind> all_kinds();
/// The kind of that name, or null.
[[nodiscard]] const Kind* find_kind(std::string_view name);
/// The kind of that name if it is modelled in that apiVersion, or null.
[[nodiscard]] const Kind* find_kind(std::string_view api_version, std::string_view name);
/// The kind whose objects have that message type, or null.
[[nodiscard]] const Kind* find_kind(const google::protobuf::Descriptor& type);

/// The kind of objects of type T: `kind_of<k8s::Pod>().name` is "Pod".
template <class T>
[[nodiscard]] const Kind& kind_of() {
  static const Kind& kind = *find_kind(*T::descriptor());
  return kind;
}

/// True of a message that follows the convention of top-level objects: field 3 is its ObjectMeta.
[[nodiscard]] bool is_object(const google::protobuf::Message& message);
/// The metadata of any object; the default instance where it has none yet. The message must be an
/// object.
[[nodiscard]] const k8s::ObjectMeta& meta_of(const google::protobuf::Message& object);
[[nodiscard]] k8s::ObjectMeta* mutable_meta(google::protobuf::Message& object);

}  // namespace troupe
