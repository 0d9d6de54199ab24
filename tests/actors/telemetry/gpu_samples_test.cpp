#include "actors/telemetry/gpu_samples.h"

#include <gtest/gtest.h>

#include "actors/telemetry/dcgm_exporter.h"
#include "tests/actors/telemetry/telemetry_harness.h"
#include "tests/support/fake_context.h"

namespace troupe::telemetry {
namespace {

using namespace harness;
using troupe::testing::FakeContext;

GpuSample reading(Duration busy, std::uint32_t gpu = 0) {
  GpuSample sample;
  sample.set_gpu(gpu);
  sample.set_uuid("GPU-" + std::to_string(gpu));
  sample.set_busy_ns(busy.count());
  sample.set_memory_used_mib(72'000);
  sample.set_memory_total_mib(81'559);
  sample.set_healthy(true);
  return sample;
}

const Sample* find(const std::vector<Sample>& samples, const std::string& name) {
  for (const Sample& one : samples) {
    if (one.name() == name) return &one;
  }
  return nullptr;
}

// The samples of one node "n", collected after one another.
class Node {
 public:
  void collect(const GpuSample& gpu, SimTime now, std::vector<Sample>& samples) {
    const auto read = sampler_.read(std::make_shared<const GpuSample>(gpu), now);
    if (read) append_samples(*read, "n", samples);
  }

 private:
  GpuSampler sampler_;
};

TEST(GpuSampler, TheDutyCycleIsTheBusyShareOfTheTimeSinceTheLastReading) {
  Node node;
  std::vector<Sample> first;
  node.collect(reading(10s), at(30s), first);
  EXPECT_EQ(find(first, "DCGM_FI_DEV_GPU_UTIL"), nullptr);  // one reading has no rate
  std::vector<Sample> second;
  node.collect(reading(10s + 24s), at(60s), second);
  EXPECT_EQ(find(second, "DCGM_FI_DEV_GPU_UTIL")->value(), 80);  // 24 of 30 s
}

TEST(GpuSampler, OneStreamKeepsAGpuAtAHundred) {
  Node node;
  std::vector<Sample> samples;
  node.collect(reading(0s), at(0s), samples);
  node.collect(reading(30s), at(30s), samples);
  EXPECT_EQ(find(samples, "DCGM_FI_DEV_GPU_UTIL")->value(), 100);
}

TEST(GpuSampler, MemoryShowsWhatIsReserved) {
  Node node;
  std::vector<Sample> samples;
  node.collect(reading(0s), at(0s), samples);
  EXPECT_EQ(find(samples, "DCGM_FI_DEV_FB_USED")->value(), 72'000);
  EXPECT_EQ(find(samples, "DCGM_FI_DEV_FB_FREE")->value(), 9'559);
}

TEST(GpuSampler, EachHolderOfASharedGpuHasItsSeries) {
  Node node;
  GpuSample gpu = reading(0s);
  for (const char* pod : {"a", "b"}) {
    GpuHolder* holder = gpu.add_holders();
    holder->set_namespace_("prod");
    holder->set_pod(pod);
    holder->set_container("main");
  }
  std::vector<Sample> samples;
  node.collect(gpu, at(0s), samples);
  ASSERT_EQ(samples.size(), 4u);  // used and free, for a and b
  const LabelSet labels(samples[1].labels());
  EXPECT_EQ(*labels.find("pod"), "b");
  EXPECT_EQ(*labels.find("namespace"), "prod");
  EXPECT_EQ(*labels.find("container"), "main");
  EXPECT_EQ(*labels.find("Hostname"), "n");
  EXPECT_EQ(*labels.find("UUID"), "GPU-0");
  EXPECT_EQ(*labels.find("gpu"), "0");
}

TEST(GpuSampler, AGpuThatFellOffTheBusShowsNothing) {
  Node node;
  GpuSample gpu = reading(0s);
  std::vector<Sample> samples;
  node.collect(gpu, at(0s), samples);
  samples.clear();
  gpu.set_healthy(false);
  node.collect(gpu, at(30s), samples);
  EXPECT_TRUE(samples.empty());
}

TEST(GpuSampler, AResetCounterHasNoDutyCycle) {
  Node node;
  std::vector<Sample> samples;
  node.collect(reading(20s), at(30s), samples);
  node.collect(reading(1s), at(60s), samples);
  EXPECT_EQ(find(samples, "DCGM_FI_DEV_GPU_UTIL"), nullptr);
  node.collect(reading(16s), at(90s), samples);
  EXPECT_EQ(find(samples, "DCGM_FI_DEV_GPU_UTIL")->value(), 50);  // 15 of 30 s
}

class Exporter : public ::testing::Test {
 protected:
  Exporter() { context.fixed_random = 0; }  // its first look is at its start

  void collect(Duration busy) {
    const auto timer = context.next_timer();
    actor.receive(context, *timer);
    const auto* request = context.last_sent<GpuSampleRequest>().as<GpuSampleRequest>();
    for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
      GpuSample sample = reading(busy, gpu);
      sample.set_request_id(request->request_id());
      actor.receive(context, context.deliver(Payload::of(sample), "node/n/gpu/0"));
    }
  }
  [[nodiscard]] Payload scrape() {
    ScrapeRequest request;
    request.set_request_id(9);
    actor.receive(context, context.deliver(Payload::of(request), "telemetry/0/prometheus"));
    return context.last_sent<ScrapeReply>();
  }

  FakeContext context{"node/n/dcgm-exporter"};
  DcgmExporterActor actor{{.node = "n", .gpus = 2}};
};

TEST_F(Exporter, ShowsItsLastReadingAndNotThePresent) {
  actor.start(context);
  collect(0s);
  collect(15s);  // at 30 s
  context.advance(29s);
  const Payload payload = scrape();
  const auto* reply = payload.as<ScrapeReply>();
  EXPECT_EQ(reply->request_id(), 9u);
  ASSERT_EQ(reply->samples_size(), 6);  // three for each GPU
  EXPECT_EQ(reply->samples(0).name(), "DCGM_FI_DEV_GPU_UTIL");
  EXPECT_EQ(reply->samples(0).value(), 50);
}

TEST_F(Exporter, IsEmptyBeforeItsFirstReading) {
  actor.start(context);
  EXPECT_EQ(scrape().as<ScrapeReply>()->samples_size(), 0);
}

TEST_F(Exporter, LooksAtEachOfItsGpusEveryPeriod) {
  actor.start(context);
  collect(0s);
  const std::size_t first = context.sent_of<GpuSampleRequest>().size();
  EXPECT_EQ(first, 2u);
  EXPECT_EQ(context.timers.front().due, at(30s));
}

TEST_F(Exporter, DropsTheAnswerToAnEarlierLook) {
  actor.start(context);
  collect(0s);
  collect(15s);
  GpuSample late = reading(30s, 0);
  late.set_request_id(1);
  actor.receive(context, context.deliver(Payload::of(late), "node/n/gpu/0"));
  EXPECT_EQ(scrape().as<ScrapeReply>()->samples_size(), 6);
}

}  // namespace
}  // namespace troupe::telemetry
