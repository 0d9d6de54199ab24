// The commands that act on the cluster, turned into what is journaled and done: work for the
// console's director, or faults. Nothing here touches the run.
#pragma once

#include "emulator/console/read_commands.h"
#include "messages/director.pb.h"
#include "messages/journal.pb.h"

namespace troupe::console {

/// Where a command comes from and what it may look at.
struct ActContext {
  const RunView& run;
  const plan::RunPlan& fault_plan;  ///< of config::plan_for_faults
  const std::vector<journal::Command>& done;
  std::uint64_t number = 0;                                       ///< of this command, from 1
  const std::vector<std::pair<std::string, std::string>>& files;  ///< that came with it
};

struct Act {
  journal::Command command;
  std::size_t steps = 0;  ///< of work whose ends are worth waiting for
  std::string done;       ///< "scaled": what is said of an object when its step went well
  std::string text;       ///< to be said at once
};
/// Or why not.
using ActResult = tl::expected<Act, Answer>;

[[nodiscard]] ActResult apply_objects(const ActContext& context,
                                      const std::vector<std::string>& words);
[[nodiscard]] ActResult delete_objects(const ActContext& context,
                                       const std::vector<std::string>& words);
[[nodiscard]] ActResult scale(const ActContext& context, const std::vector<std::string>& words);
[[nodiscard]] ActResult cordon(const ActContext& context, const std::vector<std::string>& words,
                               bool unschedulable);
[[nodiscard]] ActResult drain(const ActContext& context, const std::vector<std::string>& words);
[[nodiscard]] ActResult inject(const ActContext& context, const std::vector<std::string>& words);
[[nodiscard]] ActResult heal(const ActContext& context, const std::vector<std::string>& words);

}  // namespace troupe::console
