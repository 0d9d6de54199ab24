// A parsed YAML document that remembers its lines.
//
// The tree is our own and not the parser's, for three reasons: an alias is one shared subtree and
// its expansion is counted, so a bomb of aliases is refused before anything walks it; a key given
// twice is seen; and who reads a file needs no YAML library. A tree is immutable: overlays share
// what they do not change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::manifests {

struct YamlNode;
/// Shared because an alias, a merge key and an overlay use one subtree in several places.
using YamlRef = std::shared_ptr<const YamlNode>;

struct YamlEntry {
  std::string key;
  int line = 0;
  YamlRef value;
};

struct YamlNode {
  enum class Kind : std::uint8_t { Null, Scalar, List, Map };

  Kind kind = Kind::Null;
  bool plain = false;              ///< a scalar without quotes, whose type its text decides
  int line = 0;                    ///< from 1
  std::uint32_t expanded = 1;      ///< nodes in this subtree, aliases counted each time
  std::uint32_t height = 1;        ///< levels of this subtree
  std::string text;                ///< of a scalar
  std::vector<YamlRef> items;      ///< of a list
  std::vector<YamlEntry> entries;  ///< of a map, in the order of the file
};

/// What a scalar is, by its text and quotes; the words of YAML 1.1 that kubectl accepts are
/// booleans too.
enum class ScalarType : std::uint8_t { Text, Bool, Integer, Float };
[[nodiscard]] ScalarType scalar_type(const YamlNode& scalar);
/// True of true, yes and on in any case that YAML 1.1 knows; the scalar must be a Bool.
[[nodiscard]] bool bool_value(const YamlNode& scalar);

/// The value of a key of a map, or null.
[[nodiscard]] const YamlNode* find(const YamlNode& map, std::string_view key);
/// The node that a path names, "steps[0].apply.spec" or "steps.0.apply.spec"; null where there is
/// none.
[[nodiscard]] const YamlNode* find_path(const YamlNode& root, std::string_view path);
/// Takes the first step off a path: a key, or the index of an item.
std::string_view take_step(std::string_view& path);
/// The line of what a path names, or of the nearest that exists on the way to it.
[[nodiscard]] int line_of(const YamlNode& root, std::string_view path);
/// "a mapping", "the number 8", "the text \"x\"": for messages.
[[nodiscard]] std::string describe(const YamlNode& node);

}  // namespace troupe::manifests
