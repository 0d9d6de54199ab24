#include "emulator/checks/selection.h"

#include <gtest/gtest.h>

#include "messages/k8s/core.pb.h"
#include "messages/k8s/pod.pb.h"
#include "messages/labels.h"

namespace troupe::checks {
namespace {

k8s::Pod pod(const std::string& name_space, const std::string& name, const std::string& app) {
  k8s::Pod made;
  made.mutable_metadata()->set_namespace_(name_space);
  made.mutable_metadata()->set_name(name);
  set_label(*made.mutable_metadata()->mutable_labels(), "app", app);
  return made;
}

std::string refusal(const std::string& text) {
  const Result<Selection> parsed = parse_selection(text);
  return parsed ? "" : parsed.error().message;
}

TEST(Selection, MeansTheSummaryOrObjectsOfAKind) {
  EXPECT_TRUE(parse_selection("summary")->summary);
  const Selection all = *parse_selection("Pod");
  EXPECT_EQ(all.kind, "Pod");
  EXPECT_TRUE(all.matches(pod("default", "a", "x")));
  EXPECT_TRUE(all.matches(pod("prod", "b", "y")));
}

TEST(Selection, NarrowsByNameAndByLabels) {
  const Selection named = *parse_selection("Pod/prod/a");
  EXPECT_TRUE(named.matches(pod("prod", "a", "x")));
  EXPECT_FALSE(named.matches(pod("default", "a", "x")));
  const Selection labelled = *parse_selection("Pod?app=x,tier=web");
  k8s::Pod web = pod("default", "a", "x");
  EXPECT_FALSE(labelled.matches(web));
  set_label(*web.mutable_metadata()->mutable_labels(), "tier", "web");
  EXPECT_TRUE(labelled.matches(web));
  k8s::Node node;
  node.mutable_metadata()->set_name("n");
  EXPECT_TRUE(parse_selection("Node/n")->matches(node));
}

TEST(Selection, RefusesWhatNamesNothing) {
  EXPECT_EQ(refusal("Podd"),
            "unknown kind 'Podd': expected `summary` or KIND[/NAMESPACE/NAME][?label=value]");
  EXPECT_EQ(refusal("Pod/a"), "expected Pod/NAMESPACE/NAME");
  EXPECT_EQ(refusal("Node/default/a"), "expected Node/NAME");
  EXPECT_EQ(refusal("Pod?app"), "expected ?label=value[,label=value...], found '?app'");
}

}  // namespace
}  // namespace troupe::checks
