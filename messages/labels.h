// Maps as the schemas have them: repeated pairs, sorted by key, so that equal objects have equal
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "messages/k8s/meta.pb.h"
#include "messages/quantity.h"

namespace troupe {

using LabelMap = google::protobuf::RepeatedPtrField<k8s::KeyValue>;
using ResourceMap = google::protobuf::RepeatedPtrField<k8s::ResourceAmount>;

/// The value of that key, or null. Finds it in an unsorted list too, since a plug-in may have
/// written one.
[[nodiscard]] const std::string* find_label(const LabelMap& labels, std::string_view key);
/// The value of that key, or `fallback`.
[[nodiscard]] std::string_view label_or(const LabelMap& labels, std::string_view key,
                                        std::string_view fallback = {});
/// Sets a key to a value in its sorted place; true if that changed anything.
bool set_label(LabelMap& labels, std::string_view key, std::string_view value);
/// Removes a key; true if it was there.
bool erase_label(LabelMap& labels, std::string_view key);
/// The same pairs, both lists sorted.
[[nodiscard]] bool same_labels(const LabelMap& a, const LabelMap& b);

/// The amount of that resource; zero where it is absent or malformed (admission refuses malformed
/// ones).
[[nodiscard]] Quantity amount_of(const ResourceMap& resources, std::string_view name);
void set_amount(ResourceMap& resources, std::string_view name, const Quantity& amount);
/// Adds each amount of `more` to that of the same name.
void add_amounts(ResourceMap& total, const ResourceMap& more);
void subtract_amounts(ResourceMap& total, const ResourceMap& less);

}  // namespace troupe
