#include "actors/scheduling/pod_info.h"

#include <gtest/gtest.h>

#include "tests/support/cluster_objects.h"

namespace troupe::scheduling {
namespace {

using testing::PodBuilder;

k8s::Container& init_container(k8s::Pod& pod, std::string_view cpu, bool sidecar = false) {
  k8s::Container& container = *pod.mutable_spec()->add_init_containers();
  set_amount(*container.mutable_resources()->mutable_requests(), "cpu", *Quantity::parse(cpu));
  if (sidecar) container.set_restart_policy("Always");
  return container;
}

TEST(PodRequests, SumTheContainersAndCountThePodItself) {
  PodBuilder pod("a");
  pod.cpu("500m").memory("1Gi").gpus(2);
  k8s::Container& second = *pod.raw().mutable_spec()->add_containers();
  set_amount(*second.mutable_resources()->mutable_requests(), "cpu", Quantity::milli(250));
  const Resources requests = requests_of(pod.raw().spec());
  EXPECT_EQ(requests.milli_cpu, 750);
  EXPECT_EQ(requests.memory_bytes, 1LL << 30);
  EXPECT_EQ(requests.milli_gpu, 2000);
  EXPECT_EQ(requests.pods, 1);
}

TEST(PodRequests, AreTheLargestInitContainerWhereThatIsMore) {
  PodBuilder pod("a");
  pod.cpu("1");
  init_container(pod.raw(), "3");
  init_container(pod.raw(), "2");
  EXPECT_EQ(requests_of(pod.raw().spec()).milli_cpu, 3000);
}

TEST(PodRequests, CountSidecarsThroughout) {
  PodBuilder pod("a");
  pod.cpu("1");
  init_container(pod.raw(), "500m", true);
  init_container(pod.raw(), "2");
  // While the second init container runs, the sidecar runs too: 2.5; afterwards 1.5.
  EXPECT_EQ(requests_of(pod.raw().spec()).milli_cpu, 2500);
}

TEST(PodRequests, OfAGpuAreItsLimitWhereOnlyThatIsGiven) {
  PodBuilder pod("a");
  auto* resources = pod.raw().mutable_spec()->mutable_containers(0)->mutable_resources();
  set_amount(*resources->mutable_limits(), kGpuResource, Quantity::whole(4));
  EXPECT_EQ(requests_of(pod.raw().spec()).milli_gpu, 4000);
}

TEST(PodRequests, KeepOtherExtendedResources) {
  PodBuilder pod("a");
  pod.asks("rdma/ib", "2");
  const Resources requests = requests_of(pod.raw().spec());
  EXPECT_EQ(requests.amount_of("rdma/ib"), 2);
  EXPECT_EQ(requests.amount_of("rdma/other"), 0);
}

TEST(PodInfo, ScoresADefaultForWhatThePodDoesNotAskFor) {
  LabelClasses classes;
  const PodPtr pod = make_pod_info(PodBuilder("a").gpus(1).share(), classes);
  EXPECT_EQ(pod->requests.milli_cpu, 0);
  EXPECT_EQ(pod->scored_milli_cpu, 100);
  EXPECT_EQ(pod->scored_memory_bytes, 200LL << 20);
}

TEST(PodInfo, GivesPodsWithEqualLabelsOneClass) {
  LabelClasses classes;
  const PodPtr a = make_pod_info(PodBuilder("a").label("app", "x").share(), classes);
  const PodPtr b = make_pod_info(PodBuilder("b").label("app", "x").share(), classes);
  const PodPtr other = make_pod_info(PodBuilder("c").label("app", "y").share(), classes);
  const PodPtr elsewhere =
      make_pod_info(PodBuilder("d", "prod").label("app", "x").share(), classes);
  EXPECT_EQ(a->label_class, b->label_class);
  EXPECT_NE(a->label_class, other->label_class);
  EXPECT_NE(a->label_class, elsewhere->label_class);
}

TEST(Resources, FitOnlyWhereEveryAmountDoes) {
  Resources free;
  free.milli_cpu = 1000;
  free.milli_gpu = 1000;
  Resources wanted;
  wanted.milli_gpu = 1000;
  EXPECT_TRUE(fits(wanted, free));
  wanted.add_amount("rdma/ib", 1);
  EXPECT_FALSE(fits(wanted, free));
}

TEST(Resources, WhatIsNotWantedFitsAnOvercommittedNode) {
  Resources free;
  free.milli_cpu = -500;
  free.milli_gpu = 1000;
  Resources wanted;
  wanted.milli_gpu = 1000;
  EXPECT_TRUE(fits(wanted, free));
}

TEST(Resources, AddAndSubtractComeOutEmpty) {
  Resources amounts;
  Resources more;
  more.milli_cpu = 3;
  more.add_amount("rdma/ib", 2);
  amounts += more;
  amounts -= more;
  EXPECT_EQ(amounts, Resources{});
}

}  // namespace
}  // namespace troupe::scheduling
