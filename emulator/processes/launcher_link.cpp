#include "emulator/processes/launcher_link.h"

#include <thread>
#include <utility>

#include "emulator/processes/patience.h"
#include "messages/units.h"

namespace troupe {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using transport::FrameSocket;

}  // namespace

LauncherLink::LauncherLink(zmq::context_t& context, std::string endpoint,
                           const transport::RunKeys* keys)
    : endpoint_(std::move(endpoint)),
      socket_(context, transport::Role::Spoke, keys),
      heard_(steady_clock::now()) {}

// ZeroMQ dials again by itself; what was said before the connection stands waits for it.
Result<wire::Message> LauncherLink::greet(const wire::Message& hello, milliseconds patience) {
  if (const Result<void> connected = socket_.connect(endpoint_); !connected) {
    return tl::unexpected(connected.error());
  }
  say(hello);
  const auto until = steady_clock::now() + patience;
  while (steady_clock::now() < until) {
    std::optional<transport::Received> received = socket_.receive(kListen);
    heard_ = steady_clock::now();
    if (received && !received->message.has_ping()) return std::move(received->message);
    if (received) continue;
    if (socket_.turned_away()) {
      return fail("whoever listens there does not let us in: it wants the keys of its run",
                  endpoint_);
    }
    if (socket_.broken()) return fail("the launcher has ended", endpoint_);
  }
  return fail("no launcher has answered in " + print_duration(patience), endpoint_);
}

void LauncherLink::say(const wire::Message& message) {
  while (socket_.send(message) == FrameSocket::Sent::Full) {
    if (!check_alive()) return;  // whoever listens next says so
    std::this_thread::sleep_for(milliseconds(1));
  }
}

Result<wire::Message> LauncherLink::hear() {
  if (!kept_.empty()) {
    wire::Message message = std::move(kept_.front());
    kept_.pop_front();
    return message;
  }
  while (true) {
    std::optional<transport::Received> received = socket_.receive(kListen);
    if (received) {
      heard_ = steady_clock::now();
      if (!received->message.has_ping()) return std::move(received->message);
    } else if (const Result<void> alive = check_alive(); !alive) {
      return tl::unexpected(alive.error());
    }
  }
}

Result<void> LauncherLink::still_there() {
  std::optional<transport::Received> received = socket_.receive(milliseconds(0));
  if (!received) return check_alive();
  heard_ = steady_clock::now();
  if (received->message.has_finish()) return fail("the run ended in the middle of a window");
  if (!received->message.has_ping()) kept_.push_back(std::move(received->message));
  return {};
}

// Asked only when nothing is left to be read.
Result<void> LauncherLink::check_alive() {
  if (socket_.broken()) return fail("the launcher is gone", endpoint_);
  if (steady_clock::now() - heard_ > kSilence) {
    return fail("the launcher has fallen silent", endpoint_);
  }
  return {};
}

}  // namespace troupe
