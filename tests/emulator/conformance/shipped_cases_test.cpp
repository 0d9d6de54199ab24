// Every case that the project ships passes, and would not if it expected anything else.
#include <algorithm>
#include <cctype>
#include <set>

#include <gtest/gtest.h>

#include "tests/emulator/conformance/case_text.h"

namespace troupe::conformance {

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.spec.case_();
}

namespace {

using manifests::JsonTree;

const LoadedCases& shipped() {
  static const LoadedCases loaded =
      load_cases(std::string(TROUPE_SOURCE_DIR) + "/scenarios/conformance");
  return loaded;
}

std::string text_of(const Differences& differences) {
  std::string text;
  for (const Difference& one : differences) text += to_string(one) + "\n";
  return text;
}

TEST(ShippedCases, AreWellFormedAndToldApartByTheirNames) {
  ASSERT_TRUE(shipped().ok()) << manifests::to_string(shipped().diagnostics);
  std::set<std::string> names;
  for (const Case& one : shipped().cases) {
    EXPECT_TRUE(names.insert(one.spec.case_()).second) << one.spec.case_();
    EXPECT_FALSE(one.spec.title().empty()) << one.where;
    EXPECT_FALSE(one.spec.source().empty()) << one.where;
  }
  EXPECT_GT(names.size(), 40u);
}

// The YAML blocks of a page, one document each.
std::string examples_of(const std::string& page) {
  std::ifstream file(page);
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```yaml") text += "---\n";
    const bool fence = line.starts_with("```");
    if (inside && !fence) text += line + "\n";
    if (fence) inside = line == "```yaml";
  }
  return text;
}

TEST(SpecificationPage, HasExamplesThatPass) {
  const testing::CaseFile file(examples_of(TROUPE_SOURCE_DIR "/docs/spec/conformance-case.md"));
  const LoadedCases loaded = load_cases(file.path());
  ASSERT_TRUE(loaded.ok()) << manifests::to_string(loaded.diagnostics);
  EXPECT_EQ(loaded.cases.size(), 2u);
  for (const Case& one : loaded.cases) EXPECT_EQ(text_of(run_case(one)), "") << one.where;
}

class ShippedCase : public ::testing::TestWithParam<Case> {};

TEST_P(ShippedCase, Passes) {
  EXPECT_EQ(text_of(run_case(GetParam())), "") << GetParam().where;
}

// Calls `visit` with every value that the tree holds, one after the other.
void for_each_value(JsonTree& tree, const std::function<void(JsonTree&)>& visit) {
  if (!tree.is_structured()) return visit(tree);
  for (auto& item : tree) for_each_value(item, visit);
}

void spoil(JsonTree& value) {
  if (value.is_number()) {
    value = value.get<double>() + 1;
  } else {
    value = value.dump() + " and more";
  }
}

void fails_when_spoiled(const Case& one) {
  Case changed = one;
  for_each_value(changed.unit->expected, [&](JsonTree& value) {
    const JsonTree before = value;
    spoil(value);
    EXPECT_NE(text_of(run_case(changed)), "") << before.dump() << " as " << value.dump();
    value = before;
  });
}

void fails_with_another_state(const Case& one) {
  Case changed = one;
  for (config::JobExpectation& what : *changed.spec.mutable_expect()) {
    if (what.state().empty()) continue;
    const std::string before = what.state();
    what.set_state(before == "Gated" ? "Failed" : "Gated");
    EXPECT_NE(text_of(run_case(changed)), "") << what.job() << " not " << before;
    what.set_state(before);
  }
}

TEST_P(ShippedCase, FailsWhenItExpectsAnythingElse) {
  GetParam().unit ? fails_when_spoiled(GetParam()) : fails_with_another_state(GetParam());
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  std::string name = info.param.spec.case_();
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Conformance, ShippedCase, ::testing::ValuesIn(shipped().cases), name_of);

}  // namespace
}  // namespace troupe::conformance
