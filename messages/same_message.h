// Whether two messages say the same.
#pragma once

#include <google/protobuf/message.h>

namespace troupe {

/// Equal in every field; both are of one type.
[[nodiscard]] bool same_message(const google::protobuf::Message& a,
                                const google::protobuf::Message& b);

}  // namespace troupe
