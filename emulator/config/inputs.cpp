#include "emulator/config/inputs.h"

#include <algorithm>

namespace troupe::config {

std::vector<ManifestObject> objects_of(std::vector<manifests::Manifest> manifests) {
  std::vector<ManifestObject> objects;
  for (manifests::Manifest& manifest : manifests) {
    objects.push_back({Payload(std::move(manifest.object), {}),
                       manifest.file + ":" + std::to_string(manifest.line)});
  }
  return objects;
}

bool any_object(const Inputs& inputs, const std::function<bool(const Payload&)>& is_such) {
  const auto such = [&is_such](const auto& one) { return one.object && is_such(one.object); };
  return std::ranges::any_of(inputs.manifests, such) || std::ranges::any_of(inputs.steps, such);
}

}  // namespace troupe::config
