#include "actors/kai/statement.h"

#include <utility>

namespace troupe::kai {

Statement::Statement(Session& session, Job& job)
    : session_(session),
      job_(job),
      was_started_(job.count(kCharged) > 0),
      was_satisfied_(job.is_satisfied()) {}

Statement::~Statement() {
  rollback(0);
}

void Statement::allocate(Task& task, std::size_t node) {
  operations_.push_back({Operation::Kind::Allocate, &task, task.status, {}});
  session_.put_on_node(task, node, TaskStatus::Allocated);
}

void Statement::pipeline(Task& task, std::size_t node) {
  operations_.push_back({Operation::Kind::Pipeline, &task, task.status, {}});
  session_.put_on_node(task, node, TaskStatus::Pipelined);
}

void Statement::evict(Task& task, std::string message) {
  operations_.push_back({Operation::Kind::Evict, &task, task.status, std::move(message)});
  session_.change_on_node(task, TaskStatus::Releasing);
}

void Statement::rollback(Checkpoint to) {
  while (operations_.size() > to) {
    undo(operations_.back());
    operations_.pop_back();
  }
}

void Statement::undo(const Operation& operation) {
  if (operation.kind == Operation::Kind::Evict) {
    session_.change_on_node(*operation.task, operation.before);
  } else {
    session_.take_off_node(*operation.task, operation.before);
  }
}

void Statement::pipeline_all() {
  for (Operation& operation : operations_) {
    if (operation.kind != Operation::Kind::Allocate) continue;
    operation.kind = Operation::Kind::Pipeline;
    session_.change_on_node(*operation.task, TaskStatus::Pipelined);
  }
}

void Statement::commit() {
  Commit commit;
  commit.job = &job_;
  for (Operation& operation : operations_) {
    Task& task = *operation.task;
    if (operation.kind == Operation::Kind::Evict) {
      commit.evictions.push_back({&task, std::move(operation.message)});
      continue;
    }
    const std::string& node = session_.snapshot().nodes()[*task.node].name();
    if (operation.kind == Operation::Kind::Pipeline) {
      commit.pipelined.push_back({&task, node});
    } else {
      session_.change_on_node(task, TaskStatus::Binding);
      commit.binds.push_back({&task, node});
    }
  }
  operations_.clear();
  commit.starts_job = !was_started_ && !commit.binds.empty();
  commit.completes_gang = !was_satisfied_ && !commit.binds.empty() && job_.is_satisfied();
  session_.add_commit(std::move(commit));
}

}  // namespace troupe::kai
