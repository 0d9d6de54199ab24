// The rules for the metadata of every object.
#pragma once

#include "actors/api_server/status.h"
#include "messages/k8s/meta.pb.h"

namespace troupe::apiserver {

void validate_meta(FieldErrors& errors, const Kind& kind, const k8s::ObjectMeta& meta);
void validate_meta_update(FieldErrors& errors, const k8s::ObjectMeta& after,
                          const k8s::ObjectMeta& before);

}  // namespace troupe::apiserver
