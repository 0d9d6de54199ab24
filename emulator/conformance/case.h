// A conformance case, read and checked: what is run.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <google/protobuf/message.h>

#include "emulator/conformance/unit_component.h"
#include "emulator/manifests/json_tree.h"
#include "messages/conformance.pb.h"

namespace troupe::conformance {

/// Arithmetic alone.
struct UnitCall {
  const UnitComponent* component = nullptr;
  std::shared_ptr<const google::protobuf::Message> input;
  std::shared_ptr<const google::protobuf::Message> output;  ///< what is expected
  /// The same as text has it: here an empty list differs from none.
  manifests::JsonTree expected;
};

struct Case {
  std::string where;  ///< "file:line" of its document
  config::ConformanceCase spec;
  std::optional<UnitCall> unit;  ///< without it, a controller's rounds
};

}  // namespace troupe::conformance
