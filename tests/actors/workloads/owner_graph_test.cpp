// The graph of owners and what is concluded from it, as functions.
#include "actors/workloads/garbage_collector/owner_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actors/api_client/object_key.h"
#include "actors/workloads/garbage_collector/absent_owners.h"
#include "actors/workloads/garbage_collector/judgement.h"

namespace troupe::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using What = Judgement::What;

/// An object of uid = name.
class Meta {
 public:
  explicit Meta(const std::string& name) {
    meta_.set_name(name);
    meta_.set_uid(name);
    meta_.set_namespace_("default");
  }
  Meta& owned_by(const std::string& owner, const std::string& kind = "ReplicaSet",
                 bool blocks = true) {
    k8s::OwnerReference& reference = *meta_.add_owner_references();
    reference.set_kind(kind);
    reference.set_api_version("apps/v1");
    reference.set_name(owner);
    reference.set_uid(owner);
    reference.set_block_owner_deletion(blocks);
    return *this;
  }
  Meta& leaving(std::string_view finalizer = {}) {
    meta_.set_deletion_timestamp(1);
    if (!finalizer.empty()) meta_.add_finalizers(std::string(finalizer));
    return *this;
  }
  [[nodiscard]] const k8s::ObjectMeta& get() const { return meta_; }

 private:
  k8s::ObjectMeta meta_;
};

class OwnerGraphTest : public ::testing::Test {
 protected:
  GraphWork pod(const Meta& meta) {
    return graph_.observe(object_key("Pod", "default", meta.get().name()), meta.get());
  }
  GraphWork set(const Meta& meta) {
    return graph_.observe(object_key("ReplicaSet", "default", meta.get().name()), meta.get());
  }
  OwnerGraph graph_;
};

TEST_F(OwnerGraphTest, AnOwnerThatNobodyHasSeenIsToBeLookedAt) {
  EXPECT_THAT(pod(Meta("p").owned_by("rs")).look_at, ElementsAre("rs"));
  EXPECT_THAT(pod(Meta("q").owned_by("rs")).look_at, IsEmpty());
  ASSERT_NE(graph_.find("rs"), nullptr);
  EXPECT_FALSE(graph_.find("rs")->seen);
  EXPECT_EQ(path_of(graph_.find("rs")->key), "default/rs");
  EXPECT_THAT(set(Meta("rs")).look_at, IsEmpty());
  EXPECT_TRUE(graph_.find("rs")->seen);
}

TEST_F(OwnerGraphTest, AnOwnerWithoutANamespaceIsLookedForInNone) {
  (void)pod(Meta("p").owned_by("n1", "Node"));
  EXPECT_EQ(path_of(graph_.find("n1")->key), "n1");
}

TEST_F(OwnerGraphTest, WhenAnOwnerIsGoneItsDependentsAreLookedAt) {
  (void)set(Meta("rs"));
  (void)pod(Meta("p").owned_by("rs"));
  (void)pod(Meta("q").owned_by("rs"));
  EXPECT_THAT(graph_.erase("rs").look_at, ElementsAre("p", "q"));
  EXPECT_THAT(graph_.erase("rs").look_at, IsEmpty());
}

TEST_F(OwnerGraphTest, AForegroundDeletionLooksAtDependentsAndItself) {
  (void)set(Meta("rs"));
  (void)pod(Meta("p").owned_by("rs"));
  EXPECT_THAT(set(Meta("rs").leaving(kForegroundFinalizer)).look_at, ElementsAre("p", "rs"));
  EXPECT_THAT(set(Meta("rs").leaving(kForegroundFinalizer)).look_at, IsEmpty());
  EXPECT_THAT(graph_.erase("p").look_at, ElementsAre("rs"));
}

TEST_F(OwnerGraphTest, OnlyThoseThatBlockAreWaitedFor) {
  (void)set(Meta("rs"));
  (void)pod(Meta("p").owned_by("rs"));
  (void)pod(Meta("q").owned_by("rs", "ReplicaSet", false));
  EXPECT_THAT(graph_.blockers_of("rs"), ElementsAre("p"));
  EXPECT_THAT(pod(Meta("p").owned_by("rs", "ReplicaSet", false)).look_at, ElementsAre("rs"));
  EXPECT_THAT(graph_.blockers_of("rs"), IsEmpty());
}

