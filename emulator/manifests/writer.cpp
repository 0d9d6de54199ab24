#include "emulator/manifests/writer.h"

#include "emulator/manifests/json_tree.h"
#include "emulator/manifests/yaml_emitter.h"

namespace troupe::manifests {

std::string to_yaml(const google::protobuf::Message& message) {
  return emit_yaml(json_tree(message));
}

std::string to_json(const google::protobuf::Message& message, int indent) {
  return json_tree(message).dump(indent, ' ', false, JsonTree::error_handler_t::replace);
}

std::string to_yaml(const std::vector<const google::protobuf::Message*>& messages) {
  std::string text;
  for (const google::protobuf::Message* message : messages) text += "---\n" + to_yaml(*message);
  return text;
}

}  // namespace troupe::manifests
