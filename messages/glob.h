// Names with wildcards, as people write them to mean several things at once: "gpu-*", "node/a-?".
#pragma once

#include <string_view>

namespace troupe {

/// True if the whole of `text` fits `pattern`: `*` stands for any text, also none and also slashes,
/// `?` for one character. An empty pattern fits everything.
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view text);
/// True if the pattern has a wildcard.
[[nodiscard]] bool is_glob(std::string_view pattern);

}  // namespace troupe
