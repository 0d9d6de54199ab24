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

std::uint16_t host_kind(std::string_view name_or_kind) {
  return host_kind(hash_bytes(name_or_kind.substr(0, name_or_kind.find('/'))));
}

std::uint64_t host_hash(std::string_view name) {
  constexpr std::uint64_t kNameBits = 0x0000FFFFFFFFFFFF;
  return (std::uint64_t{host_kind(name)} << 48) | (hash_bytes(name) & kNameBits);
}

Address address_of(std::string_view path) {
  return {host_hash(host_of(path)), hash_bytes(path), Address::kAnyIncarnation};
}

}  // namespace troupe
