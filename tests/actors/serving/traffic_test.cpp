// Clients, router and replicas together in virtual time: what the clients saw, what the router
// counted and what the engines did agree, and an engine that fast-forwards gives every client the
// same answer at the same nanosecond.
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "actors/load/load_generator.h"
#include "actors/serving/replica_actor.h"
#include "actors/serving/router_actor.h"
#include "emulator/runtime/virtual_runtime.h"
#include "messages/api.pb.h"
#include "messages/load.pb.h"
#include "messages/runtime.pb.h"
#include "tests/actors/serving/catalogue.h"

namespace troupe::serving {
namespace {

using namespace std::chrono_literals;

constexpr int kReplicas = 3;

std::string node(int i) {
  return "node/n" + std::to_string(i);
}
std::string pod(int i) {
  return node(i) + "/pod/uid-" + std::to_string(i);
}

/// An API server that knows one EndpointSlice with every replica.
class OneSlice final : public Actor {
 public:
  void receive(Context& context, const Delivery& delivery) override {
    const auto* request = delivery.as<api::ApiRequest>();
    if (request == nullptr) return;
    k8s::EndpointSlice slice;
    slice.mutable_metadata()->set_namespace_("default");
    slice.mutable_metadata()->set_name("llm-x");
    slice.mutable_metadata()->set_resource_version("1");
    for (int i = 0; i < kReplicas; ++i) slice.add_endpoints()->add_addresses(pod(i));
    api::ApiReply reply;
    reply.set_request_id(request->request_id());
    reply.set_code(200);
    reply.set_resource_version("1");
    context.send(delivery.sender, Payload::of(std::move(reply), {Payload::of(std::move(slice))}),
                 {});
  }
};

/// A node whose only pod is a replica. It kills that pod, without a word, when it is told of a dead
/// GPU.
class Node final : public Actor {
 public:
  Node(int index, std::shared_ptr<const ServingWorkload> workload)
      : index_(index), workload_(std::move(workload)) {}

  void start(Context& context) override {
    ReplicaPlacement placement;
    placement.set_pod_uid("uid-" + std::to_string(index_));
    placement.set_node("n" + std::to_string(index_));
    placement.set_gpu_model("H100");
    placement.add_gpu_paths(node(index_) + "/gpu/0");
    pod_ = context.spawn(pod(index_), make_replica(workload_, placement, true));
  }
  void receive(Context& context, const Delivery& delivery) override {
    if (delivery.as<workload::FailGpu>() != nullptr) context.stop(pod_);
    if (const auto* terminate = delivery.as<workload::Terminate>()) {
      context.send(pod_, Payload::of(*terminate), {});
    }
  }

 private:
  int index_;
  std::shared_ptr<const ServingWorkload> workload_;
  Address pod_;
};

struct Seen final : Observer {
  using End = std::tuple<std::uint64_t, int, std::int64_t, std::int64_t>;

  void on_fact(const FactRecord& record) override {
    if (const auto* ended = record.fact.as<facts::RequestEnded>()) {
      ends.emplace_back(ended->request(), ended->outcome(), ended->ttft_ns(), ended->e2e_ns());
      ++outcomes[ended->outcome()];
      if (ended->outcome() == facts::RequestEnded::COMPLETED) tokens += ended->output_tokens();
    } else if (const auto* totals = record.fact.as<facts::RouterTotals>()) {
      router = *totals;
    } else if (const auto* steps = record.fact.as<facts::StepsRun>()) {
      for (const auto& gaps : steps->gaps()) gap_tokens += gaps.tokens();
      prefix_hits += steps->prefix_hits();
    } else if (record.fact.as<facts::RequestIssued>() != nullptr) {
      ++issued;
    }
  }

