// Timers that call a function: what client code, which is not an actor of its own, uses to come
// back later.
//
// The function lives in the actor's memory, so a crash takes it along with everything else the
// actor knew. A decision that takes time is better a timer message of the actor's own, which the
// journal shows.
#pragma once

#include <functional>
#include <map>
#include <string_view>

#include "actors/context.h"

namespace troupe {

class CallbackTimers {
 public:
  using Callback = std::function<void(Context&)>;

  /// Calls `callback` after `delay`. `purpose` names the timer in traces.
  TimerId after(Context& context, Duration delay, std::string_view purpose, Callback callback);
  /// Forgets the timer; one that fired or never was is ignored.
  void cancel(Context& context, TimerId timer);
  /// True if the delivery was one of these timers; its callback has then run.
  bool receive(Context& context, const Delivery& delivery);

 private:
  std::map<TimerId, Callback> callbacks_;
};

}  // namespace troupe
