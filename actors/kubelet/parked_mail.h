// The mail of a process that hangs: it waits in sockets and timers until the process goes on, and
// is then handled in one go. A timer that is cancelled on the way never fires.
#pragma once

#include <deque>
#include <functional>

#include "actors/context.h"

namespace troupe::kubelet {

class ParkedMail {
 public:
  /// Sockets hold no more: what comes beyond is lost, as on a connection that is reset.
  static constexpr std::size_t kMax = 100'000;

  void park(const Delivery& delivery) {
    if (mail_.size() < kMax) mail_.push_back(delivery);
  }
  using Handler = std::function<void(Context&, const Delivery&)>;
  /// Hands over everything, oldest first.
  void deliver(Context& context, const Handler& handler);

 private:
  std::deque<Delivery> mail_;
};

}  // namespace troupe::kubelet
