// Allocate: places pending jobs on room that is idle or being vacated, disturbing nobody.
//
// Queues take turns. A job's next tasks are placed all or none: first its missing minimum as a
// whole, then one pod at a time, with the other queues in between. Where a task had to be put on
// room that is still being vacated and the minimum is not placed without it, the whole job waits as
// *pipelined* and nothing is bound.
#pragma once

#include <span>

#include "actors/kai/action.h"
#include "actors/kai/statement.h"

namespace troupe::kai {

class Allocate final : public Action {
 public:
  [[nodiscard]] std::string_view name() const override { return "allocate"; }
  void run(Session& session) override;
};

/// Tries to place the job's next tasks in the statement; records why where it fails.
bool allocate_job(Session& session, Statement& statement, Job& job);

}  // namespace troupe::kai
