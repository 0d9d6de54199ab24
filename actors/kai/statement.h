// A statement: changes to a session that can be undone, back to a checkpoint or altogether, until
// they are committed.
#pragma once

#include <string>
#include <vector>

#include "actors/kai/session.h"

namespace troupe::kai {

class Statement {
 public:
  using Checkpoint = std::size_t;

  /// For the job that the statement is about.
  Statement(Session& session, Job& job);
  /// What is not committed is undone.
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Places the task on idle room of the node.
  void allocate(Task& task, std::size_t node);
  /// Places the task on room of the node that is being vacated: for this session only, nothing is
  /// bound.
  void pipeline(Task& task, std::size_t node);
  void evict(Task& task, std::string message);

  [[nodiscard]] Checkpoint checkpoint() const { return operations_.size(); }
  void rollback(Checkpoint to);
  /// Whoever was allocated waits with the pipelined ones.
  void pipeline_all();
  /// Hands the changes over to the session's commits.
  void commit();

 private:
  struct Operation {
    enum class Kind : std::uint8_t { Allocate, Pipeline, Evict };
    Kind kind = Kind::Allocate;
    Task* task = nullptr;
    TaskStatus before = TaskStatus::Pending;
    std::string message;
  };

  void undo(const Operation& operation);

  Session& session_;
  Job& job_;
  bool was_started_;
  bool was_satisfied_;
  std::vector<Operation> operations_;
};

}  // namespace troupe::kai
