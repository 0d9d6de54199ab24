// Whole files into memory, with refusals that a user understands.
#pragma once

#include <string>

#include "messages/result.h"

namespace troupe::manifests {

/// The bytes of a file of at most kMaxFileBytes. Refused: what is not there, folders, devices and
/// pipes, larger files.
Result<std::string> read_text_file(const std::string& path);

}  // namespace troupe::manifests
