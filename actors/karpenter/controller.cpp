#include "actors/karpenter/controller.h"

#include <utility>

namespace troupe::karpenter {

KeyedController::KeyedController(const WorkQueueOptions& options)
    : queue_(options,
             [this](Context& context, const std::string& key) { reconcile(context, key); }) {}

void KeyedController::start(Context& context) {
  started_ = true;
  for (const std::string& key : std::exchange(early_, {})) queue_.add(context, key);
}

bool KeyedController::receive(Context& context, const Delivery& delivery) {
  return queue_.receive(context, delivery);
}

void KeyedController::enqueue(Context& context, const std::string& key) {
  if (started_) {
    queue_.add(context, key);
  } else {
    early_.insert(key);
  }
}

void KeyedController::enqueue_after(Context& context, const std::string& key, Duration delay) {
  if (started_) {
    queue_.add_after(context, key, delay);
  } else {
    early_.insert(key);
  }
}

void KeyedController::finish(Context& context, const std::string& key, const Outcome& outcome) {
  if (outcome.ok) {
    queue_.forget(key);
    if (outcome.again) queue_.add_after(context, key, *outcome.again);
  } else {
    queue_.retry(context, key);
  }
  queue_.done(context, key);
}

}  // namespace troupe::karpenter
