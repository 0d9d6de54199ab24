#include "actors/scheduling/label_classes.h"

namespace troupe::scheduling {

LabelClass LabelClasses::class_of(const k8s::ObjectMeta& meta) {
  // Neither a namespace nor a label contains a zero byte, so the key is unambiguous.
  std::string key = meta.namespace_();
  for (const k8s::KeyValue& label : meta.labels()) {
    key.push_back('\0');
    key += label.key();
    key.push_back('\0');
    key += label.value();
  }
  const auto [at, is_new] =
      index_.try_emplace(std::move(key), static_cast<LabelClass>(entries_.size()));
  if (is_new) entries_.push_back({meta.namespace_(), meta.labels()});
  return at->second;
}

}  // namespace troupe::scheduling
