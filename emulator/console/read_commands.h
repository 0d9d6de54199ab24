// The commands that look: get, describe, explain, top, watch. They read the view alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/console/answer.h"
#include "emulator/console/columns.h"
#include "emulator/runtime/timeline.h"
#include "messages/plan.pb.h"
#include "messages/result.h"

namespace troupe::console {

/// What a run is, beside its view.
struct RunView {
  const ClusterView& view;
  const plan::RunPlan& plan;  ///< without the hosts' configurations
  SimTime now{};
  std::string state;  ///< "paused", "running"
  std::string speed;  ///< "max", "20x"
  std::uint64_t delivered = 0;
  std::vector<std::pair<std::string, std::uint64_t>> refused_frames = {};
  std::size_t consoles = 0;
  std::vector<WorkerState> workers = {};

  [[nodiscard]] Scene scene() const { return {view, now}; }
};

[[nodiscard]] Answer get(const RunView& run, const std::vector<std::string>& words, bool json);
/// What `get` shows as rows, for -w: a row's first cells name what it is of.
[[nodiscard]] std::optional<Table> get_table(const RunView& run,
                                             const std::vector<std::string>& words,
                                             bool& wants_watch);
[[nodiscard]] Answer describe(const RunView& run, const std::vector<std::string>& words, bool json);
[[nodiscard]] Answer explain(const RunView& run, const std::vector<std::string>& words, bool json);
[[nodiscard]] Answer top(const RunView& run, const std::vector<std::string>& words, bool json);

/// An object with its apiVersion and kind.
[[nodiscard]] Json object_json(const Payload& object);

/// A line of `watch events`.
[[nodiscard]] std::string event_line(const Note& note);
[[nodiscard]] Json event_json(const Note& note);

/// "pod/web-1", "pod web-1", "Pod/default/web-1": the object that is meant.
struct ObjectName {
  const Kind* kind = nullptr;
  std::string key;  ///< "default/web-1"
  [[nodiscard]] std::string full() const { return std::string(kind->name) + "/" + key; }
};
[[nodiscard]] Result<ObjectName> object_name(const std::vector<std::string>& words,
                                             const std::string& name_space);

}  // namespace troupe::console
