// Where the catalogues are that a topology does not name: `topologies/NAME` beside the scenario or
// above it, else beside the program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace troupe::config {

[[nodiscard]] std::optional<std::filesystem::path> find_catalogue(
    const std::string& name, const std::filesystem::path& near);

}  // namespace troupe::config
