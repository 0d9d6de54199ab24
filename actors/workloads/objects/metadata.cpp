#include "actors/workloads/objects/metadata.h"

#include <algorithm>
#include <string>

namespace troupe {

bool has_label(const LabelMap& labels, std::string_view key, std::string_view value) {
  const std::string* found = find_label(labels, key);
  return found != nullptr && *found == value;
}

bool merge_labels(LabelMap& labels, const LabelMap& more) {
  bool changed = false;
  for (const k8s::KeyValue& pair : more) changed |= set_label(labels, pair.key(), pair.value());
  return changed;
}

bool has_finalizer(const k8s::ObjectMeta& meta, std::string_view finalizer) {
  return std::ranges::find(meta.finalizers(), finalizer) != meta.finalizers().end();
}

bool add_finalizer(k8s::ObjectMeta& meta, std::string_view finalizer) {
  if (has_finalizer(meta, finalizer)) return false;
  meta.add_finalizers(std::string(finalizer));
  return true;
}

bool remove_finalizer(k8s::ObjectMeta& meta, std::string_view finalizer) {
  const auto at = std::ranges::find(meta.finalizers(), finalizer);
  if (at == meta.finalizers().end()) return false;
  meta.mutable_finalizers()->erase(at);
  return true;
}

}  // namespace troupe
