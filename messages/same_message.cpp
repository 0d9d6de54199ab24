#include "messages/same_message.h"

namespace troupe {

bool same_message(const google::protobuf::Message& a, const google::protobuf::Message& b) {
  // The schemas have no maps, so equal messages have equal bytes.
  return a.ByteSizeLong() == b.ByteSizeLong() &&
         a.SerializePartialAsString() == b.SerializePartialAsString();
}

}  // namespace troupe
