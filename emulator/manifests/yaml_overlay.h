// Changes to a tree before it is read: the variants of a scenario, and `--set PATH=VALUE`. What is
// changed keeps the line that it came from, so a mistake in a variant is reported where the variant
// stands.
#pragma once

#include <string>
#include <string_view>

#include "emulator/manifests/yaml_node.h"
#include "messages/result.h"

namespace troupe::manifests {

/// `base` with `patch` laid over it by the rules of RFC 7386: mappings merge, a null erases,
/// anything else replaces.
[[nodiscard]] YamlRef overlay(const YamlRef& base, const YamlRef& patch);

/// `root` with the value at `path` ("traffic.0.rate") replaced. The value is YAML text. Mappings on
/// the way are made where they are missing; an item of a list must exist.
Result<YamlRef> with_value(const YamlRef& root, std::string_view path, std::string_view value);

}  // namespace troupe::manifests
