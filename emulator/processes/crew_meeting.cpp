// How a crew comes together: who is let in, what each is told, and what is said of it meanwhile.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "emulator/processes/crew.h"

namespace troupe {
namespace {

constexpr std::size_t kPlanPart = std::size_t{16} << 20;
constexpr auto kListen = std::chrono::milliseconds(200);
constexpr auto kRemind = std::chrono::seconds(30);

std::string own_host() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

// "process 2 (pid 71 on gpu-test, 10.0.0.7)"
std::string name_of(std::uint32_t process, const wire::Hello& hello, const std::string& address) {
  return "process " + std::to_string(process) + " (pid " + std::to_string(hello.pid()) + " on " +
         hello.host() + (address.empty() ? "" : ", " + address) + ")";
}

}  // namespace

Result<void> Crew::meet(const plan::RunPlan& plan) {
  const std::string bytes = plan.SerializeAsString();
  tell_of_missing();
  auto reminded = std::chrono::steady_clock::now();
  const auto ready = [this] {
    return static_cast<std::size_t>(
               std::count_if(members_.begin(), members_.end(), [](const Member& member) {
                 return !member.endpoint.empty();
               })) == options_.processes;
  };
  while (!ready()) {
    if (options_.stop != nullptr && options_.stop->load()) return fail("stopped while it waited");
    if (auto lost = loss()) return fail(*lost + " before all had joined");
    if (std::chrono::steady_clock::now() - reminded > kRemind) {
      reminded = std::chrono::steady_clock::now();
      tell_of_missing();
    }
    const std::optional<transport::Received> received = hub_.receive(kListen);
    ping();
    if (received) hear_newcomer(*received, bytes);
  }
  assembled_ = true;
  wire::Message peers;
  for (const Member& member : members_) peers.mutable_peers()->add_endpoints(member.endpoint);
  for (std::uint32_t i = 0; i < members_.size(); ++i) send(i, peers);
  return {};
}

// Those that are started here need no call.
void Crew::tell_of_missing() {
  const auto there = static_cast<std::uint32_t>(std::count_if(
      members_.begin(), members_.end(),
      [](const Member& member) { return !member.peer.empty() && member.child == 0; }));
  const std::uint32_t others = options_.processes - options_.spawned;
  if (there < others) {
    const std::uint32_t missing = others - there;
    tell("waiting for " + std::to_string(missing) + (missing == 1 ? " worker" : " workers") +
         ": troupe worker --join " + endpoint_ + (options_.keys ? " --keys FILE" : ""));
  }
  for (const Member& member : members_) {
    if (!member.peer.empty() && member.endpoint.empty()) tell(member.name + " is not ready yet");
  }
}

void Crew::hear_newcomer(const transport::Received& received, const std::string& plan) {
  const wire::Message& message = received.message;
  const auto member = find(received.from);
  if (member == members_.end()) {
    if (message.has_hello()) return admit(received, plan);
    return refuse_message();
  }
  if (message.has_joined() && member->endpoint.empty()) {
    return make_ready(static_cast<std::uint32_t>(member - members_.begin()),
                      message.joined().endpoint());
  }
  if (message.has_leave()) {
    tell(member->name + " has left: " + message.leave().why());
    if (member->child != 0) lost_ = member->name + ": " + message.leave().why();
    *member = Member{};
    return;
  }
  refuse_message();
}

std::vector<Member>::iterator Crew::find(const std::string& peer) {
  return std::find_if(members_.begin(), members_.end(),
                      [&peer](const Member& member) { return member.peer == peer; });
}

void Crew::admit(const transport::Received& received, const std::string& plan) {
  const wire::Hello& hello = received.message.hello();
  if (hello.build() != build_) {
    refuse(received.from, "it is another build of troupe (" + hello.program() +
                              "): all processes of a run must be of one build");
    tell("refused a worker of another build on " + hello.host());
    return;
  }
  auto place = find("");  // that of one that left
  if (place == members_.end()) {
    if (members_.size() == options_.processes) {
      return refuse(received.from, "the run has all its workers");
    }
    place = members_.insert(members_.end(), Member{});
  }
  const auto process = static_cast<std::uint32_t>(place - members_.begin());
  place->peer = received.from;
  place->name = name_of(process, hello, received.address);
  for (const ChildProcess& child : children_) {
    if (child.pid() == hello.pid() && hello.host() == own_host()) place->child = child.pid();
  }
  welcome(process, received.from, plan);
  tell(place->name + " has joined");
}

void Crew::welcome(std::uint32_t process, const std::string& peer, const std::string& plan) {
  wire::Message answer;
  wire::Welcome& welcome = *answer.mutable_welcome();
  welcome.set_process(process);
  welcome.set_processes(options_.processes);
  welcome.set_lookahead_ns(options_.lookahead.count());
  if (folder_) welcome.set_folder(folder_->path().string());
  hub_.send(answer, peer);
  for (std::size_t at = 0; at == 0 || at < plan.size(); at += kPlanPart) {
    wire::Message part;
    part.mutable_plan_part()->set_part(plan.substr(at, kPlanPart));
    part.mutable_plan_part()->set_last(at + kPlanPart >= plan.size());
    hub_.send(part, peer);
  }
}

// The others will write there: only what a worker of this run can have.
void Crew::make_ready(std::uint32_t process, const std::string& endpoint) {
  const bool sensible = folder_ ? endpoint == folder_->endpoint("worker-" + std::to_string(process))
                                : endpoint.starts_with("tcp://");
  if (!sensible) return refuse_message();
  members_[process].endpoint = endpoint;
}

void Crew::refuse(const std::string& peer, const std::string& why) {
  wire::Message answer;
  answer.mutable_refused()->set_why(why);
  hub_.send(answer, peer);
}

}  // namespace troupe
