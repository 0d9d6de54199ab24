// The jobs to try, in the order in which the queues take turns: a tree of heaps, jobs in the
// leaves.
//
// Who is next depends on what was placed meanwhile, so the order is not fixed beforehand. As in
// KAI, only the top of a heap is looked at again after a job was popped beneath it
// (actions/utils/job_order_by_queue.go).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "actors/kai/session.h"

namespace troupe::kai {

/// A binary heap of pointers whose order may change under it; its top can be put right again.
template <class T>
class ShiftingHeap {
 public:
  using Less = std::function<bool(T&, T&)>;

  explicit ShiftingHeap(Less less) : less_(std::move(less)) {}

  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] T& top() const { return *items_.front(); }
  void push(T& item) {
    items_.push_back(&item);
    rise(items_.size() - 1);
  }
  void pop() {
    items_.front() = items_.back();
    items_.pop_back();
    if (!items_.empty()) sink();
  }
  /// The top may have become worse.
  void fix_top() { sink(); }

 private:
  void rise(std::size_t at) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (!less_(*items_[at], *items_[parent])) return;
      std::swap(items_[at], items_[parent]);
      at = parent;
    }
  }
  void sink() {
    std::size_t at = 0;
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= items_.size()) return;
      if (child + 1 < items_.size() && less_(*items_[child + 1], *items_[child])) ++child;
      if (!less_(*items_[child], *items_[at])) return;
      std::swap(items_[at], items_[child]);
      at = child;
    }
  }

  Less less_;
  std::vector<T*> items_;
};

class JobsByQueue {
 public:
  explicit JobsByQueue(Session& session);

  /// A job whose queue is missing or has children is not taken.
  void push(Job& job);
  [[nodiscard]] bool empty() const { return roots_.empty(); }
  Job& pop();

 private:
  struct Vertex {
    QueueInfo* queue = nullptr;
    Vertex* parent = nullptr;
    bool needs_reorder = false;
    ShiftingHeap<Job> jobs;         ///< of a leaf
    ShiftingHeap<Vertex> children;  ///< of an inner queue

    [[nodiscard]] bool empty() const { return jobs.empty() && children.empty(); }
  };

  Vertex& make_vertex(QueueInfo& queue);
  /// Links the vertex and its ancestors, as far as they are not in the tree.
  void link(Vertex& vertex);
  Vertex& next_leaf();
  void prune(Vertex& vertex);
  [[nodiscard]] ShiftingHeap<Vertex>& siblings_of(const Vertex& vertex) {
    return vertex.parent != nullptr ? vertex.parent->children : roots_;
  }
  [[nodiscard]] static Job* best_job(Vertex& vertex);

  Session& session_;
  ShiftingHeap<Vertex> roots_;
  std::map<std::string, std::unique_ptr<Vertex>> vertices_;  ///< by name of the queue
};

}  // namespace troupe::kai
