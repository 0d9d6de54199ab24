#include "actors/karpenter/provisioning/batcher.h"

#include <algorithm>

namespace troupe::karpenter {

void Batcher::trigger(const std::string& uid, SimTime now) {
  if (!seen_.insert(uid).second) return;
  if (!waiting_) {
    armed_ = true;
  } else if (opened_) {
    last_trigger_ = now;
  } else {
    open(now);
  }
}

void Batcher::open(SimTime now) {
  opened_ = now;
  last_trigger_ = now;
}

void Batcher::wait(SimTime now) {
  waiting_ = true;
  if (armed_) open(now);
  armed_ = false;
}

std::optional<SimTime> Batcher::closes_at() const {
  if (!opened_) return std::nullopt;
  return std::min(last_trigger_ + idle_, *opened_ + longest_);
}

void Batcher::close() {
  waiting_ = false;
  opened_.reset();
  seen_.clear();
}

}  // namespace troupe::karpenter
