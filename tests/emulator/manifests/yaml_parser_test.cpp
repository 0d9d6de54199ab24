#include "emulator/manifests/yaml_parser.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/manifests/text_check.h"

namespace troupe::manifests {
namespace {

using ::testing::HasSubstr;

/// The first complaint about a text.
std::string yaml_complaint(std::string_view text) {
  const YamlFile file = parse_yaml(text, "f.yaml");
  return file.diagnostics.empty() ? "" : to_string(file.diagnostics.front());
}

YamlRef only(std::string_view text) {
  const YamlFile file = parse_yaml(text, "f.yaml");
  EXPECT_EQ(to_string(file.diagnostics), "");
  EXPECT_EQ(file.documents.size(), 1U);
  return file.documents.empty() ? std::make_shared<const YamlNode>() : file.documents.front();
}

TEST(YamlParser, RemembersLines) {
  const YamlRef root = only("# a comment\na: 1\nb:\n  - x\n  - c: y\n");
  EXPECT_EQ(find(*root, "a")->line, 2);
  EXPECT_EQ(find_path(*root, "b.1.c")->line, 5);
  EXPECT_EQ(find_path(*root, "b[1].c")->text, "y");
  EXPECT_EQ(find_path(*root, "b[2].c"), nullptr);
  EXPECT_EQ(find_path(*root, "b.x"), nullptr);
  EXPECT_EQ(line_of(*root, "b[1].missing.deeper"), 5) << "the nearest on the way";
}

TEST(YamlParser, TypesScalarsByTextAndQuotes) {
  const YamlRef root =
      only("[8, '8', -1.5, true, on, hello, 0x1f, 1e3, 1.2.3, null, ~, !!str 9, 10.0.0.1]");
  const ScalarType types[] = {ScalarType::Integer, ScalarType::Text,  ScalarType::Float,
                              ScalarType::Bool,    ScalarType::Bool,  ScalarType::Text,
                              ScalarType::Integer, ScalarType::Float, ScalarType::Text};
  for (std::size_t i = 0; i < std::size(types); ++i)
    EXPECT_EQ(scalar_type(*root->items[i]), types[i]) << i;
  EXPECT_EQ(root->items[9]->kind, YamlNode::Kind::Null);
  EXPECT_EQ(root->items[10]->kind, YamlNode::Kind::Null);
  EXPECT_EQ(scalar_type(*root->items[11]), ScalarType::Text);
  EXPECT_EQ(scalar_type(*root->items[12]), ScalarType::Text);
}

TEST(YamlParser, ReadsManyDocumentsAndLeavesOutEmptyOnes) {
  const YamlFile file =
      parse_yaml("---\n# only a comment\n---\na: 1\n---\n---\nb: 2\n...\n---\nc: 3\n", "f.yaml");
  EXPECT_EQ(to_string(file.diagnostics), "");
  ASSERT_EQ(file.documents.size(), 3U);
  EXPECT_EQ(file.documents[1]->line, 7);
}

TEST(YamlParser, ReadsCarriageReturnsAndByteOrderMarks) {
  const YamlRef root = only(
      "\xef\xbb\xbf"
      "a: 1\r\nb:\r\n  - x\r\n");
  EXPECT_EQ(find_path(*root, "b.0")->text, "x");
}

TEST(YamlParser, ReadsJsonIndentedWithTabs) {
  const YamlRef root = only("{\n\t\"a\": [1, \"x\\u00e9\"],\n\t\"b\": {\"c\": null}\n}\n");
  EXPECT_EQ(find_path(*root, "a.1")->text, "xé");
  EXPECT_EQ(find_path(*root, "b.c")->kind, YamlNode::Kind::Null);
}

TEST(YamlParser, SharesAliasesAndAppliesMergeKeys) {
  const YamlRef root = only(
      "base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\none:\n  <<: *b\n  y: 9\ntwo:\n  <<: [*m, "
      "*b]\n");
  EXPECT_EQ(find_path(*root, "one.x")->text, "1");
  EXPECT_EQ(find_path(*root, "one.y")->text, "9") << "what the map itself says wins";
  EXPECT_EQ(find_path(*root, "two.y")->text, "3") << "then what comes first";
  EXPECT_EQ(find(*find(*root, "one"), "<<"), nullptr);
}

TEST(YamlParser, RefusesKeysGivenTwice) {
  EXPECT_EQ(
      yaml_complaint("a: 1\nb: 2\na: 3\n"),
      "f.yaml:3:a: error: found this key a second time, expected it once: it is already on line 1");
}

TEST(YamlParser, RefusesTabsAsIndentation) {
  EXPECT_EQ(yaml_complaint("a:\n\tb: 1\n"),
            "f.yaml:2: error: found a TAB as indentation, expected spaces: YAML is never indented "
            "with TABs");
  EXPECT_THAT(yaml_complaint("a:\n  - b: 1\n  \tc: 2\n"),
              HasSubstr("f.yaml:3: error: found a TAB"));
}

TEST(YamlParser, AllowsTabsWhereYamlDoes) {
  EXPECT_EQ(find_path(*only("script: |\n  all:\n  \tmake\n"), "script")->text, "all:\n\tmake\n");
  EXPECT_EQ(find(*only("a:\tb\n"), "a")->text, "b");
  EXPECT_EQ(yaml_complaint("a: 1\n\t\nb: 2\n"), "") << "a blank line";
}

TEST(YamlParser, RefusesTemplatesThatWereNotRendered) {
  for (const char* text :
       {"replicas: {{ .Values.replicas }}\n", "a: 1\n{{- if .Values.x }}\nb: 2\n{{- end }}\n",
        "name: app-{{ .Release.Name }}\n", "name: \"{{ .Release.Name }}\"\n",
        "{{ include \"x\" . }}\n", "a: 1\n{% for x in y %}\n", "%{ if x }\na: 1\n"}) {
    EXPECT_THAT(yaml_complaint(text), HasSubstr("a template that was not rendered")) << text;
  }
  EXPECT_THAT(yaml_complaint("a: 1\nb: {{ .Values.b }}\n"), HasSubstr("f.yaml:2: error"));
}

TEST(YamlParser, AllowsBracesThatAreMeant) {
  EXPECT_EQ(yaml_complaint("legend: \"{{instance}}\"\n"), "") << "a dashboard";
  EXPECT_EQ(yaml_complaint("data: |\n  {{ .Values.x }}\n  {% if %}\n"), "") << "a block of text";
  EXPECT_EQ(yaml_complaint("# {{ .Values.x }}\na: 1\n"), "") << "a comment";
  EXPECT_EQ(yaml_complaint("a: {b: {c: 1}}\n"), "") << "nested flow mappings";
}

TEST(YamlParser, NamesTheLineOfASyntaxError) {
  EXPECT_THAT(yaml_complaint("a: 1\nb: [1, 2\nc: 3\n"),
              HasSubstr("f.yaml:3: error: not valid YAML"));
  EXPECT_THAT(yaml_complaint("a: b: c\n"), HasSubstr("f.yaml:1: error: not valid YAML"));
  EXPECT_THAT(yaml_complaint("a: *nowhere\n"), HasSubstr("f.yaml:1: error: not valid YAML"));
  EXPECT_EQ(yaml_complaint("a: 1\nb: \"never closed\\\"\n"),
            "f.yaml:2: error: found a quote that is never closed");
  EXPECT_EQ(yaml_complaint("a: 'it''s closed'\n"), "");
}

TEST(YamlParser, RefusesWhatFollowsADocumentWithoutASeparator) {
  EXPECT_THAT(yaml_complaint("a: 1\n- b\n"), HasSubstr("f.yaml:2: error"));
  EXPECT_THAT(yaml_complaint("  a: 1\nb: 2\n"), HasSubstr("f.yaml:2: error"));
  EXPECT_THAT(yaml_complaint("- a\nb: 1\n"), HasSubstr("f.yaml:2: error"));
}

TEST(YamlParser, RefusesWhatBeginsNoValue) {
  EXPECT_THAT(yaml_complaint("---\n, \n"), HasSubstr("error"));
  EXPECT_THAT(yaml_complaint("...\n---\n, x\n"), HasSubstr("error"));
  EXPECT_THAT(yaml_complaint("}\n"), HasSubstr("error"));
}

TEST(YamlParser, RefusesBinaryFiles) {
  EXPECT_THAT(yaml_complaint(std::string("a: 1\nb: \0x", 10)),
              HasSubstr("f.yaml:2: error: found a control character"));
  EXPECT_THAT(yaml_complaint("\x7f\x45\x4c\x46\x02\x01"), HasSubstr("binary"));
  EXPECT_THAT(yaml_complaint("a: \xc3\x28\n"), HasSubstr("not UTF-8"));
  EXPECT_THAT(yaml_complaint("a: \xed\xa0\x80\n"), HasSubstr("not UTF-8")) << "a surrogate";
  EXPECT_THAT(yaml_complaint("a: \xc0\xaf\n"), HasSubstr("not UTF-8")) << "overlong";
  EXPECT_THAT(yaml_complaint("a: \xe2\x82"), HasSubstr("not UTF-8")) << "cut off";
  EXPECT_THAT(yaml_complaint("\xff\xfe"
                             "a"),
              HasSubstr("UTF-16"));
}

TEST(YamlParser, RefusesLargeTexts) {
  EXPECT_EQ(yaml_complaint(std::string(100UL << 20, 'a')),
            "f.yaml: error: found 100 MiB, expected at most 64 MiB: split the file");
}

TEST(YamlParser, RefusesDeepNesting) {
  EXPECT_THAT(yaml_complaint(std::string(100'000, '[')), HasSubstr("error"));
  EXPECT_THAT(yaml_complaint("a: " + std::string(500, '[') + std::string(500, ']')),
              HasSubstr("levels of nesting"));
  EXPECT_THAT(yaml_complaint(std::string(100'000, '{')), HasSubstr("error"));
  std::string text;
  for (int i = 0; i < 2'000; ++i) text += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_THAT(yaml_complaint(text), HasSubstr("levels of nesting"));
}

TEST(YamlParser, RefusesBombsOfAliases) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) text += ", " + last;
    text += "]\n";
  }
  EXPECT_THAT(yaml_complaint(text), HasSubstr("values, aliases expanded"));
  EXPECT_THAT(yaml_complaint("a: &x [1, *x]\n"), HasSubstr("error"));
}

TEST(YamlParser, RefusesAliasesThatNestTooDeep) {
  std::string text = "- &a0 [x]\n";
  for (int i = 1; i < 150; ++i)
    text += "- &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + "]\n";
  EXPECT_THAT(yaml_complaint(text), HasSubstr("levels deep"));
}

TEST(YamlParser, RefusesKeysThatAreNoNames) {
  EXPECT_THAT(yaml_complaint("? [a, b]\n: 1\n"), HasSubstr("as a key, expected a name"));
  EXPECT_THAT(yaml_complaint(": 1\n"), HasSubstr("found an empty key"));
}

// A cheap stand-in for a fuzzer: every prefix of a rich document, and every single byte of it
// replaced.
TEST(YamlParser, NeverCrashesOnBrokenText) {
  const std::string text =
      "a: &x {b: [1, 'c', \"d\\n\"], e: |\n  f\n}\n---\n- *x\n- ? g\n  : h\n- <<: *x\n# i\n%j\n";
  for (std::size_t i = 0; i < text.size(); ++i) {
    parse_yaml(std::string_view(text).substr(0, i), "f.yaml");
    for (const char c : {'\0', '\t', '\n', ' ',  ':', '-', '{', '}', '[', ']', '&',  '*',
                         '!',  '|',  '>',  '\'', '"', '%', '@', '?', ',', '#', '\\', '\xff'}) {
      std::string broken = text;
      broken[i] = c;
      parse_yaml(broken, "f.yaml");
    }
  }
}

}  // namespace
}  // namespace troupe::manifests
