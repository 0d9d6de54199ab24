#include "actors/api_server/object_selector.h"

#include "messages/selector.h"

namespace troupe::apiserver {

template <class Request>
Result<ObjectSelector> ObjectSelector::compile(const Kind& kind, std::string name_space,
                                               const Request& request) {
  ObjectSelector selector;
  selector.namespaced_ = kind.namespaced;
  if (kind.namespaced) selector.namespace_ = std::move(name_space);
  for (const api::FieldSelector& term : request.fields()) {
    auto field = FieldPath::compile(kind, term.field());
    if (field == nullptr) return fail("field label not supported: " + term.field());
    selector.fields_.push_back({term.field(), std::move(field), term.value()});
  }
  selector.labels_.assign(request.labels().begin(), request.labels().end());
  return selector;
}

Result<ObjectSelector> ObjectSelector::of(const Kind& kind, const api::ApiRequest& list) {
  return compile(kind, list.list_namespace(), list);
}

Result<ObjectSelector> ObjectSelector::of(const Kind& kind, const api::WatchRequest& watch) {
  return compile(kind, watch.namespace_(), watch);
}

std::optional<std::string> ObjectSelector::only_path() const {
  for (const FieldTerm& term : fields_) {
    if (term.path != "metadata.name") continue;
    if (!namespaced_) return term.value;
    if (!namespace_.empty()) return namespace_ + "/" + term.value;
  }
  return std::nullopt;
}

bool ObjectSelector::matches(const Message& object) const {
  const k8s::ObjectMeta& meta = meta_of(object);
  if (!namespace_.empty() && meta.namespace_() != namespace_) return false;
  for (const FieldTerm& term : fields_) {
    if (term.field->value(object) != term.value) return false;
  }
  for (const api::LabelRequirement& label : labels_) {
    if (!requirement_matches(meta.labels(), label.key(), label.operator_(), label.values())) {
      return false;
    }
  }
  return true;
}

}  // namespace troupe::apiserver
