#include "messages/selector.h"

#include <gtest/gtest.h>

namespace troupe {
namespace {

LabelMap labels_of(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  LabelMap labels;
  for (const auto& [key, value] : pairs) set_label(labels, key, value);
  return labels;
}

ValueList values_of(std::initializer_list<const char*> values) {
  ValueList list;
  for (const char* value : values) *list.Add() = value;
  return list;
}

struct Case {
  const char* situation;
  const char* key;
  const char* op;
  std::initializer_list<const char*> values;
  bool matches;
};

TEST(Requirements, FollowTheOperator) {
  const LabelMap labels = labels_of({{"zone", "a"}, {"gpus", "8"}});
  const Case cases[] = {
      {"In with its value", "zone", "In", {"a", "b"}, true},
      {"In without its value", "zone", "In", {"b"}, false},
      {"In on an absent key", "rack", "In", {"a"}, false},
      {"NotIn without its value", "zone", "NotIn", {"b"}, true},
      {"NotIn with its value", "zone", "NotIn", {"a"}, false},
      {"NotIn on an absent key", "rack", "NotIn", {"a"}, true},
      {"Exists", "zone", "Exists", {}, true},
      {"Exists on an absent key", "rack", "Exists", {}, false},
      {"DoesNotExist", "zone", "DoesNotExist", {}, false},
      {"DoesNotExist on an absent key", "rack", "DoesNotExist", {}, true},
      {"Gt below", "gpus", "Gt", {"4"}, true},
      {"Gt at the value", "gpus", "Gt", {"8"}, false},
      {"Lt above", "gpus", "Lt", {"9"}, true},
      {"Gt on no number", "zone", "Gt", {"4"}, false},
      {"Gt on an absent key", "rack", "Gt", {"4"}, false},
      {"Gt with two values", "gpus", "Gt", {"4", "5"}, false},
      {"an unknown operator", "zone", "Like", {"a"}, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(requirement_matches(labels, c.key, c.op, values_of(c.values)), c.matches)
        << c.situation;
  }
}

TEST(LabelSelectors, JoinEverythingByAnd) {
  k8s::LabelSelector selector;
  EXPECT_TRUE(matches(selector, labels_of({}))) << "an empty selector matches everything";
  set_label(*selector.mutable_match_labels(), "app", "llama");
  auto* requirement = selector.add_match_expressions();
  requirement->set_key("tier");
  requirement->set_operator_("Exists");
  EXPECT_TRUE(matches(selector, labels_of({{"app", "llama"}, {"tier", "x"}})));
  EXPECT_FALSE(matches(selector, labels_of({{"app", "llama"}})));
  EXPECT_FALSE(matches(selector, labels_of({{"app", "qwen"}, {"tier", "x"}})));
}

TEST(NodeSelectors, NeedOneTermWhichNeedsAllItsParts) {
  k8s::ObjectMeta node;
  node.set_name("gpu-a");
  *node.mutable_labels() = labels_of({{"zone", "a"}});
  k8s::NodeSelector selector;
  EXPECT_FALSE(matches(selector, node)) << "no term";
  selector.add_node_selector_terms();
  EXPECT_FALSE(matches(selector, node)) << "an empty term matches nothing";
  auto* field = selector.add_node_selector_terms()->add_match_fields();
  field->set_key("metadata.name");
  field->set_operator_("In");
  field->add_values("gpu-a");
  EXPECT_TRUE(matches(selector, node));
  auto* label = selector.mutable_node_selector_terms(1)->add_match_expressions();
  label->set_key("zone");
  label->set_operator_("NotIn");
  label->add_values("a");
  EXPECT_FALSE(matches(selector, node));
}

TEST(SelectorTexts, ReadBack) {
  for (const char* text :
       {"app=llama", "app=llama,tier=gpu", "tier in (a,b)", "app=llama,tier notin (a,b)", "tier",
        "!tier", "app=llama,!canary", ""}) {
    const Result<k8s::LabelSelector> selector = parse_selector(text);
    ASSERT_TRUE(selector) << text;
    EXPECT_EQ(selector_text(*selector), text);
  }
  EXPECT_EQ(selector_text(parse_selector(" a == b , c != d ").value()), "a=b,c notin (d)");
  for (const char* text : {",", "a=b,,c", "a in b", "a in (b", "=b", "!", "a near (b)"}) {
    EXPECT_FALSE(parse_selector(text)) << text;
  }
}

}  // namespace
}  // namespace troupe
