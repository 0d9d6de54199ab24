// Text into trees. The only file whose source knows the YAML library; its exceptions end here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulator/manifests/diagnostic.h"
#include "emulator/manifests/yaml_node.h"

namespace troupe::manifests {

/// Levels of nesting, aliases expanded. Real manifests stay below 30.
inline constexpr std::uint32_t kMaxDepth = 100;
/// Values in a file, aliases expanded.
inline constexpr std::uint32_t kMaxNodes = 4'000'000;

struct YamlFile {
  std::vector<YamlRef> documents;  ///< those that hold something; empty documents are left out
  Diagnostics diagnostics;         ///< errors; documents before a syntax error are still there
};

/// Parses every document of a YAML or JSON text. `file` is what diagnostics call it.
YamlFile parse_yaml(std::string_view text, const std::string& file);

}  // namespace troupe::manifests
