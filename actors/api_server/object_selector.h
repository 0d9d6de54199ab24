// Which objects a list or a watch means: a namespace, equalities on fields, requirements on labels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/api_server/object_fields.h"
#include "messages/api.pb.h"
#include "messages/result.h"

namespace troupe::apiserver {

class ObjectSelector {
 public:
  struct FieldTerm {
    std::string path;
    std::shared_ptr<const FieldPath> field;
    std::string value;
  };

  /// From the selectors of an api::ApiRequest (LIST) or an api::WatchRequest. Fails on a field that
  /// the kind lacks.
  static Result<ObjectSelector> of(const Kind& kind, const api::ApiRequest& list);
  static Result<ObjectSelector> of(const Kind& kind, const api::WatchRequest& watch);

  [[nodiscard]] bool matches(const Message& object) const;
  [[nodiscard]] const std::vector<FieldTerm>& fields() const { return fields_; }
  /// The "namespace/name" of the one object that can match, if the selector names it.
  [[nodiscard]] std::optional<std::string> only_path() const;

 private:
  template <class Request>
  static Result<ObjectSelector> compile(const Kind& kind, std::string name_space,
                                        const Request& request);

  bool namespaced_ = false;
  std::string namespace_;
  std::vector<FieldTerm> fields_;
  std::vector<api::LabelRequirement> labels_;
};

}  // namespace troupe::apiserver
