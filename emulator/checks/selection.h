// What an expectation looks at: `summary`, or KIND[/NAMESPACE/NAME][?label=value,...].
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <google/protobuf/message.h>

#include "messages/result.h"

namespace troupe::checks {

struct Selection {
  bool summary = false;
  std::string kind;
  std::string
      namespace_name;  ///< "namespace/name", or "name" of a kind without namespaces; empty: all
  std::vector<std::pair<std::string, std::string>> labels;

  /// Whether an object of the kind is meant.
  [[nodiscard]] bool matches(const google::protobuf::Message& object) const;
};

Result<Selection> parse_selection(const std::string& text);

}  // namespace troupe::checks
