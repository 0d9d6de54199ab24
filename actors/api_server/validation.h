// Validation: what the API server refuses with 422, and in which words.
//
// The rules that people meet: names, negative counts, selectors that miss their own template,
// requests above limits, and fields that may not change. Types and enumerations are the schema's
// business and checked where text is read.
#pragma once

#include <google/protobuf/message.h>

#include "actors/api_server/status.h"

namespace troupe::apiserver {

[[nodiscard]] FieldErrors validate_create(const google::protobuf::Message& object);
/// What a change from `before` to `after` may not do, and what `after` itself may not be.
[[nodiscard]] FieldErrors validate_update(const google::protobuf::Message& after,
                                          const google::protobuf::Message& before);

// The words of apimachinery's field errors.
[[nodiscard]] std::string required_value(std::string_view field, std::string_view detail = {});
[[nodiscard]] std::string invalid_value(std::string_view field, std::string_view value,
                                        std::string_view detail);
[[nodiscard]] std::string forbidden_change(std::string_view field, std::string_view detail);
/// Adds an error unless the number is unset or at least 0.
void check_not_negative(FieldErrors& errors, std::string_view field, std::int64_t value);

}  // namespace troupe::apiserver
