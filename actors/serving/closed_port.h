// What a port answers that nobody listens at.
#pragma once

#include "actors/actor.h"
#include "actors/context.h"

namespace troupe::serving {

/// Sends the message back as refused, by the link that it came by.
void refuse(Context& context, const Delivery& delivery);

}  // namespace troupe::serving
