// A live run, run again from what its workers wrote.
//
// Every host is a function of its inbox. So each is given what it was given, at the stamps that it
// saw, and all that it does is held against what was written: the hash of what each event caused,
// and, field by field, the messages that reached others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/runtime/digest.h"
#include "messages/result.h"
#include "messages/sim_time.h"

namespace troupe {

struct ReplayOptions {
  /// Over how many processes the hosts are spread; the result does not depend on it.
  std::uint32_t processes = 1;
  /// No further than this.
  std::optional<SimTime> until = std::nullopt;
  /// Is told of every event of the actors whose path begins so, and asked whether to go on; the
  /// replay is in one process then.
  std::string trace = {};
  std::function<bool(const std::string& line)> on_event = {};
};

/// Where a replay first did something else than the run.
struct Divergence {
  SimTime time;
  std::string actor;    ///< path of who did it, or of its host where it cannot be told
  std::string message;  ///< type of the message in hand
  std::string field;    ///< what differs first: "Batch.field: written "a", replayed "b""
};

struct ReplayResult {
  Digest digest;  ///< a fold over what the replay did
  std::uint64_t delivered = 0;
  std::uint64_t hosts = 0;
  std::optional<Divergence> divergence;
  std::vector<std::string> damage;  ///< torn or damaged ends of files
};

/// Fails where the journal cannot be read at all.
[[nodiscard]] Result<ReplayResult> replay_live(const std::filesystem::path& journal,
                                               const ReplayOptions& options);

}  // namespace troupe
