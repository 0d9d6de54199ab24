// The schemas as the converter reads them: for each message its fields by the name that files use,
// with what their options say. Descriptors answer that too, but by a walk over extensions for every
// field of every object.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "messages/options.pb.h"

namespace troupe::manifests {

struct FieldSchema {
  const google::protobuf::FieldDescriptor* field = nullptr;
  std::string name;  ///< as files spell it: "podCIDR"
  Format format = PLAIN;
  bool map = false;
  bool required = false;
  bool not_modelled = false;
  std::vector<std::string> one_of;  ///< empty: anything
  std::optional<double> minimum;
};

struct MessageSchema {
  std::vector<FieldSchema> fields;
  std::vector<std::string> names;  ///< of the fields, in the same order

  /// The index of the field of that name, or -1.
  [[nodiscard]] int index_of(std::string_view name) const;
};

class SchemaCache {
 public:
  const MessageSchema& of(const google::protobuf::Descriptor& type);

 private:
  std::map<const google::protobuf::Descriptor*, std::unique_ptr<MessageSchema>> schemas_;
};

/// What the options of one field say.
[[nodiscard]] FieldSchema schema_of(const google::protobuf::FieldDescriptor& field);

/// How files spell a value of an enumeration: LEAST_REQUEST is least-request.
[[nodiscard]] std::string enum_name(const google::protobuf::EnumValueDescriptor& value);

}  // namespace troupe::manifests
