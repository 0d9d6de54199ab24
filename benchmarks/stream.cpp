// A stream of events from one process to another over our transport, beside frames of the same size
// over a bare ZeroMQ PUSH and PULL; then how often a second the processes of a run can meet.
//   stream_bench TROUPE SCENARIO
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include <zmq.hpp>

#include "emulator/config/scenario_loader.h"
#include "emulator/processes/execute.h"
#include "emulator/processes/socket_folder.h"
#include "emulator/transport/frame_socket.h"
#include "messages/api.pb.h"
#include "messages/k8s/pod.pb.h"

namespace {

using namespace troupe;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr double kGoal = 0.60;
constexpr auto kPatience = std::chrono::milliseconds(5000);

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// A message that costs next to nothing to write and read: what is left is the transport's own.
Payload opaque() {
  wire::PlanPart part;
  part.set_part(std::string(200, 'x'));
  return Payload::of(std::move(part));
}

// A change of a pod as a watcher is told it: the message of which a run sends most.
Payload pod_change() {
  k8s::Pod pod;
  k8s::ObjectMeta& meta = *pod.mutable_metadata();
  meta.set_name("llama-70b-6c9f8d7b5-x2kqj");
  meta.set_namespace_("serving");
  meta.set_uid("0b1c7c2e-5d3f-4a55-9e0e-6f3e8a9d1c11");
  meta.set_resource_version("184467");
  for (const char* key : {"app", "pod-template-hash", "kai.scheduler/queue"}) {
    k8s::KeyValue& label = *meta.add_labels();
    label.set_key(key);
    label.set_value("llama-70b");
  }
  pod.mutable_spec()->set_node_name("gpu-a-17");
  api::WatchEvent event;
  event.set_watch_id(7);
  event.set_resource_version("184467");
  return Payload::of(std::move(event), {Payload::of(std::move(pod))});
}

Departure sample(const Payload& payload) {
  OrderKey key;
  key.time = from_ns(1'000'000'000);
  key.sender = 0x1234567890abcdef;
  key.sequence = 1000;
  return {key, {{1, 2, 1}, {payload, {3, 4, 1}, 0, 0}, Link::Watch}};
}

struct Stream {
  Payload payload;
  std::uint64_t frames;
  std::uint64_t events_a_frame;
};

// Runs `sender` in another process; what it returns is its exit code.
pid_t in_other_process(const std::function<void()>& sender) {
  const pid_t pid = fork();
  if (pid == 0) {
    sender();
    _exit(0);
  }
  return pid;
}

// Seconds from the first frame to the last, encoding and decoding included.
double ours(const std::string& endpoint, const Stream& stream) {
  const pid_t sender = in_other_process([&] {
    zmq::context_t context{1};
    transport::FrameSocket out(context, transport::Role::Outbox);
    if (!out.connect(endpoint)) _exit(3);
    const Departure one = sample(stream.payload);
    transport::BatchWriter batch(0);
    for (std::uint64_t i = 0; i < stream.frames; ++i) {
      for (std::uint64_t k = 0; k < stream.events_a_frame; ++k) batch.add(one);
      const std::string frame = batch.take();
      while (out.send_frame(frame) == transport::FrameSocket::Sent::Full) usleep(50);
    }
  });
  zmq::context_t context{1};
  transport::FrameSocket in(context, transport::Role::Inbox);
  if (!in.bind(endpoint)) return 0;
  Clock::time_point begin;
  std::uint64_t events = 0;
  for (std::uint64_t i = 0; i < stream.frames; ++i) {
    const auto received = in.receive(kPatience);
    if (!received) return 0;
    if (i == 0) begin = Clock::now();
    if (!received->batch) return 0;
    for (const std::string_view event : received->batch->events) {
      const Result<Departure> arrival = transport::decode_event(event);
      if (!arrival) return 0;
      ++events;
    }
  }
  const double took = seconds_since(begin);
  waitpid(sender, nullptr, 0);
  return events == stream.frames * stream.events_a_frame ? took : 0;
}

double bare(const std::string& endpoint, std::uint64_t frames, std::size_t size) {
  const pid_t sender = in_other_process([&] {
    zmq::context_t context{1};
    zmq::socket_t out(context, zmq::socket_type::push);
    out.connect(endpoint);
    const std::string frame(size, 'x');
    for (std::uint64_t i = 0; i < frames; ++i) out.send(zmq::buffer(frame), zmq::send_flags::none);
  });
  zmq::context_t context{1};
  zmq::socket_t in(context, zmq::socket_type::pull);
  in.bind(endpoint);
  Clock::time_point begin;
  zmq::message_t frame;
  for (std::uint64_t i = 0; i < frames; ++i) {
    if (!in.recv(frame, zmq::recv_flags::none)) return 0;
    if (i == 0) begin = Clock::now();
  }
  const double took = seconds_since(begin);
  waitpid(sender, nullptr, 0);
  return took;
}

// Frames whose events are so many.
bool compare(const SocketFolder& folder, const Stream& stream) {
  transport::BatchWriter batch(0);
  for (std::uint64_t k = 0; k < stream.events_a_frame; ++k) batch.add(sample(stream.payload));
  const std::size_t size = batch.take().size();
  const double mine = ours(folder.endpoint("ours"), stream);
  const double theirs = bare(folder.endpoint("bare"), stream.frames, size);
  const double events = static_cast<double>(stream.frames * stream.events_a_frame);
  const double megabytes = static_cast<double>(stream.frames * size) / 1e6;
  std::printf(
      "  %5lu events, %7zu bytes  %10.0f /s %7.0f MB/s   bare %10.0f /s %7.0f MB/s   %.2f\n",
      static_cast<unsigned long>(stream.events_a_frame), size, events / mine, megabytes / mine,
      events / theirs, megabytes / theirs, theirs / mine);
  return mine > 0 && theirs > 0;
}

bool meet(const std::string& program, const std::string& scenario) {
  const config::LoadedScenario loaded = config::load_scenario(scenario);
  if (!loaded.ok()) return false;
  for (const std::uint32_t processes : {2U, 4U, 8U}) {
    ExecuteOptions options;
    options.processes = processes;
    options.crew.processes = processes;
    options.crew.spawned = processes;
    options.crew.program = program;
    const Result<ExecuteResult> result = execute(loaded.plan, options);
    if (!result || result->defect) return false;
    const double windows = result->summary["windows"];
    const double wall = result->summary["wall_seconds"];
    std::printf("  %u processes  %8.0f windows in %6.2f s  %8.0f a second\n", processes, windows,
                wall, windows / wall);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s TROUPE SCENARIO\n", argv[0]);
    return 2;
  }
  const Result<SocketFolder> folder = SocketFolder::create();
  if (!folder) return 3;
  std::printf(
      "events from process to process, frames of one size over a bare PUSH and PULL (goal %.2f)\n",
      kGoal);
  bool fine = true;
  for (const auto& [name, payload] :
       {std::pair("a change of a pod, serialised once and told to many", pod_change()),
        std::pair("opaque messages of 200 bytes", opaque())}) {
    std::printf(" %s\n", name);
    for (const Stream& stream :
         {Stream{payload, 500'000, 1}, Stream{payload, 50'000, 16}, Stream{payload, 5'000, 256}}) {
      fine = compare(*folder, stream) && fine;
    }
  }
  std::printf("meetings of the processes of a run (%s)\n", argv[2]);
  fine = meet(argv[1], argv[2]) && fine;
  return fine ? 0 : 3;
}
