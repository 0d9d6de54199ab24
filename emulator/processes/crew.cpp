#include "emulator/processes/crew.h"

#include <algorithm>
#include <filesystem>
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
// A worker that has been told to end has nothing left to do but to close its files.
constexpr auto kEnding = milliseconds(1500);

}  // namespace

Result<std::unique_ptr<Crew>> Crew::assemble(const plan::RunPlan& plan,
                                             const CrewOptions& options) {
  std::unique_ptr<Crew> crew(new Crew(plan, options));
  if (const Result<void> bound = crew->listen(); !bound) return tl::unexpected(bound.error());
  for (std::uint32_t i = 0; i < options.spawned; ++i) {
    if (const Result<void> spawned = crew->spawn(); !spawned) {
      return tl::unexpected(spawned.error());
    }
  }
  if (const Result<void> met = crew->meet(); !met) return tl::unexpected(met.error());
  return crew;
}

Crew::Crew(const plan::RunPlan& plan, CrewOptions options)
    : options_(std::move(options)),
      plan_(plan.SerializeAsString()),
      build_(build_id(options_.program)),
      hub_(context_, transport::Role::Hub),
      members_(options_.processes) {}

Crew::~Crew() {
  wire::Message over;
  over.mutable_finish();
  for (Member& member : members_) {
    if (member.peer.empty()) continue;
    hub_.send(over, member.peer);
    if (member.inbox) member.inbox->send(over);
  }
  const auto until = std::chrono::steady_clock::now() + kEnding;
  for (ChildProcess& child : children_) {
    child.end_within(std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(
                                                   until - std::chrono::steady_clock::now())));
  }
  // The folder of sockets goes by itself; a socket that was asked for is a file of its own.
  std::error_code ignored;
  constexpr std::string_view kIpc = "ipc://";
  if (endpoint_.starts_with(kIpc)) std::filesystem::remove(endpoint_.substr(kIpc.size()), ignored);
}

Result<void> Crew::listen() {
  Result<SocketFolder> folder = SocketFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  folder_.emplace(*std::move(folder));
  Result<std::string> bound =
      hub_.bind(options_.listen.empty() ? folder_->endpoint("launcher") : options_.listen);
  if (!bound) return tl::unexpected(bound.error());
  endpoint_ = *std::move(bound);
  return {};
}

Result<void> Crew::spawn() {
  Result<ChildProcess> child =
      ChildProcess::start(options_.program, {"worker", "--join", endpoint_});
  if (!child) return tl::unexpected(child.error());
  children_.push_back(*std::move(child));
  return {};
}

Result<void> Crew::meet() {
  const std::uint32_t others = options_.processes - options_.spawned;
  if (others > 0) {
    tell("waiting for " + std::to_string(others) + (others == 1 ? " worker" : " workers") +
         ": troupe worker --join " + endpoint_);
  }
  const auto all_joined = [this] {
    return std::ranges::none_of(members_,
                                [](const Member& member) { return member.endpoint.empty(); });
  };
  while (!all_joined()) {
    if (options_.stop != nullptr && options_.stop->load()) return fail("stopped while it waited");
    if (const auto lost = loss()) return fail(lost->how + " before all had joined");
    static_cast<void>(hear(kListen));
  }
  assembled_ = true;
  for (Member& member : members_) introduce(member);
  return {};
}

std::optional<Crew::Heard> Crew::hear(milliseconds patience) {
  std::optional<transport::Received> received = hub_.receive(patience);
  ping();
  if (!received) return std::nullopt;
  Member* const member = find(received->from);
  if (member == nullptr) {
    admit(*received);
    return std::nullopt;
  }
  if (received->message.has_joined()) join(*member, received->message.joined().endpoint());
  return Heard{place_of(*member), std::move(received->message)};
}

