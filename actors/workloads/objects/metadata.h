// Small questions about, and changes to, the metadata of objects.
#pragma once

#include <string_view>

#include "messages/labels.h"

namespace troupe {

[[nodiscard]] bool has_label(const LabelMap& labels, std::string_view key, std::string_view value);
/// Sets every pair of `more`; true if that changed anything.
bool merge_labels(LabelMap& labels, const LabelMap& more);

[[nodiscard]] bool has_finalizer(const k8s::ObjectMeta& meta, std::string_view finalizer);
/// True if it was added.
bool add_finalizer(k8s::ObjectMeta& meta, std::string_view finalizer);
/// True if it was there.
bool remove_finalizer(k8s::ObjectMeta& meta, std::string_view finalizer);

}  // namespace troupe
