// What a console can be told: names, usage, one line each. `help`, completion and the list of what
// acts come from here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "emulator/console/answer.h"
#include "emulator/console/cluster_view.h"

namespace troupe::console {

struct CommandText {
  const char* name;
  const char* usage;
  const char* what;
};

[[nodiscard]] std::span<const CommandText> command_texts();
[[nodiscard]] Answer help(const std::vector<std::string>& words, bool json);
/// What the last of the words may become: commands, kinds, names of objects, kinds of fault.
[[nodiscard]] std::vector<std::string> completions(const ClusterView& view,
                                                   const std::vector<std::string>& words);

}  // namespace troupe::console
