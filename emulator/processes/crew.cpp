#include "emulator/processes/crew.h"

#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include "emulator/processes/build_id.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using transport::FrameSocket;

constexpr auto kPing = std::chrono::seconds(1);
// A worker that is stopped sends no heartbeat: ZeroMQ gives its connection up after ten seconds.
constexpr const char* kGone = "its connection is gone: it died, was stopped, or is cut off";
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
      hub_(context_, transport::Role::Hub, keys()),
      members_(options_.processes) {
  if (options_.keys) gatekeeper_.emplace(context_, options_.keys->public_half);
}

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

// Only a network needs no folder: workers of this machine have their own sockets in it.
Result<void> Crew::listen() {
  if (!options_.listen.starts_with("tcp://")) {
    Result<SocketFolder> folder = SocketFolder::create();
    if (!folder) return tl::unexpected(folder.error());
    folder_.emplace(*std::move(folder));
  } else if (!options_.keys) {
    return fail("is a network: it needs the run's keys", options_.listen);
  }
  Result<std::string> bound =
      hub_.bind(options_.listen.empty() ? folder_->endpoint("launcher") : options_.listen);
  if (!bound) return tl::unexpected(bound.error());
  endpoint_ = *std::move(bound);
  return {};
}

Result<void> Crew::spawn() {
  std::vector<std::string> arguments = {"worker", "--join", endpoint_};
  if (options_.keys) arguments.insert(arguments.end(), {"--keys", options_.keys_file});
  Result<ChildProcess> child = ChildProcess::start(options_.program, arguments);
  if (!child) return tl::unexpected(child.error());
  children_.push_back(*std::move(child));
  return {};
}

std::optional<Crew::Heard> Crew::hear(milliseconds patience) {
  std::optional<transport::Received> received = hub_.receive(patience);
  ping();
  if (!received) return std::nullopt;
  wire::Message& message = received->message;
  Member* const member = find(received->from);
  if (member == nullptr) {
    if (message.has_hello()) {
      admit(*received);
    } else {
      refuse_message();
    }
    return std::nullopt;
  }
  if (message.has_leave()) {
    leave(*member, message.leave().why());
    return std::nullopt;
  }
  // Whoever has not joined says nothing else, and says it once.
  const bool sensible =
      message.has_joined() ? join(*member, message.joined().endpoint()) : !member->endpoint.empty();
  if (!sensible) {
    refuse_message();
    return std::nullopt;
  }
  return Heard{place_of(*member), std::move(message)};
}

FrameSocket::Sent Crew::try_send(Member& member, const wire::Message& message) {
  if (member.peer.empty()) return FrameSocket::Sent::Gone;
  return member.inbox ? member.inbox->send(message) : hub_.send(message, member.peer);
}

void Crew::send(std::uint32_t process, const wire::Message& message) {
  Member& member = members_.at(process);
  while (member.gone.empty()) {
    const FrameSocket::Sent sent = try_send(member, message);
    if (sent == FrameSocket::Sent::Gone && !member.peer.empty()) member.gone = kGone;
    if (sent != FrameSocket::Sent::Full) return;
    if (options_.stop != nullptr && options_.stop->load()) return;
    ping();  // which notices that it is gone
    std::this_thread::sleep_for(milliseconds(1));
  }
}

// The hub knows who is connected, of a live run too.
void Crew::ping() {
  const auto now = std::chrono::steady_clock::now();
  if (now - pinged_ < kPing) return;
  pinged_ = now;
  wire::Message ping;
  ping.mutable_ping();
  for (Member& member : members_) {
    if (member.peer.empty()) continue;
    if (hub_.send(ping, member.peer) == FrameSocket::Sent::Gone) {
      leave(member, kGone);
    } else if (member.inbox) {
      member.inbox->send(ping);
    }
  }
  tell_of_refused();
}

// How a child ended says more than that its connection is gone.
std::optional<Crew::Loss> Crew::loss() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    if (!child->ended()) continue;
    const pid_t pid = child->pid();
    const std::string how = *child->ended();
    children_.erase(child);
    for (Member& member : members_) {
      if (member.peer.empty() || member.child != pid) continue;
      // What it said itself when it left says most.
      const bool has_said = !member.gone.empty() && member.gone != kGone;
      return vacate(member, has_said ? member.gone + " (" + how + ")" : how);
    }
    return Loss{std::nullopt, "a worker (pid " + std::to_string(pid) + "): " + how};
  }
  for (Member& member : members_) {
    if (!member.gone.empty()) return vacate(member, member.gone);
  }
  return std::nullopt;
}

// One that was started here and only seems to be gone must not go on writing.
Crew::Loss Crew::vacate(Member& member, const std::string& how) {
  Loss loss{place_of(member), member.name + ": " + how};
  std::erase_if(children_,
                [&member](const ChildProcess& child) { return child.pid() == member.child; });
  member.peer.clear();
  member.endpoint.clear();
  member.gone.clear();
  member.child = 0;
  member.inbox.reset();
  ++member.epoch;
  return loss;
}

Result<void> Crew::replace(std::uint32_t process) {
  const std::string place = "process " + std::to_string(process);
  if (members_.at(process).dialled_in) {
    tell("waiting for a successor of " + place + ": " + invitation());
    return {};
  }
  tell("starting a successor of " + place);
  return spawn();
}

void Crew::signal(std::uint32_t process, int what) {
  for (ChildProcess& child : children_) {
    if (child.pid() == members_.at(process).child) child.signal(what);
  }
}

void Crew::fill_disk(std::uint32_t process, bool is_full) {
  members_.at(process).disk_is_full = is_full;
  wire::Message message;
  message.mutable_disk()->set_is_full(is_full);
  send(process, message);
}

}  // namespace troupe
