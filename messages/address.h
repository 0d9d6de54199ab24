// Where a message goes.
//
// An actor's path names its host and, below it, the actor: `node/gpu-a-17` is a host's own actor,
// `node/gpu-a-17/gpu/3` one that lives on it, `controller/kai/0/binder` one on the host
// `controller/kai/0`. A host is `controller/NAME/REPLICA` for controllers and `KIND/NAME` for all
// else, so a path says its host and nobody keeps a directory of actors.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// The address of an actor. With an incarnation it means that one life of the actor, and mail to it
/// is refused once another life has begun; with kAnyIncarnation it means whoever lives at the path
/// when the mail arrives.
struct Address {
  static constexpr std::uint32_t kAnyIncarnation = 0;

  std::uint64_t host = 0;   ///< host_hash of the host's name
  std::uint64_t actor = 0;  ///< hash of the whole path
  std::uint32_t incarnation = kAnyIncarnation;

  friend auto operator<=>(const Address&, const Address&) = default;
  explicit operator bool() const { return actor != 0; }
  /// The same path, whichever life.
  [[nodiscard]] Address any() const { return {host, actor, kAnyIncarnation}; }
};

/// The kind of a host in its hash: who has nothing but an address still knows which kind it is of,
/// which placement goes by. The upper 16 bits of the hash of the first component of the path.
std::uint16_t host_kind(std::string_view name_or_kind);
constexpr std::uint16_t host_kind(std::uint64_t host) {
  return static_cast<std::uint16_t>(host >> 48);
}
/// 16 bits of the host's kind, 48 bits of a hash of its whole name.
std::uint64_t host_hash(std::string_view name);

/// The part of a path that names the host.
std::string_view host_of(std::string_view path);

/// The address of whoever lives at `path`.
Address address_of(std::string_view path);

}  // namespace troupe
