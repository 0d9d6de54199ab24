#include "tests/actors/serving/catalogue.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <yaml-cpp/yaml.h>

#include "messages/options.pb.h"
#include "messages/units.h"

namespace troupe::serving::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void read(const YAML::Node& node, Message& into);

void read_scalar(const YAML::Node& node, const FieldDescriptor& field, Message& into) {
  const auto* reflection = into.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection->SetString(&into, &field, node.as<std::string>());
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection->SetUInt32(&into, &field, node.as<std::uint32_t>());
    case FieldDescriptor::CPPTYPE_INT64: {
      const bool bytes = field.options().GetExtension(troupe::format) == BYTES;
      return reflection->SetInt64(
          &into, &field,
          bytes ? parse_bytes(node.as<std::string>()).value() : node.as<std::int64_t>());
    }
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection->SetDouble(&into, &field, node.as<double>());
    default:
      throw std::runtime_error("no such field type in a catalogue: " + field.full_name());
  }
}

void read(const YAML::Node& node, Message& into) {
  for (const auto& entry : node) {
    const auto key = entry.first.as<std::string>();
    const FieldDescriptor* field = into.GetDescriptor()->FindFieldByCamelcaseName(key);
    if (field == nullptr) throw std::runtime_error("unknown key " + key);
    if (!field->is_repeated()) {
      read_scalar(entry.second, *field, into);
      continue;
    }
    for (const auto& item : entry.second) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        read(item, *into.GetReflection()->AddMessage(&into, field));
      } else {
        into.GetReflection()->AddString(&into, field, item.as<std::string>());
      }
    }
  }
}

template <class Catalogue>
Catalogue catalogue(const char* file) {
  Catalogue result;
  read(YAML::LoadFile(file), result);
  return result;
}

template <class List>
auto named(const List& list, std::string_view name) {
  for (const auto& one : list) {
    if (one.name() == name || std::ranges::find(one.aliases(), name) != one.aliases().end()) {
      return one;
    }
  }
  throw std::runtime_error("not in the catalogue: " + std::string(name));
}

}  // namespace

ModelSpec model_named(std::string_view name) {
  return named(catalogue<ModelCatalogue>(TROUPE_SOURCE_DIR "/topologies/models.yaml").models(),
               name);
}

GpuSpec gpu_named(std::string_view name) {
  return named(catalogue<GpuCatalogue>(TROUPE_SOURCE_DIR "/topologies/gpus.yaml").gpus(), name);
}

ServingWorkload workload_of(std::string_view model, std::string_view gpu) {
  ServingWorkload workload;
  workload.set_name(std::string(model));
  *workload.mutable_model() = model_named(model);
  *workload.add_gpus() = gpu_named(gpu);
  return workload;
}

}  // namespace troupe::serving::testing
