#include "emulator/processes/crew.h"

#include <algorithm>
#include <thread>

#include "emulator/processes/build_id.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using transport::FrameSocket;

constexpr std::size_t kPlanPart = std::size_t{16} << 20;
constexpr auto kPing = std::chrono::seconds(1);
// Long enough to notice a death soon, short enough to see a signal at once.
constexpr auto kListen = milliseconds(200);
// A worker that has been told to end has nothing left to do.
constexpr auto kEnding = milliseconds(1000);

}  // namespace

Result<std::unique_ptr<Crew>> Crew::assemble(const plan::RunPlan& plan,
                                             const CrewOptions& options) {
  std::unique_ptr<Crew> crew(new Crew(options));
  if (const Result<void> bound = crew->listen(); !bound) return tl::unexpected(bound.error());
  if (const Result<void> spawned = crew->spawn(); !spawned) {
    return tl::unexpected(spawned.error());
  }
  if (const Result<void> met = crew->meet(plan); !met) return tl::unexpected(met.error());
  return crew;
}

Crew::Crew(CrewOptions options)
    : options_(std::move(options)),
      build_(build_id(options_.program)),
      hub_(context_, transport::Role::Hub) {}

Crew::~Crew() {
  wire::Message over;
  over.mutable_finish();
  for (const Member& member : members_) hub_.send(over, member.peer);
  const auto until = std::chrono::steady_clock::now() + kEnding;
  for (ChildProcess& child : children_) {
    child.end_within(std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(
                                                   until - std::chrono::steady_clock::now())));
  }
}

Result<void> Crew::listen() {
  if (options_.listen.empty()) {
    Result<SocketFolder> folder = SocketFolder::create();
    if (!folder) return tl::unexpected(folder.error());
    folder_.emplace(*std::move(folder));
  }
  Result<std::string> bound =
      hub_.bind(options_.listen.empty() ? folder_->endpoint("launcher") : options_.listen);
  if (!bound) return tl::unexpected(bound.error());
  endpoint_ = *std::move(bound);
  return {};
}

Result<void> Crew::spawn() {
  for (std::uint32_t i = 0; i < options_.spawned; ++i) {
    Result<ChildProcess> child =
        ChildProcess::start(options_.program, {"worker", "--join", endpoint_});
    if (!child) return tl::unexpected(child.error());
    children_.push_back(*std::move(child));
  }
  return {};
}

Result<void> Crew::meet(const plan::RunPlan& plan) {
  const std::uint32_t others = options_.processes - options_.spawned;
  if (others > 0 && options_.tell) {
    options_.tell("waiting for " + std::to_string(others) + (others == 1 ? " worker" : " workers") +
                  ": troupe worker --join " + endpoint_);
  }
  std::uint32_t joined = 0;  // each says where it can be reached once it has the plan
  while (joined < options_.processes) {
    if (options_.stop != nullptr && options_.stop->load()) return fail("stopped while it waited");
    if (auto lost = loss()) return fail(*lost + " before all had joined");
    const std::optional<transport::Received> received = hub_.receive(kListen);
    ping();
    if (!received) continue;
    const auto member = find(received->from);
    if (member == members_.end()) {
      admit(*received, plan);
    } else if (received->message.has_joined()) {
      member->endpoint = received->message.joined().endpoint();
      ++joined;
    }
  }
  wire::Message peers;
  for (const Member& member : members_) peers.mutable_peers()->add_endpoints(member.endpoint);
  for (std::uint32_t i = 0; i < members_.size(); ++i) send(i, peers);
  return {};
}

std::vector<Member>::iterator Crew::find(const std::string& peer) {
  return std::find_if(members_.begin(), members_.end(),
                      [&peer](const Member& member) { return member.peer == peer; });
}

void Crew::admit(const transport::Received& received, const plan::RunPlan& plan) {
  if (!received.message.has_hello()) return;
  const wire::Hello& hello = received.message.hello();
  if (members_.size() == options_.processes)
    return refuse(received.from, "the run has all its workers");
  wire::Message answer;
  if (hello.build() != build_) {
    refuse(received.from, "it is another build of troupe (" + hello.program() +
                              "): all processes of a run must be of one build");
    if (options_.tell) options_.tell("refused a worker of another build on " + hello.host());
    return;
  }
  const auto process = static_cast<std::uint32_t>(members_.size());
  wire::Welcome& welcome = *answer.mutable_welcome();
  welcome.set_process(process);
  welcome.set_processes(options_.processes);
  welcome.set_lookahead_ns(options_.lookahead.count());
  if (folder_) welcome.set_folder(folder_->path().string());
  hub_.send(answer, received.from);
  const std::string bytes = plan.SerializeAsString();
  for (std::size_t at = 0; at == 0 || at < bytes.size(); at += kPlanPart) {
    wire::Message part;
    part.mutable_plan_part()->set_part(bytes.substr(at, kPlanPart));
    part.mutable_plan_part()->set_last(at + kPlanPart >= bytes.size());
    hub_.send(part, received.from);
  }
  members_.push_back({received.from,
                      "process " + std::to_string(process) + " (pid " +
                          std::to_string(hello.pid()) + " on " + hello.host() + ")",
                      ""});
  if (options_.tell) options_.tell(members_.back().name + " has joined");
}

void Crew::refuse(const std::string& peer, const std::string& why) {
  wire::Message answer;
  answer.mutable_refused()->set_why(why);
  hub_.send(answer, peer);
}

void Crew::send(std::uint32_t process, const wire::Message& message) {
  while (!lost_) {
    switch (hub_.send(message, members_.at(process).peer)) {
      case FrameSocket::Sent::Yes:
        return;
      case FrameSocket::Sent::Full:
        std::this_thread::sleep_for(milliseconds(1));
        break;
      case FrameSocket::Sent::Gone:
        lost_ = members_.at(process).name + ": the connection is gone";
        break;
    }
  }
}

std::optional<Crew::Heard> Crew::hear() {
  const std::optional<transport::Received> received = hub_.receive(kListen);
  ping();
  if (!received) return std::nullopt;
  const auto member = find(received->from);
  if (member == members_.end()) {
    refuse(received->from, "the run has all its workers");
    return std::nullopt;
  }
  return Heard{static_cast<std::uint32_t>(member - members_.begin()), received->message};
}

void Crew::ping() {
  const auto now = std::chrono::steady_clock::now();
  if (now - pinged_ < kPing) return;
  pinged_ = now;
  wire::Message ping;
  ping.mutable_ping();
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    if (hub_.send(ping, members_[i].peer) == FrameSocket::Sent::Gone && !lost_) {
      lost_ = members_[i].name + ": the connection is gone";
    }
  }
}

// How a child ended says more than that its connection is gone.
std::optional<std::string> Crew::loss() {
  for (ChildProcess& child : children_) {
    if (!child.ended()) continue;
    const std::string pid = "pid " + std::to_string(child.pid());
    const auto member = std::find_if(members_.begin(), members_.end(), [&pid](const Member& one) {
      return one.name.find("(" + pid + " on") != std::string::npos;
    });
    const std::string name = member == members_.end() ? "a worker (" + pid + ")" : member->name;
    return name + ": " + *child.ended();
  }
  return lost_;
}

}  // namespace troupe
