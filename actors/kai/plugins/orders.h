// The plugins that only compare: jobs by class and by how far they are from their minimum, pod
// sets, tasks (KAI, plugins/{priority,elastic,subgrouporder,taskorder}).
#pragma once

#include "actors/kai/plugin.h"

namespace troupe::kai {

/// Jobs of a higher priority class first.
class PriorityOrder final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "priority"; }
  void open(Session& session) override;
};

/// Jobs below their minimum first, those beyond it last.
class ElasticOrder final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "elastic"; }
  void open(Session& session) override;
};

/// Pod sets below their minimum first, then those that are least beyond it.
class SubGroupOrder final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "subgrouporder"; }
  void open(Session& session) override;
};

/// Pods with a higher kai.scheduler/task-priority first, those without one last.
class TaskOrderPlugin final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "taskorder"; }
  void open(Session& session) override;
};

}  // namespace troupe::kai
