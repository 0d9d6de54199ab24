#include "emulator/processes/build_id.h"

#include <fstream>
#include <iterator>
#include <string>

#include "messages/hash.h"

namespace troupe {

std::uint64_t build_id(const std::filesystem::path& executable) {
  std::ifstream file(executable, std::ios::binary);
  if (!file) return 0;
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return hash_bytes(bytes);
}

}  // namespace troupe
