#include "emulator/console/control_client.h"

#include <algorithm>
#include <fstream>

#include <zmq.hpp>

#include "emulator/console/socket_probe.h"
#include "emulator/manifests/text_file.h"
#include "emulator/transport/frame_socket.h"

namespace troupe::console {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::string_view kIpc = "ipc://";
constexpr auto kCompletionPatience = milliseconds(300);
constexpr std::size_t kFilesMax = std::size_t{16} << 20;

// The folder that was written to last and has somebody behind its endpoint, or else the last.
fs::path latest_run() {
  std::vector<std::pair<fs::file_time_type, fs::path>> runs;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("runs", error)) {
    if (fs::exists(entry.path() / "endpoint", error)) {
      runs.emplace_back(fs::last_write_time(entry.path() / "endpoint", error), entry.path());
    }
  }
  if (runs.empty()) return {};
  return std::max_element(runs.begin(), runs.end())->second;
}

Result<std::string> endpoint_of(const std::string& where) {
  if (where.find("://") != std::string::npos) return where;
  const fs::path folder = where.empty() ? latest_run() : fs::path(where);
  if (folder.empty()) {
    return fail("no run goes on below runs/: start one with `troupe run SCENARIO --pause`");
  }
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return fail("no such run folder, and no endpoint", folder.string());
  }
  std::ifstream file(folder / "endpoint");
  std::string endpoint;
  if (!std::getline(file, endpoint)) {
    return fail("nobody runs here: the run has ended", folder.string());
  }
  return endpoint;
}

bool answers(const std::string& endpoint) {
  if (!endpoint.starts_with(kIpc)) return true;
  return is_listened_to(endpoint.substr(kIpc.size()));
}

// Commands name files of the console's machine: what is to be read goes along, what is to be
// written is named in full.
Result<void> bring_files(control::Request& request) {
  auto& words = *request.mutable_words();
  if (words.empty()) return {};
  if (words[0] == "save" && words.size() > 1) {
    std::string& file = *words.Mutable(words.size() - 1);
    file = fs::absolute(file).lexically_normal().string();
    return {};
  }
  if (words[0] != "apply" && words[0] != "delete") return {};
  std::size_t bytes = 0;
  for (int i = 1; i < words.size(); ++i) {
    std::string name;
    if ((words[i] == "-f" || words[i] == "--filename") && i + 1 < words.size()) {
      name = words[i + 1];
    } else if (words[i].starts_with("--filename=")) {
      name = words[i].substr(11);
    } else {
      continue;
    }
    Result<std::string> text = manifests::read_text_file(name);
    if (!text) return fail(text.error().message, name);
    bytes += text->size();
    if (bytes > kFilesMax) return fail("more than 16 MiB of manifests", name);
    control::File& file = *request.add_files();
    file.set_name(name);
    file.set_text(*std::move(text));
  }
  return {};
}

}  // namespace

struct ControlClient::Sockets {
  zmq::context_t context{1};
  transport::FrameSocket spoke{context, transport::Role::Spoke};
};

Result<std::unique_ptr<ControlClient>> ControlClient::dial(const std::string& where) {
  const Result<std::string> endpoint = endpoint_of(where);
  if (!endpoint) return tl::unexpected(endpoint.error());
  if (!answers(*endpoint)) {
    return fail("nobody runs here: the run died without removing its endpoint",
                where.empty() ? *endpoint : where);
  }
  auto sockets = std::make_unique<Sockets>();
  const Result<void> connected = sockets->spoke.connect(*endpoint);
  if (!connected) return tl::unexpected(connected.error());
  return std::unique_ptr<ControlClient>(new ControlClient(std::move(sockets), *endpoint));
}

ControlClient::ControlClient(std::unique_ptr<Sockets> sockets, std::string endpoint)
    : sockets_(std::move(sockets)), endpoint_(std::move(endpoint)) {}
ControlClient::~ControlClient() = default;

bool ControlClient::is_alive() const {
  return !ended_ && answers(endpoint_);
}

Result<std::uint64_t> ControlClient::post(control::Request request) {
  request.set_id(++last_);
  wire::Message message;
  *message.mutable_request() = std::move(request);
  if (sockets_->spoke.send(message) != transport::FrameSocket::Sent::Yes) {
    return fail("the run does not take in any more", endpoint_);
  }
  return last_;
}

Result<std::uint64_t> ControlClient::send(std::vector<std::string> words, bool json) {
  control::Request request;
  for (std::string& word : words) request.add_words(std::move(word));
  request.set_json(json);
  const Result<void> brought = bring_files(request);
  if (!brought) return tl::unexpected(brought.error());
  return post(std::move(request));
}

std::vector<std::string> ControlClient::complete(std::vector<std::string> words) {
  control::Request request;
  request.set_what(control::Request::COMPLETE);
  for (std::string& word : words) request.add_words(std::move(word));
  const Result<std::uint64_t> id = post(std::move(request));
  if (!id) return {};
  const std::optional<control::Reply> reply = receive(*id, kCompletionPatience);
  std::vector<std::string> candidates;
  if (!reply) return candidates;
  std::size_t begin = 0;
  for (std::size_t end = reply->text().find('\n'); end != std::string::npos;
       end = reply->text().find('\n', begin)) {
    candidates.push_back(reply->text().substr(begin, end - begin));
    begin = end + 1;
  }
  return candidates;
}

void ControlClient::cancel(std::uint64_t id) {
  wire::Message message;
  message.mutable_request()->set_what(control::Request::CANCEL);
  message.mutable_request()->set_id(id);
  // Where it cannot be sent the run counts this console as gone, and streams nothing more.
  static_cast<void>(sockets_->spoke.send(message));
}

std::optional<control::Reply> ControlClient::receive(std::uint64_t id, milliseconds patience) {
  while (true) {
    std::optional<transport::Received> received = sockets_->spoke.receive(patience);
    if (!received) return std::nullopt;
    if (!received->message.has_reply()) continue;
    control::Reply& reply = *received->message.mutable_reply();
    if (reply.id() == 0 && reply.outcome() == control::Reply::ENDED) {
      ended_ = true;
      return std::nullopt;
    }
    if (reply.id() == id) return std::move(reply);  // an older one's time is over
  }
}

}  // namespace troupe::console
