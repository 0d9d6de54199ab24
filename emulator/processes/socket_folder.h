// The folder of a run's sockets: short, since a socket's path is, and its owner's alone.
#pragma once

#include <filesystem>
#include <string>

#include "messages/result.h"

namespace troupe {

/// A new folder of mode 0700 below $XDG_RUNTIME_DIR or /tmp; removed with all in it at the end of
/// its life.
class SocketFolder {
 public:
  [[nodiscard]] static Result<SocketFolder> create();
  ~SocketFolder();
  SocketFolder(SocketFolder&& other) noexcept;
  SocketFolder& operator=(SocketFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// "ipc://FOLDER/NAME"
  [[nodiscard]] std::string endpoint(const std::string& name) const;

 private:
  explicit SocketFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Removes a folder of sockets that nobody uses any more: whoever outlived the run's launcher calls
/// it. Anything but a folder of ours is left alone.
void remove_socket_folder(const std::filesystem::path& folder);

}  // namespace troupe