  std::vector<End> ends;
  std::map<int, std::uint64_t> outcomes;
  facts::RouterTotals router;
  std::uint64_t issued = 0;
  std::uint64_t tokens = 0;
  std::uint64_t gap_tokens = 0;
  std::uint64_t prefix_hits = 0;
};

load::LoadConfig clients() {
  load::LoadConfig config;
  config.set_service("default/llm");
  config.set_router("router/llm");
  config.set_timeout_ns(Duration(60s).count());
  load::Generator& generator = *config.mutable_generator();
  auto& phase = *generator.mutable_arrivals()->mutable_phases()->add_phases();
  phase.set_rate_micro_per_s(20'000'000);
  generator.set_duration_ns(Duration(60s).count());
  generator.set_start_ns(Duration(1s).count());
  load::Tokens& prompt = *generator.mutable_lengths()->mutable_prompt();
  prompt.set_shape(load::Tokens::LOGNORMAL);
  prompt.set_a(800);
  prompt.set_b(3000);
  prompt.set_maximum(12'000);
  load::Tokens& output = *generator.mutable_lengths()->mutable_output();
  output.set_shape(load::Tokens::LOGNORMAL);
  output.set_a(120);
  output.set_b(500);
  generator.mutable_prefixes()->set_count(3);
  generator.mutable_prefixes()->set_tokens(500);
  generator.mutable_prefixes()->set_share_ppm(500'000);
  return config;
}

class Traffic {
 public:
  explicit Traffic(bool fast_forward = true) {
    ServingWorkload workload = testing::workload_of("llama-3.1-8b", "H100");
    workload.mutable_args()->set_fast_forward(fast_forward);
    const auto shared = std::make_shared<const ServingWorkload>(std::move(workload));
    registry_.add("api", [](const Payload&) { return std::make_unique<OneSlice>(); });
    registry_.add("router", make_router);
    registry_.add("load", load::make_load_generator);
    for (int i = 0; i < kReplicas; ++i) {
      registry_.add("node" + std::to_string(i),
                    [i, shared](const Payload&) { return std::make_unique<Node>(i, shared); });
    }
    runtime_.emplace(RuntimeOptions{.seed = 7}, registry_);
    runtime_->add_observer(seen);
    hosts::RouterConfig router;
    router.set_service("default/llm");
    router.set_policy("least-request");
    router.set_queue_limit(1000);
    begin("apiserver/0", "api", {});
    for (int i = 0; i < kReplicas; ++i) begin(node(i), "node" + std::to_string(i), {});
    begin("router/llm", "router", {Payload::of(std::move(router))});
    begin("load/l", "load", {Payload::of(clients())});
  }

  void run() {
    const auto defect = runtime_->run_until(from_ns(Duration(200s).count()));
    ASSERT_FALSE(defect.has_value())
        << defect->actor << " " << defect->message << " " << defect->what;
  }
  VirtualRuntime& runtime() { return *runtime_; }

  Seen seen;

 private:
  void begin(const std::string& path, const std::string& kind, std::vector<Payload> attachments) {
    runtime::HostStart start;
    start.set_kind(kind);
    start.set_path(path);
    runtime_->start_host(path, Payload::of(std::move(start), std::move(attachments)));
  }

  HostRegistry registry_;
  std::optional<VirtualRuntime> runtime_;
};

std::uint64_t completed(const Seen& seen) {
  return seen.outcomes.at(facts::RequestEnded::COMPLETED);
}

TEST(Traffic, IsCountedAlikeByClientsRouterAndEngines) {
  Traffic traffic;
  traffic.run();
  const Seen& seen = traffic.seen;
  EXPECT_GT(seen.issued, 1000u);
  EXPECT_EQ(completed(seen), seen.issued);
  EXPECT_EQ(seen.router.received(), seen.issued);
  EXPECT_EQ(seen.router.completed(), seen.issued);
  EXPECT_EQ(seen.router.open(), 0u);
  EXPECT_EQ(seen.gap_tokens, seen.tokens - seen.issued);  // a request of n tokens has n - 1 gaps
  EXPECT_GT(seen.prefix_hits, 0u);
}

TEST(Traffic, IsTheSameWhetherEnginesFastForwardOrStep) {
  Traffic fast(true);
  Traffic single(false);
  fast.run();
  single.run();
  EXPECT_EQ(fast.seen.ends, single.seen.ends);
  EXPECT_LT(fast.runtime().delivered(), single.runtime().delivered());
}

TEST(Traffic, OfAKilledReplicaGoesToTheOthersUntilItsFirstToken) {
  Traffic traffic;
  traffic.runtime().inject(address_of(node(1)), Payload::of(workload::FailGpu{}),
                           from_ns(Duration(20s).count()));
  traffic.run();
  const Seen& seen = traffic.seen;
  // The slice never changes here, so nobody checks the connections that were open: those clients
  // hang up in the end, and whatever comes later is refused and served elsewhere.
  const std::uint64_t lost = seen.outcomes.contains(facts::RequestEnded::TIMED_OUT)
                                 ? seen.outcomes.at(facts::RequestEnded::TIMED_OUT)
                                 : 0;
  EXPECT_LT(lost, 60u);
  EXPECT_EQ(completed(seen) + lost, seen.issued);
  EXPECT_EQ(seen.router.cancelled(), lost);
}

TEST(Traffic, OfADrainedReplicaLosesNothing) {
  Traffic traffic;
  workload::Terminate terminate;
  terminate.set_grace_ns(Duration(120s).count());
  traffic.runtime().inject(address_of(node(1)), Payload::of(std::move(terminate)),
                           from_ns(Duration(20s).count()));
  traffic.run();
  EXPECT_EQ(completed(traffic.seen), traffic.seen.issued);
}

TEST(Traffic, HasTheSameDigestTwice) {
  Traffic first;
  Traffic second;
  first.run();
  second.run();
  EXPECT_EQ(first.runtime().digest(), second.runtime().digest());
}

}  // namespace
}  // namespace troupe::serving
