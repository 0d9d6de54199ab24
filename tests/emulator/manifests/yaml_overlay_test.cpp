#include "emulator/manifests/yaml_overlay.h"

#include <gtest/gtest.h>

#include "emulator/manifests/raw_json.h"
#include "emulator/manifests/yaml_parser.h"

namespace troupe::manifests {
namespace {

YamlRef tree(std::string_view text) {
  return parse_yaml(text, "f.yaml").documents.at(0);
}

TEST(Overlay, MergesMappingsReplacesListsErasesNulls) {
  const YamlRef base = tree("{a: {b: 1, c: 2}, list: [1, 2], gone: x}");
  const YamlRef merged =
      overlay(base, tree("{a: {c: 3, d: 4}, list: [9], gone: null, new: {x: null, y: 1}}"));
  EXPECT_EQ(json_text(*merged), R"({"a":{"b":1,"c":3,"d":4},"list":[9],"new":{"y":1}})");
  EXPECT_EQ(json_text(*base), R"({"a":{"b":1,"c":2},"gone":"x","list":[1,2]})") << "untouched";
}

TEST(Overlay, KeepsTheLinesOfWhatItBrings) {
  const YamlRef merged = overlay(tree("a: 1\nb: 2\n"), tree("\n\n\nb: 3\n"));
  EXPECT_EQ(find(*merged, "a")->line, 1);
  EXPECT_EQ(find(*merged, "b")->line, 4);
}

TEST(WithValue, SetsFieldsAndItems) {
  const YamlRef base = tree("{a: {b: 1}, list: [{x: 1}, {x: 2}]}");
  EXPECT_EQ(json_text(**with_value(base, "a.b", "5s")),
            R"({"a":{"b":"5s"},"list":[{"x":1},{"x":2}]})");
  EXPECT_EQ(json_text(**with_value(base, "list[1].x", "[7, 8]")),
            R"({"a":{"b":1},"list":[{"x":1},{"x":[7,8]}]})");
  EXPECT_EQ(json_text(**with_value(base, "list.0.x", "9")),
            R"({"a":{"b":1},"list":[{"x":9},{"x":2}]})");
  EXPECT_EQ(json_text(**with_value(base, "new.deep", "true")),
            R"({"a":{"b":1},"list":[{"x":1},{"x":2}],"new":{"deep":true}})");
}

TEST(WithValue, RefusesWhatCannotBe) {
  const YamlRef base = tree("{a: 1, list: [1]}");
  EXPECT_EQ(with_value(base, "list[4]", "1").error().message,
            "\"list[4]\": a list has no item \"4\"");
  EXPECT_EQ(with_value(base, "a.b", "1").error().message, "\"a.b\": \"b\" is below a single value");
  EXPECT_FALSE(with_value(base, "", "1"));
  EXPECT_FALSE(with_value(base, "a", "[1"));
}

}  // namespace
}  // namespace troupe::manifests
