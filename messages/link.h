// The kinds of link that a message can travel on; each has its latency distribution in the topology
// file.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace troupe {

enum class Link : std::uint8_t {
  Api,        ///< a request to an API server or its reply
  Watch,      ///< an event of a watch stream; FIFO
  Cloud,      ///< a call of a cloud's API or its reply
  DataPlane,  ///< an inference request, its first token, its end
  Scrape,     ///< a metrics scrape or query, or its reply
  Lifecycle,  ///< the birth of a host: an instance that boots
};

inline constexpr std::array<std::string_view, 6> kLinkNames = {"api",       "watch",  "cloud",
                                                               "dataPlane", "scrape", "lifecycle"};

constexpr std::string_view name_of(Link link) {
  return kLinkNames[static_cast<std::size_t>(link)];
}

}  // namespace troupe
