#include "actors/karpenter/recorder.h"

namespace troupe::karpenter {

void Recorder::record(Context& context, const google::protobuf::Message& object,
                      const EventText& text, Duration dedupe) {
  const SimTime now = context.now();
  if (now >= next_cleanup_) {
    std::erase_if(silent_until_, [now](const auto& entry) { return entry.second <= now; });
    next_cleanup_ = now + kDedupe;
  }
  const api::ObjectKey key = key_of(object);
  SimTime& until = silent_until_[key.kind() + "/" + path_of(key) + "|" + text.reason];
  if (until > now) return;
  until = now + dedupe;
  events_.record(context, object, text);
}

}  // namespace troupe::karpenter
