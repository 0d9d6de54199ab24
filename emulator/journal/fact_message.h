// A fact as the wire and the journal have it.
#pragma once

#include "emulator/runtime/observer.h"
#include "messages/journal.pb.h"

namespace troupe {

[[nodiscard]] journal::Fact to_message(const FactRecord& record);

}  // namespace troupe
