// How a crew comes together: who is let in, what each is told, and what is said of it meanwhile.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/processes/crew.h"
#include "emulator/processes/patience.h"

namespace troupe {
namespace {

constexpr std::size_t kPlanPart = std::size_t{16} << 20;
// Long enough to notice a death soon, short enough to see a signal at once.
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

Result<void> Crew::meet() {
  tell_of_missing();
  auto reminded = std::chrono::steady_clock::now();
  const auto all_joined = [this] {
    return std::ranges::none_of(members_,
                                [](const Member& member) { return member.endpoint.empty(); });
  };
  while (!all_joined()) {
    if (options_.stop != nullptr && options_.stop->load()) return fail("stopped while it waited");
    if (const auto lost = loss()) return fail(lost->how + " before all had joined");
    if (std::chrono::steady_clock::now() - reminded > kRemind) {
      reminded = std::chrono::steady_clock::now();
      tell_of_missing();
    }
    const std::optional<Heard> heard = hear(kListen);
    if (heard && !heard->message.has_joined()) refuse_message();
  }
  assembled_ = true;
  for (Member& member : members_) introduce(member);
  return {};
}

std::string Crew::invitation() const {
  return "troupe worker --join " + endpoint_ + (options_.keys ? " --keys FILE" : "");
}

// Those that are started here need no call.
void Crew::tell_of_missing() const {
  const auto there = static_cast<std::uint32_t>(std::ranges::count_if(
      members_, [](const Member& member) { return !member.peer.empty() && member.child == 0; }));
  const std::uint32_t others = options_.processes - options_.spawned;
  if (there < others) {
    const std::uint32_t missing = others - there;
    tell("waiting for " + std::to_string(missing) + (missing == 1 ? " worker" : " workers") + ": " +
         invitation());
  }
  for (const Member& member : members_) {
    if (!member.peer.empty() && member.endpoint.empty()) tell(member.name + " is not ready yet");
  }
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

Crew::Member* Crew::find(const std::string& peer) {
  const auto member =
      std::ranges::find_if(members_, [&peer](const Member& one) { return one.peer == peer; });
  return member == members_.end() ? nullptr : &*member;
}

void Crew::admit(const transport::Received& received) {
  const wire::Hello& hello = received.message.hello();
  if (hello.build() != build_) {
    refuse(received.from, "it is another build of troupe (" + hello.program() +
                              "): all processes of a run must be of one build");
    return tell("refused a worker of another build on " + hello.host());
  }
  Member* const member = find({});
  if (member == nullptr) return refuse(received.from, "the run has all its workers");
  member->peer = received.from;
  member->name = name_of(place_of(*member), hello, received.address);
  member->child = 0;
  for (const ChildProcess& child : children_) {
    if (child.pid() == hello.pid() && hello.host() == own_host()) member->child = child.pid();
  }
  member->dialled_in = member->child == 0;
  welcome(*member);
}

void Crew::welcome(const Member& member) {
  wire::Message answer;
  wire::Welcome& welcome = *answer.mutable_welcome();
  welcome.set_process(place_of(member));
  welcome.set_processes(options_.processes);
  welcome.set_lookahead_ns(options_.lookahead.count());
  if (folder_) welcome.set_folder(folder_->path().string());
  if (is_live()) {
    welcome.mutable_live()->set_directory(options_.live_directory);
    welcome.mutable_live()->set_epoch(member.epoch);
    welcome.mutable_live()->set_disk_is_full(member.disk_is_full);
  }
  hub_.send(answer, member.peer);
  for (std::size_t at = 0; at == 0 || at < plan_.size(); at += kPlanPart) {
    wire::Message part;
    part.mutable_plan_part()->set_part(plan_.substr(at, kPlanPart));
    part.mutable_plan_part()->set_last(at + kPlanPart >= plan_.size());
    hub_.send(part, member.peer);
  }
}

// The others will write there: only what a worker of this run can have.
bool Crew::join(Member& member, const std::string& endpoint) {
  if (!member.endpoint.empty()) return false;
  const std::string own = "worker-" + std::to_string(place_of(member));
  if (folder_ ? endpoint != folder_->endpoint(own) : !endpoint.starts_with("tcp://")) return false;
  if (is_live()) {
    member.inbox.emplace(context_, transport::Role::Outbox, keys());
    if (!member.inbox->connect(endpoint)) {  // which the worker has bound
      member.inbox.reset();
      return false;
    }
  }
  member.endpoint = endpoint;
  tell(member.name + (member.epoch == 0 ? " has joined" : " has taken its place"));
  if (assembled_) introduce(member);
  return true;
}

void Crew::introduce(Member& member) {
  wire::Message peers;
  for (const Member& one : members_) peers.mutable_peers()->add_endpoints(one.endpoint);
  hub_.send(peers, member.peer);
}

// One that dialled in and leaves before the run has begun makes room for another.
void Crew::leave(Member& member, const std::string& why) {
  if (assembled_ || member.child != 0) {
    if (member.gone.empty()) member.gone = why;
    return;
  }
  tell(member.name + " has left: " + why);
  member = Member{};
}

void Crew::refuse(const std::string& peer, const std::string& why) {
  wire::Message answer;
  answer.mutable_refused()->set_why(why);
  hub_.send(answer, peer);
}

}  // namespace troupe
