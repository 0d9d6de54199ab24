#include "emulator/processes/build_id.h"

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>

#include "messages/hash.h"

namespace troupe {

std::uint64_t build_id(const std::filesystem::path& executable) {
  std::ifstream file(executable, std::ios::binary);
  if (!file) return 0;
  // A program with debug symbols is large, and each worker reads it: by blocks, which is quick.
  std::string block(std::size_t{1} << 20, '\0');
  std::uint64_t id = 0;
  while (file.read(block.data(), std::ssize(block)), file.gcount() > 0) {
    id = mix(id, hash_bytes(std::string_view(block.data(), std::size_t(file.gcount()))));
  }
  return id;
}

}  // namespace troupe
