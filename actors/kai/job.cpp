#include "actors/kai/job.h"

#include <algorithm>

#include "messages/assert.h"

namespace troupe::kai {
namespace {

/// The tree of sub-groups: those with children become sets, the others pod sets.
class TreeBuilder {
 public:
  explicit TreeBuilder(Job& job) : job_(job) {}

  void build() {
    job_.sets.push_back({});
    if (job_.settings.sub_groups.empty()) {
      add_pod_set(0, std::string(kDefaultSubGroup), job_.settings.min_member);
      return;
    }
    std::vector<SubGroupSettings> groups = job_.settings.sub_groups;
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.name < b.name; });
    add_children("", 0, groups);
  }

 private:
  void add_children(const std::string& parent, std::size_t set,
                    const std::vector<SubGroupSettings>& groups) {
    for (const SubGroupSettings& group : groups) {
      if (group.parent != parent || group.name.empty()) continue;
      const bool has_children = std::any_of(groups.begin(), groups.end(), [&](const auto& other) {
        return other.parent == group.name;
      });
      if (!has_children) {
        add_pod_set(set, group.name, group.min_member);
        continue;
      }
      const std::size_t index = job_.sets.size();
      job_.sets.push_back({group.name, {}, {}});
      job_.sets[set].child_sets.push_back(index);
      add_children(group.name, index, groups);
    }
  }

  void add_pod_set(std::size_t set, std::string name, int minimum) {
    job_.sets[set].pod_sets.push_back(job_.pod_sets.size());
    job_.pod_sets.push_back({std::move(name), std::max(minimum, 1), {}, {}});
  }

  Job& job_;
};

}  // namespace

int PodSet::count(StatusSet set) const {
  int sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if ((set >> i & 1U) != 0) sum += counts[i];
  }
  return sum;
}

bool PodSet::is_ready() const {
  return count(kAlive) - count(statuses(TaskStatus::Gated)) >= minimum;
}

Job::Job(JobSettings given) : settings(std::move(given)), stale_since(settings.stale_since) {
  TreeBuilder(*this).build();
  tasks.reserve(settings.tasks.size());
  for (TaskSettings& task : settings.tasks) {
    const std::string_view sub_group = task.sub_group.empty() ? kDefaultSubGroup : task.sub_group;
    const auto at = std::find_if(pod_sets.begin(), pod_sets.end(),
                                 [&](const PodSet& set) { return set.name == sub_group; });
    // A pod of a sub-group that the PodGroup does not have is left alone, as in KAI.
    if (at == pod_sets.end()) continue;
    const auto index = static_cast<std::size_t>(at - pod_sets.begin());
    tasks.push_back({std::move(task), this, index, std::nullopt, TaskStatus::Pending});
    Task& added = tasks.back();
    added.status = added.settings.status;
    at->tasks.push_back(&added);
    ++at->counts[index_of(added.status)];
  }
  settings.tasks.clear();
}

void Job::set_status(Task& task, TaskStatus status) {
  PodSet& set = pod_sets[task.pod_set];
  TROUPE_ASSERT(set.counts[index_of(task.status)] > 0, "a task that its pod set does not count");
  --set.counts[index_of(task.status)];
  task.status = status;
  ++set.counts[index_of(status)];
  next.reset();
}

int Job::count(StatusSet set) const {
  int sum = 0;
  for (const PodSet& one : pod_sets) sum += one.count(set);
  return sum;
}

bool Job::is_ready() const {
  return std::all_of(pod_sets.begin(), pod_sets.end(),
                     [](const PodSet& set) { return set.is_ready(); });
}

bool Job::is_stale() const {
  if (count(statuses(TaskStatus::Succeeded)) > 0 || count(kActiveUsed) == 0) return false;
  return std::any_of(pod_sets.begin(), pod_sets.end(),
                     [](const PodSet& set) { return !set.is_gang_alive(); });
}

bool Job::is_satisfied() const {
  return std::all_of(pod_sets.begin(), pod_sets.end(),
                     [](const PodSet& set) { return set.is_satisfied(); });
}

bool Job::must_be_pipelined() const {
  return std::any_of(pod_sets.begin(), pod_sets.end(), [](const PodSet& set) {
    const int pipelined = set.count(statuses(TaskStatus::Pipelined));
    return pipelined > 0 && set.count(kActiveAllocated) - pipelined < set.minimum;
  });
}

bool Job::is_gang() const {
  return std::any_of(pod_sets.begin(), pod_sets.end(),
                     [](const PodSet& set) { return set.minimum > 1; });
}

}  // namespace troupe::kai
