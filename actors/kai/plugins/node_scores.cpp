#include "actors/kai/plugins/node_scores.h"

#include <algorithm>

namespace troupe::kai {
namespace {

bool asks_for_gpu(const Task& task) {
  return task.pod().requests.milli_gpu > 0;
}

/// The resource that placement packs or spreads for this task.
std::int64_t amount_of(const scheduling::Resources& resources, const Task& task) {
  return asks_for_gpu(task) ? resources.milli_gpu : resources.milli_cpu;
}

std::int64_t free_of(const NodeState& node, const Task& task) {
  return amount_of(node.idle, task) + amount_of(node.releasing, task);
}

}  // namespace

void NodeAvailability::open(Session& session) {
  session.hooks().node_scores.emplace_back([](const Task& task, const NodeState& node) {
    return fits(task.pod().requests, node.idle) ? kScoreAvailability : 0;
  });
}

void ResourceType::open(Session& session) {
  session.hooks().node_scores.emplace_back([&session](const Task& task, const NodeState& node) {
    const bool without = session.info(node).allocatable().milli_gpu == 0;
    return !asks_for_gpu(task) && without ? kScoreResourceType : 0;
  });
}

void NominatedNode::open(Session& session) {
  session.hooks().node_scores.emplace_back([&session](const Task& task, const NodeState& node) {
    const std::string& nominated = task.pod().pod->status().nominated_node_name();
    return !nominated.empty() && nominated == session.info(node).name() ? kScoreNominated : 0;
  });
}

void NodePlacement::open(Session& session) {
  session.hooks().node_pre_scores.emplace_back(
      [this, &session](const Task& task, std::span<const NodeState> nodes) {
        range_ = {INT64_MAX, 0};
        for (const NodeState& node : nodes) {
          if (amount_of(session.info(node).allocatable(), task) == 0) continue;
          range_.least = std::min(range_.least, free_of(node, task));
          range_.most = std::max(range_.most, free_of(node, task));
        }
      });
  session.hooks().node_scores.emplace_back(
      [this, &session](const Task& task, const NodeState& node) {
        return score(session, task, node);
      });
}

std::int64_t NodePlacement::score(const Session& session, const Task& task,
                                  const NodeState& node) const {
  const std::int64_t all = amount_of(session.info(node).allocatable(), task);
  if (all == 0) return 0;
  const std::int64_t free = free_of(node, task);
  const bool spread =
      asks_for_gpu(task) ? session.options().spread_gpus : session.options().spread_cpus;
  if (spread) return kScorePoint * free / all;
  if (range_.most == 0) return 0;
  if (range_.least == range_.most) return kScoreBinpackMax;
  return kScoreBinpackMax * (range_.most - free) / (range_.most - range_.least);
}

}  // namespace troupe::kai
