#include "emulator/console/control_server.h"

#include <fstream>

#include <zmq.hpp>

#include "emulator/console/socket_probe.h"
#include "emulator/processes/socket_folder.h"
#include "emulator/transport/frame_socket.h"

namespace troupe::console {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSocketName = "control";
// A reply that were longer is cut: no terminal shows so much.
constexpr std::size_t kTextMax = std::size_t{32} << 20;

}  // namespace

struct ControlServer::Sockets {
  explicit Sockets(SocketFolder made)
      : folder(std::move(made)), hub(context, transport::Role::Hub) {}
  SocketFolder folder;
  zmq::context_t context{1};
  transport::FrameSocket hub;
};

Result<std::unique_ptr<ControlServer>> ControlServer::open(
    const std::optional<fs::path>& run_folder) {
  remove_stale_folders();
  Result<SocketFolder> folder = SocketFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  auto sockets = std::make_unique<Sockets>(*std::move(folder));
  const Result<std::string> endpoint = sockets->hub.bind(sockets->folder.endpoint(kSocketName));
  if (!endpoint) return tl::unexpected(endpoint.error());
  std::optional<fs::path> file;
  if (run_folder) {
    file = *run_folder / "endpoint";
    std::ofstream text(*file);
    text << *endpoint << '\n';
    if (!text.flush()) return fail("cannot be written", file->string());
  }
  return std::unique_ptr<ControlServer>(
      new ControlServer(std::move(sockets), *endpoint, std::move(file)));
}

ControlServer::ControlServer(std::unique_ptr<Sockets> sockets, std::string endpoint,
                             std::optional<fs::path> file)
    : sockets_(std::move(sockets)), endpoint_(std::move(endpoint)), file_(std::move(file)) {}

ControlServer::~ControlServer() {
  std::error_code ignored;
  if (file_) fs::remove(*file_, ignored);
}

std::optional<ControlServer::Incoming> ControlServer::receive(std::chrono::milliseconds patience) {
  std::optional<transport::Received> received = sockets_->hub.receive(patience);
  if (!received) return std::nullopt;
  if (!received->message.has_request()) {
    ++foreign_;
    return std::nullopt;
  }
  return Incoming{std::move(received->from), std::move(*received->message.mutable_request())};
}

bool ControlServer::send(const std::string& peer, const control::Reply& reply) {
  wire::Message message;
  *message.mutable_reply() = reply;
  if (reply.text().size() > kTextMax) {
    message.mutable_reply()->set_text(reply.text().substr(0, kTextMax) + "\n[cut]\n");
  }
  return sockets_->hub.send(message, peer) == transport::FrameSocket::Sent::Yes;
}

std::vector<std::pair<std::string, std::uint64_t>> ControlServer::refused() const {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (std::size_t i = 0; i < transport::kRefusals; ++i) {
    counts.emplace_back(transport::name_of(static_cast<transport::Refusal>(i)),
                        sockets_->hub.refused().frames.at(i));
  }
  counts.emplace_back("no request", foreign_);
  return counts;
}

}  // namespace troupe::console
