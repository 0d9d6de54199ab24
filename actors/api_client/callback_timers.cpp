#include "actors/api_client/callback_timers.h"

#include <utility>

#include "messages/api.pb.h"

namespace troupe {

TimerId CallbackTimers::after(Context& context, Duration delay, std::string_view purpose,
                              Callback callback) {
  api::ClientTimer message;
  message.set_purpose(purpose.data(), purpose.size());
  const TimerId timer = context.set_timer(delay, Payload::of(std::move(message)));
  callbacks_.emplace(timer, std::move(callback));
  return timer;
}

void CallbackTimers::cancel(Context& context, TimerId timer) {
  if (callbacks_.erase(timer) > 0) context.cancel_timer(timer);
}

bool CallbackTimers::receive(Context& context, const Delivery& delivery) {
  if (delivery.timer == 0) return false;
  auto found = callbacks_.extract(delivery.timer);
  if (found.empty()) return false;
  found.mapped()(context);
  return true;
}

}  // namespace troupe
