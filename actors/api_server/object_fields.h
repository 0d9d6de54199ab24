// What the API server must know of an object of any kind: its spec, its status, its replicas, and a
// field by its path.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "messages/kinds.h"

namespace troupe::apiserver {

using google::protobuf::Message;

/// The top-level fields of one kind; null where the kind has none.
struct KindFields {
  const Kind* kind = nullptr;
  const google::protobuf::FieldDescriptor* spec = nullptr;
  const google::protobuf::FieldDescriptor* status = nullptr;
  const google::protobuf::FieldDescriptor* spec_replicas = nullptr;
};

/// Of the message type of a modelled kind.
[[nodiscard]] const KindFields& fields_of(const Message& object);

[[nodiscard]] std::unique_ptr<Message> copy_of(const Message& object);

/// True if both have equal bytes in that top-level field; a null field is equal.
[[nodiscard]] bool same_field(const Message& a, const Message& b,
                              const google::protobuf::FieldDescriptor* field);

/// Gives `target` the status of `source`, or none if it has none.
void take_status(Message& target, const Message& source);
void clear_status(Message& object);

/// A path such as "spec.nodeName" or "involvedObject.name", in JSON names, to a single scalar.
class FieldPath {
 public:
  /// Null if the kind has no such scalar.
  static std::shared_ptr<const FieldPath> compile(const Kind& kind, std::string_view path);
  /// The text of the field; empty if it is not set.
  [[nodiscard]] std::string value(const Message& object) const;

 private:
  std::vector<const google::protobuf::FieldDescriptor*> steps_;
};

}  // namespace troupe::apiserver
