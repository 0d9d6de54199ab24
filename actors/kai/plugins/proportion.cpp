#include "actors/kai/plugins/proportion.h"

#include "actors/kai/queue_capacity.h"
#include "actors/kai/queue_order.h"

namespace troupe::kai {
namespace {

Quantities total_of(const Session& session) {
  Quantities total;
  for (const NodeState& node : session.nodes()) {
    const scheduling::NodeInfo& info = session.info(node);
    if (!info.facts().ready) continue;
    total += quantities_of(info.allocatable());
    for (const scheduling::PodPtr& pod : info.pods()) {
      if (pod->pod->spec().scheduler_name() != session.options().scheduler_name) {
        total -= quantities_of(pod->requests);
      }
    }
  }
  return total;
}

}  // namespace

void Proportion::charge(Session& session) {
  for (const auto& job : session.jobs()) {
    QueueInfo* queue = session.queues().find(job->settings.queue);
    if (queue == nullptr) continue;
    for (const Task& task : job->tasks) {
      const bool charged = is_in(task.status, kCharged) && task.node;
      if (charged) {
        session.queues().add_allocated(*queue, task.quantities(), job->settings.preemptible);
      }
      if (charged || task.status == TaskStatus::Pending) {
        session.queues().add_request(*queue, task.quantities());
      }
    }
  }
}

void Proportion::open(Session& session) {
  total_ = total_of(session);
  charge(session);
  session.queues().divide(total_);
  Session::Hooks& hooks = session.hooks();
  hooks.queue_orders.emplace_back(
      [this, &session](const QueueInfo& a, const QueueInfo& b, Job* left, Job* right) {
        const auto wanted = [&session](Job* job) {
          return job != nullptr ? session.next_tasks(*job).total : Quantities();
        };
        return compare_queues({a, wanted(left)}, {b, wanted(right)}, total_);
      });
  hooks.job_capacities.emplace_back([&session](const Job& job, const Quantities& more) {
    return over_queue_capacity(session.queues().find(job.settings.queue), job, more);
  });
  hooks.on_allocate.emplace_back([&session](const Task& task) {
    if (QueueInfo* queue = session.queues().find(task.job->settings.queue)) {
      session.queues().add_allocated(*queue, task.quantities(), task.job->settings.preemptible);
    }
  });
  hooks.on_deallocate.emplace_back([&session](const Task& task) {
    if (QueueInfo* queue = session.queues().find(task.job->settings.queue)) {
      session.queues().subtract_allocated(*queue, task.quantities(),
                                          task.job->settings.preemptible);
    }
  });
}

}  // namespace troupe::kai
