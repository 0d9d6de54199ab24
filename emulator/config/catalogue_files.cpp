#include "emulator/config/catalogue_files.h"

#include <system_error>

namespace troupe::config {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_above(const std::string& name, fs::path directory) {
  while (true) {
    const fs::path candidate = directory / "topologies" / name;
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) return candidate;
    if (directory == directory.parent_path()) return std::nullopt;
    directory = directory.parent_path();
  }
}

}  // namespace

std::optional<fs::path> find_catalogue(const std::string& name, const fs::path& near) {
  std::error_code error;
  const fs::path from = fs::absolute(near, error);
  if (auto found = find_above(name, from.parent_path())) return fs::proximate(*found, error);
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  return find_above(name, program.parent_path());
}

}  // namespace troupe::config
