#include "emulator/console/socket_probe.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "emulator/console/control_server.h"
#include "emulator/processes/socket_folder.h"

namespace troupe::console {
namespace {

namespace fs = std::filesystem;

void remove_if_dead(const fs::path& folder) {
  std::error_code error;
  const fs::path socket = folder / "control";
  if (!fs::is_socket(socket, error) || is_listened_to(socket)) return;
  remove_socket_folder(folder);
}

}  // namespace

bool is_listened_to(const fs::path& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = socket.string();
  if (path.size() >= sizeof address.sun_path) return true;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return true;
  const int connected =
      ::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool dead = connected != 0 && (errno == ECONNREFUSED || errno == ENOENT);
  ::close(file);
  return !dead;
}

// Another user's folder cannot be entered, so it is left alone.
void remove_stale_folders() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  for (const fs::path& parent :
       {fs::path(runtime == nullptr ? "/tmp" : runtime), fs::path("/tmp")}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
      if (entry.path().filename().string().starts_with("troupe-")) remove_if_dead(entry.path());
    }
  }
}

}  // namespace troupe::console
