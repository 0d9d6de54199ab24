#include "emulator/manifests/diagnostic.h"

#include <algorithm>

namespace troupe::manifests {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text = diagnostic.file + ":";
  if (diagnostic.line > 0) text += std::to_string(diagnostic.line) + ":";
  if (!diagnostic.path.empty()) text += diagnostic.path + ":";
  text += diagnostic.severity == Severity::Error ? " error: " : " warning: ";
  return text + diagnostic.message;
}

std::string to_string(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) text += to_string(diagnostic) + "\n";
  return text;
}

bool has_errors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
}

void promote_warnings(Diagnostics& diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) diagnostic.severity = Severity::Error;
}

}  // namespace troupe::manifests
