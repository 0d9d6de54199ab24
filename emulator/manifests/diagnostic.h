// What is wrong with a file, where, and what was expected instead: the words a user reads when a
// file is refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::manifests {

enum class Severity : std::uint8_t { Warning, Error };

struct Diagnostic {
  std::string file;
  int line = 0;      ///< from 1; 0 where the file as a whole is meant
  std::string path;  ///< "spec.template.spec.containers[0].image"; empty for a whole document
  std::string message;
  Severity severity = Severity::Error;
};

using Diagnostics = std::vector<Diagnostic>;

/// "pods.yaml:12:spec.replicas: error: expected a whole number, found "three"".
[[nodiscard]] std::string to_string(const Diagnostic& diagnostic);
/// One line for each.
[[nodiscard]] std::string to_string(const Diagnostics& diagnostics);
[[nodiscard]] bool has_errors(const Diagnostics& diagnostics);
/// What `--strict` does: every warning becomes an error.
void promote_warnings(Diagnostics& diagnostics);

}  // namespace troupe::manifests
