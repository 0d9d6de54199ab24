#include "emulator/manifests/text_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "emulator/manifests/text_check.h"

namespace troupe::manifests {

Result<std::string> read_text_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return fail("no such file", path);
  if (fs::is_directory(status)) return fail("found a folder, expected a file", path);
  if (!fs::is_regular_file(status)) return fail("found a device or a pipe, expected a file", path);
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > kMaxFileBytes) {
    return fail("found " + std::to_string(size >> 20) + " MiB, expected at most " +
                    std::to_string(kMaxFileBytes >> 20) + " MiB: split the file",
                path);
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  if (!stream || (size > 0 && !(text << stream.rdbuf())))
    return fail("the file cannot be read", path);
  return std::move(text).str();
}

}  // namespace troupe::manifests
