// Whether anybody still listens at a socket's path.
#pragma once

#include <filesystem>

namespace troupe::console {

[[nodiscard]] bool is_listened_to(const std::filesystem::path& socket);

}  // namespace troupe::console
