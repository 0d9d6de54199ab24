// What `explain` finds of one object: who holds it where it is, and the numbers that back it.
#pragma once

#include <string>
#include <vector>

#include "emulator/console/read_commands.h"
#include "messages/kai.pb.h"

namespace troupe::console {

struct Explanation {
  std::string state;
  std::string held_by;  ///< "scheduler"; "nobody" where nothing is waited for
  std::vector<std::string> because = {};
};

/// Quota, limit, fair share, what is allocated and asked for, and which gangs wait for it. The
/// shares are reckoned by KAI's own arithmetic from the objects as they stand: what its next cycle
/// would find once its cache has caught up.
[[nodiscard]] Explanation explain_queue(const RunView& run, const kai::Queue& queue);
/// A line for the queue and each of its ancestors.
[[nodiscard]] std::vector<std::string> queue_lines(const RunView& run, const std::string& queue);

/// Where a request waits, or how it ended. Nothing is known of one that ended long ago.
[[nodiscard]] std::optional<Explanation> explain_request(const RunView& run, std::uint64_t id);
/// What became of a service's requests, and what it has to serve them with.
[[nodiscard]] std::vector<std::string> service_lines(const RunView& run, const std::string& key);

}  // namespace troupe::console