void Crew::admit(const transport::Received& received) {
  if (!received.message.has_hello()) return;
  const wire::Hello& hello = received.message.hello();
  Member* const member = find({});
  if (member == nullptr) return refuse(received.from, "the run has all its workers");
  if (hello.build() != build_) {
    refuse(received.from, "it is another build of troupe (" + hello.program() +
                              "): all processes of a run must be of one build");
    return tell("refused a worker of another build on " + hello.host());
  }
  member->peer = received.from;
  member->pid = hello.pid();
  member->name = "process " + std::to_string(place_of(*member)) + " (pid " +
                 std::to_string(hello.pid()) + " on " + hello.host() + ")";
  wire::Message answer;
  wire::Welcome& welcome = *answer.mutable_welcome();
  welcome.set_process(place_of(*member));
  welcome.set_processes(options_.processes);
  welcome.set_lookahead_ns(options_.lookahead.count());
  if (folder_) welcome.set_folder(folder_->path().string());
  if (is_live()) {
    welcome.mutable_live()->set_directory(options_.live_directory);
    welcome.mutable_live()->set_epoch(member->epoch);
  }
  hub_.send(answer, received.from);
  for (std::size_t at = 0; at == 0 || at < plan_.size(); at += kPlanPart) {
    wire::Message part;
    part.mutable_plan_part()->set_part(plan_.substr(at, kPlanPart));
    part.mutable_plan_part()->set_last(at + kPlanPart >= plan_.size());
    hub_.send(part, received.from);
  }
}

void Crew::join(Member& member, const std::string& endpoint) {
  member.endpoint = endpoint;
  if (is_live()) {
    member.inbox.emplace(context_, transport::Role::Outbox);
    static_cast<void>(member.inbox->connect(endpoint));  // which the worker has bound
  }
  tell(member.name + (member.epoch == 0 ? " has joined" : " has taken its place"));
  if (assembled_) introduce(member);
}

void Crew::introduce(Member& member) {
  wire::Message peers;
  for (const Member& one : members_) peers.mutable_peers()->add_endpoints(one.endpoint);
  hub_.send(peers, member.peer);
}

void Crew::refuse(const std::string& peer, const std::string& why) {
  wire::Message answer;
  answer.mutable_refused()->set_why(why);
  hub_.send(answer, peer);
}

Crew::Member* Crew::find(const std::string& peer) {
  const auto member =
      std::ranges::find_if(members_, [&peer](const Member& one) { return one.peer == peer; });
  return member == members_.end() ? nullptr : &*member;
}

FrameSocket::Sent Crew::try_send(Member& member, const wire::Message& message) {
  if (member.peer.empty()) return FrameSocket::Sent::Gone;
  return member.inbox ? member.inbox->send(message) : hub_.send(message, member.peer);
}

void Crew::send(std::uint32_t process, const wire::Message& message) {
  while (try_send(members_.at(process), message) == FrameSocket::Sent::Full) {
    if (options_.stop != nullptr && options_.stop->load()) return;
    std::this_thread::sleep_for(milliseconds(1));
  }
}

void Crew::ping() {
  const auto now = std::chrono::steady_clock::now();
  if (now - pinged_ < kPing) return;
  pinged_ = now;
  wire::Message ping;
  ping.mutable_ping();
  for (Member& member : members_) try_send(member, ping);
}

std::optional<Crew::Loss> Crew::loss() {
  const auto leave = [this](Member& member, const std::string& how) {
    Loss loss{place_of(member), member.name + ": " + how};
    member.peer.clear();
    member.endpoint.clear();
    member.inbox.reset();
    ++member.epoch;
    return loss;
  };
  // How a child ended says more than that its connection is gone.
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    if (!child->ended()) continue;
    const std::int64_t pid = child->pid();
    const std::string how = *child->ended();
    children_.erase(child);
    for (Member& member : members_) {
      if (!member.peer.empty() && member.pid == pid) return leave(member, how);
    }
    return Loss{std::nullopt, "a worker (pid " + std::to_string(pid) + "): " + how};
  }
  wire::Message ping;
  ping.mutable_ping();
  for (Member& member : members_) {
    const bool is_child = std::ranges::any_of(
        children_, [&member](const ChildProcess& child) { return child.pid() == member.pid; });
    if (member.peer.empty() || is_child) continue;
    if (hub_.send(ping, member.peer) == FrameSocket::Sent::Gone) {
      return leave(member, "the connection is gone");
    }
  }
  return std::nullopt;
}

Result<void> Crew::replace(std::uint32_t process) {
  tell("starting a successor of process " + std::to_string(process));
  return spawn();
}

void Crew::tell(const std::string& line) const {
  if (options_.tell) options_.tell(line);
}

}  // namespace troupe
