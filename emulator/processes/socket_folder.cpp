#include "emulator/processes/socket_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "troupe-";

fs::path parent() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code error;
  if (runtime != nullptr && fs::is_directory(runtime, error)) return runtime;
  return "/tmp";
}

}  // namespace

Result<SocketFolder> SocketFolder::create() {
  std::string name = (parent() / (kPrefix + std::string(6, 'X'))).string();
  if (mkdtemp(name.data()) == nullptr) {  // which makes it 0700
    return fail(std::string("no folder for sockets can be made: ") + std::strerror(errno), name);
  }
  return SocketFolder(fs::path(name));
}

SocketFolder::SocketFolder(SocketFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

SocketFolder::~SocketFolder() {
  if (!path_.empty()) remove_socket_folder(path_);
}

std::string SocketFolder::endpoint(const std::string& name) const {
  return "ipc://" + (path_ / name).string();
}

void remove_socket_folder(const fs::path& folder) {
  if (!folder.filename().string().starts_with(kPrefix)) return;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_socket(ignored)) fs::remove(entry.path(), ignored);
  }
  fs::remove(folder, ignored);
}

}  // namespace troupe
