#include "emulator/processes/crew.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "emulator/processes/build_id.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using transport::FrameSocket;

constexpr auto kPing = std::chrono::seconds(1);
// Long enough to notice a death soon, short enough to see a signal at once.
constexpr auto kListen = milliseconds(200);
// A worker that is stopped sends no heartbeat: ZeroMQ gives its connection up after ten seconds.
constexpr const char* kGone = ": its connection is gone: it died, was stopped, or is cut off";
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
      hub_(context_, transport::Role::Hub, keys()) {
  if (options_.keys) gatekeeper_.emplace(context_, options_.keys->public_half);
}

Crew::~Crew() {
  wire::Message over;
  over.mutable_finish();
  for (const Member& member : members_) {
    if (!member.peer.empty()) hub_.send(over, member.peer);
  }
  const auto until = std::chrono::steady_clock::now() + kEnding;
  for (ChildProcess& child : children_) {
    child.end_within(std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(
                                                   until - std::chrono::steady_clock::now())));
  }
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
  for (std::uint32_t i = 0; i < options_.spawned; ++i) {
    Result<ChildProcess> child = ChildProcess::start(options_.program, arguments);
    if (!child) return tl::unexpected(child.error());
    children_.push_back(*std::move(child));
  }
  return {};
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
        lost_ = members_.at(process).name + kGone;
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
    if (received->message.has_hello()) {
      refuse(received->from, "the run has all its workers");
    } else {
      refuse_message();
    }
    return std::nullopt;
  }
  if (received->message.has_leave()) {
    lost_ = member->name + ": " + received->message.leave().why();
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
  for (Member& member : members_) {
    if (member.peer.empty() || hub_.send(ping, member.peer) != FrameSocket::Sent::Gone) continue;
    if (assembled_ || member.child != 0) {
      if (!lost_) lost_ = member.name + kGone;
    } else {
      tell(member.name + " has left");
      member = Member{};
    }
  }
  tell_of_refused();
}

// Said once they are no more: one that is in the middle of its handshake has not been refused yet.
void Crew::tell_of_refused() {
  const std::uint64_t refused = hub_.refused().peers;
  if (refused == std::exchange(refused_peers_, refused) && refused > told_refused_) {
    tell("refused " + std::to_string(refused - told_refused_) + " at " + endpoint_ +
         ": without the keys of this run");
    told_refused_ = refused;
  }
}

// How a child ended says more than that its connection is gone.
std::optional<std::string> Crew::loss() {
  for (ChildProcess& child : children_) {
    if (!child.ended()) continue;
    const auto member = std::find_if(members_.begin(), members_.end(), [&child](const Member& one) {
      return one.child == child.pid();
    });
    const std::string name = member == members_.end()
                                 ? "a worker (pid " + std::to_string(child.pid()) + ")"
                                 : member->name;
    return name + ": " + *child.ended();
  }
  return lost_;
}

}  // namespace troupe
