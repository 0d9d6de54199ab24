// Components whose arithmetic alone is a case: a function from one message to another, named in the
// case's `unit`. A new one is a pair of messages, a pair of functions and a row of the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/message.h>

#include "emulator/config/problems.h"

namespace troupe::conformance {

struct UnitComponent {
  std::string_view name;
  std::vector<std::string> profiles;  ///< releases that a case may be about; the last is assumed
  const google::protobuf::Message* input = nullptr;  ///< the default instances of its messages
  const google::protobuf::Message* output = nullptr;
  /// What is wrong with an input that its schema cannot say; paths are relative to the input.
  void (*check)(const google::protobuf::Message& input, config::Problems& problems) = nullptr;
  /// Fills `output`, which comes with what the case expects: whatever it does not ask for may be
  /// left out.
  void (*run)(const google::protobuf::Message& input, const std::string& profile,
              google::protobuf::Message& output) = nullptr;
};

[[nodiscard]] std::span<const UnitComponent> unit_components();
/// The component of that name, or null.
[[nodiscard]] const UnitComponent* find_unit_component(std::string_view name);

}  // namespace troupe::conformance
