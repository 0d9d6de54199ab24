// Faults that the director decides: when it acts, and on whom.
#include "actors/director/fault_orders.h"

#include <gtest/gtest.h>

#include "actors/director/director.h"
#include "messages/envelope.h"
#include "messages/facts.pb.h"
#include "messages/workload.pb.h"
#include "tests/support/api_stub.h"
#include "tests/support/cluster_objects.h"

namespace troupe::director {
namespace {

using std::chrono::seconds;
using testing::ApiStub;
using testing::FakeContext;
using testing::PodBuilder;

fault::Order hang_order() {
  fault::Order order;
  order.set_kind("kubeletHang");
  order.set_probability_ppm(1'000'000);
  fault::HangKubelet hang;
  *order.mutable_begin() = to_envelope(Payload::of(hang));
  hang.set_heal(true);
  *order.mutable_end() = to_envelope(Payload::of(hang));
  order.mutable_target()->set_kind(fault::Target::NODES);
  return order;
}

class FaultOrdersTest : public ::testing::Test {
 protected:
  FaultOrdersTest() {
    for (const char* name : {"a-1", "a-2", "b-1"}) {
      k8s::Node node;
      node.mutable_metadata()->set_name(name);
      auto* label = node.mutable_metadata()->add_labels();
      label->set_key("rack");
      label->set_value(std::string(1, name[0]));
      api_.put(node);
    }
  }
  void begin(const fault::Order& order) {
    Plan plan;
    *plan.add_faults() = order;
    director_ = std::make_unique<Director>(plan, std::vector<Payload>{});
    director_->start(context_);
  }
  void run(Duration span) { api_.run(*director_, span); }
  template <class Fact>
  void hear(Fact fact) {
    director_->receive(context_, context_.deliver(Payload::of(std::move(fact)), "node/a-1"));
    api_.serve(*director_);
    run(Duration::zero());
  }
  /// The paths of those who were told something of that type.
  template <class M>
  std::vector<std::string> told() {
    std::vector<std::string> paths;
    for (const auto& sent : context_.sent) {
      if (sent.what.as<M>() == nullptr) continue;
      for (const char* path : {"node/a-1", "node/a-2", "node/b-1", "node/a-1/gpu/0"}) {
        if (address_of(path) == sent.to) paths.emplace_back(path);
      }
    }
    return paths;
  }
  [[nodiscard]] std::size_t injected() const {
    return context_.facts_of<facts::FaultInjected>().size();
  }

  FakeContext context_{"controller/director/0"};
  ApiStub api_{context_};
  std::unique_ptr<Director> director_;
};

TEST_F(FaultOrdersTest, FindsItsNodesByLabelWhenTheMomentComes) {
  fault::Order order = hang_order();
  order.add_at_ns(5'000'000'000);
  auto* label = order.mutable_target()->add_labels();
  label->set_key("rack");
  label->set_value("a");
  begin(order);
  run(seconds(4));
  EXPECT_TRUE(told<fault::HangKubelet>().empty());
  run(seconds(2));
  EXPECT_EQ(told<fault::HangKubelet>(), (std::vector<std::string>{"node/a-1", "node/a-2"}));
  EXPECT_EQ(injected(), 2u);
}

TEST_F(FaultOrdersTest, HealsAfterItsDuration) {
  fault::Order order = hang_order();
  order.add_at_ns(1'000'000'000);
  order.set_duration_ns(10'000'000'000);
  order.mutable_target()->set_name("b-*");
  begin(order);
  run(seconds(2));
  ASSERT_EQ(context_.sent_of<fault::HangKubelet>().size(), 1u);
  run(seconds(10));
  ASSERT_EQ(context_.sent_of<fault::HangKubelet>().size(), 2u);
  EXPECT_TRUE(context_.sent_of<fault::HangKubelet>()[1]->heal());
  EXPECT_EQ(context_.facts_of<facts::FaultHealed>().size(), 1u);
}

TEST_F(FaultOrdersTest, ActsAtTheNthFactThatFitsAndOnlyThen) {
  fault::Order order = hang_order();
  order.mutable_when()->set_fact("NodeReady");
  order.mutable_when()->set_nth(2);
  order.mutable_target()->set_of_fact(true);
  begin(order);
  facts::NodeReady ready;
  ready.set_node("a-1");
  hear(ready);
  EXPECT_EQ(injected(), 0u);
  ready.set_node("b-1");
  hear(ready);
  EXPECT_EQ(told<fault::HangKubelet>(), (std::vector<std::string>{"node/b-1"}));
  hear(ready);
  EXPECT_EQ(injected(), 1u);
}

TEST_F(FaultOrdersTest, ActsAtEachFurtherFactWhereItRepeats) {
  fault::Order order = hang_order();
  order.mutable_when()->set_fact("NodeReady");
  order.mutable_when()->set_nth(2);
  order.mutable_when()->set_repeat(true);
  order.mutable_target()->set_name("b-1");
  begin(order);
  for (int i = 0; i < 4; ++i) hear(facts::NodeReady{});
  EXPECT_EQ(injected(), 3u);
}

TEST_F(FaultOrdersTest, WrapsWhatBefallsAPodForTheKubeletOfItsNode) {
  api_.put(PodBuilder("web").on("a-1", "Running").raw());
  api_.put(PodBuilder("done").on("a-1", "Succeeded").raw());
  fault::Order order = hang_order();
  order.add_at_ns(0);
  order.mutable_target()->set_kind(fault::Target::PODS);
  fault::KillContainer kill;
  kill.set_exit_code(137);
  *order.mutable_begin() = to_envelope(Payload::of(kill));
  begin(order);
  run(seconds(1));
  ASSERT_EQ(told<fault::ForPod>(), (std::vector<std::string>{"node/a-1"}));
  EXPECT_EQ(context_.sent_of<fault::ForPod>()[0]->uid(), "uid-web");
  EXPECT_EQ(
      context_.last_sent<fault::ForPod>().attachments()[0].as<fault::KillContainer>()->exit_code(),
      137);
}

TEST_F(FaultOrdersTest, WithoutLuckNothingHappens) {
  fault::Order order = hang_order();
  order.add_at_ns(0);
  order.set_probability_ppm(0);
  begin(order);
  run(seconds(1));
  EXPECT_EQ(injected(), 0u);
}

}  // namespace
}  // namespace troupe::director
