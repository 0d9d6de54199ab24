#include "actors/kai/jobs_by_queue.h"

namespace troupe::kai {

JobsByQueue::JobsByQueue(Session& session)
    : session_(session), roots_([this](Vertex& a, Vertex& b) {
        return session_.queue_less(*a.queue, *b.queue, best_job(a), best_job(b));
      }) {}

Job* JobsByQueue::best_job(Vertex& vertex) {
  Vertex* at = &vertex;
  while (!at->children.empty()) at = &at->children.top();
  return at->jobs.empty() ? nullptr : &at->jobs.top();
}

JobsByQueue::Vertex& JobsByQueue::make_vertex(QueueInfo& queue) {
  const auto job_less = [this](Job& a, Job& b) { return session_.job_less(a, b); };
  const auto queue_less = [this](Vertex& a, Vertex& b) {
    return session_.queue_less(*a.queue, *b.queue, best_job(a), best_job(b));
  };
  auto vertex = std::make_unique<Vertex>(Vertex{&queue, nullptr, false, ShiftingHeap<Job>(job_less),
                                                ShiftingHeap<Vertex>(queue_less)});
  return *(vertices_[queue.name()] = std::move(vertex));
}

void JobsByQueue::push(Job& job) {
  QueueInfo* queue = session_.queues().find(job.settings.queue);
  if (queue == nullptr || !queue->is_leaf()) return;
  const auto at = vertices_.find(queue->name());
  const bool is_new = at == vertices_.end();
  Vertex& leaf = is_new ? make_vertex(*queue) : *at->second;
  leaf.jobs.push(job);
  if (is_new) link(leaf);
  for (Vertex* vertex = &leaf; vertex != nullptr; vertex = vertex->parent) {
    vertex->needs_reorder = true;
  }
}

void JobsByQueue::link(Vertex& vertex) {
  QueueInfo* parent = vertex.queue->parent;
  if (parent == nullptr) {
    roots_.push(vertex);
    return;
  }
  const auto at = vertices_.find(parent->name());
  const bool is_new = at == vertices_.end();
  Vertex& above = is_new ? make_vertex(*parent) : *at->second;
  vertex.parent = &above;
  above.children.push(vertex);
  if (is_new) link(above);
}

JobsByQueue::Vertex& JobsByQueue::next_leaf() {
  ShiftingHeap<Vertex>* heap = &roots_;
  for (;;) {
    Vertex& top = heap->top();
    if (top.needs_reorder) {
      top.needs_reorder = false;
      heap->fix_top();
      continue;
    }
    if (top.children.empty()) return top;
    heap = &top.children;
  }
}

Job& JobsByQueue::pop() {
  Vertex& leaf = next_leaf();
  Job& job = leaf.jobs.top();
  leaf.jobs.pop();
  prune(leaf);
  return job;
}

void JobsByQueue::prune(Vertex& vertex) {
  if (!vertex.empty()) {
    for (Vertex* at = &vertex; at != nullptr; at = at->parent) at->needs_reorder = true;
    return;
  }
  // The vertex was reached over the tops of all heaps above it, so it is the top of its own.
  Vertex* parent = vertex.parent;
  siblings_of(vertex).pop();
  vertices_.erase(vertex.queue->name());
  if (parent != nullptr) prune(*parent);
}

}  // namespace troupe::kai
