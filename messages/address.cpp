#include "messages/address.h"

#include "messages/hash.h"

namespace troupe {

std::string_view host_of(std::string_view path) {
  int components = path.starts_with("controller/") ? 3 : 2;
  std::size_t end = 0;
  while (components > 0 && end != std::string_view::npos) {
    end = path.find('/', end == 0 ? 0 : end + 1);
    --components;
  }
  return path.substr(0, end);
}

Address address_of(std::string_view path) {
  return {hash_bytes(host_of(path)), hash_bytes(path), Address::kAnyIncarnation};
}

}  // namespace troupe
