// The subresource "scale": how many replicas an object of any scalable kind wants and has, and
// whose pods they are.
#pragma once

#include "actors/api_server/object_fields.h"
#include "messages/k8s/autoscaling.pb.h"
#include "messages/result.h"

namespace troupe::apiserver {

/// Fails for a kind that cannot be scaled.
Result<k8s::Scale> scale_of(const Message& object);

}  // namespace troupe::apiserver