TEST_F(OwnerGraphTest, ADependentThatForgetsItsOwnerIsNoDependent) {
  (void)set(Meta("rs"));
  (void)pod(Meta("p").owned_by("rs"));
  EXPECT_THAT(pod(Meta("p")).look_at, ElementsAre("rs"));
  EXPECT_THAT(graph_.erase("rs").look_at, IsEmpty());
}

TEST_F(OwnerGraphTest, OrphaningIsAskedForOnce) {
  (void)set(Meta("rs"));
  EXPECT_THAT(set(Meta("rs").leaving(kOrphanFinalizer)).orphan, ElementsAre("rs"));
  EXPECT_THAT(set(Meta("rs").leaving(kOrphanFinalizer)).orphan, IsEmpty());
}

TEST_F(OwnerGraphTest, NothingIsLeftOfAnOwnerThatNobodySawOnceNobodyNamesIt) {
  (void)pod(Meta("p").owned_by("rs"));
  (void)graph_.erase("p");
  EXPECT_EQ(graph_.size(), 0U);
}

TEST(Judge, AnObjectWithoutOwnersIsKept) {
  EXPECT_EQ(judge(Meta("p").get(), {}, {}).what, What::Keep);
}

TEST(Judge, OneOwnerThatIsThereKeepsTheObject) {
  const k8s::ObjectMeta meta = Meta("p").get();
  EXPECT_EQ(judge(meta, {{"a", OwnerState::Solid}}, {}).what, What::Keep);
  EXPECT_EQ(judge(meta, {{"a", OwnerState::Solid}, {"b", OwnerState::Dangling}}, {}).what,
            What::DropOwners);
  EXPECT_EQ(judge(meta, {{"a", OwnerState::Solid}, {"b", OwnerState::Waiting}}, {}).what,
            What::DropOwners);
}

TEST(Judge, WithoutAnOwnerItIsDeletedAsItWasAskedFor) {
  const std::map<std::string, OwnerState> none = {{"a", OwnerState::Dangling}};
  EXPECT_EQ(judge(Meta("p").get(), none, {}).what, What::Delete);
  EXPECT_EQ(judge(Meta("p").get(), none, {}).propagation, "Background");
  EXPECT_EQ(judge(Meta("p").leaving(kOrphanFinalizer).get(), none, {}).propagation, "Orphan");
  EXPECT_EQ(judge(Meta("p").leaving(kForegroundFinalizer).get(), none, {}).propagation,
            "Foreground");
}

TEST(Judge, ForegroundIsHandedDownToWhatHasDependents) {
  const std::map<std::string, OwnerState> waiting = {{"a", OwnerState::Waiting}};
  EXPECT_EQ(judge(Meta("rs").get(), waiting, {.has_dependents = true}).propagation, "Foreground");
  EXPECT_EQ(judge(Meta("rs").get(), waiting, {}).propagation, "Background");
}

TEST(Judge, ACircleOfForegroundDeletionsIsBroken) {
  const std::map<std::string, OwnerState> waiting = {{"a", OwnerState::Waiting}};
  const Surroundings circle{.has_dependents = true, .dependent_deletes_first = true};
  EXPECT_EQ(judge(Meta("rs").owned_by("a").get(), waiting, circle).what, What::Unblock);
  EXPECT_EQ(judge(Meta("rs").owned_by("a", "ReplicaSet", false).get(), waiting, circle).what,
            What::Delete);
}

TEST(AbsentOwners, TheOldestOfTooManyIsForgotten) {
  AbsentOwners absent;
  for (std::size_t i = 0; i <= AbsentOwners::kRemembered; ++i) absent.insert(std::to_string(i));
  EXPECT_FALSE(absent.contains("0"));
  EXPECT_TRUE(absent.contains("1"));
  EXPECT_TRUE(absent.contains(std::to_string(AbsentOwners::kRemembered)));
}

}  // namespace
}  // namespace troupe::workloads
