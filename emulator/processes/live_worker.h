// One of the processes of a live run: it runs its hosts against the clock, writes what they do, and
// sends after that.
#pragma once

#include <vector>

#include <zmq.hpp>

#include "emulator/transport/frame_socket.h"
#include "messages/plan.pb.h"
#include "messages/result.h"
#include "messages/wire.pb.h"

namespace troupe {

/// What a worker has once it has joined.
struct WorkerSeat {
  zmq::context_t& context;
  transport::FrameSocket& launcher;
  transport::FrameSocket& inbox;
  std::vector<transport::FrameSocket>& peers;  ///< by process
  const transport::RunKeys* keys;              ///< null where no network is between them
  const plan::RunPlan& plan;
  const wire::Welcome& welcome;
};

/// Fails where a worker that begins now could write nothing.
[[nodiscard]] Result<void> find_room(const wire::Welcome& welcome);

/// Runs until the launcher ends the run. Fails where journal or store cannot be written, or the
/// launcher falls silent.
[[nodiscard]] Result<void> run_live_worker(WorkerSeat seat);

}  // namespace troupe
