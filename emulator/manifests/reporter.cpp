#include "emulator/manifests/reporter.h"

#include <utility>

namespace troupe::manifests {
namespace {

/// "spec.containers[3].image" to "spec.containers[].image".
std::string without_indices(const std::string& path) {
  std::string text;
  bool inside = false;
  for (const char c : path) {
    if (c == ']') inside = false;
    if (!inside) text += c;
    if (c == '[') inside = true;
  }
  return text;
}

}  // namespace

Reporter::Reporter(std::string file, Diagnostics& diagnostics)
    : file_(std::move(file)), diagnostics_(diagnostics) {}

void Reporter::report(int line, std::string path, std::string message, Severity severity) {
  if (++reported_ <= kMaxDiagnostics) {
    diagnostics_.push_back({file_, line, std::move(path), std::move(message), severity});
    return;
  }
  const std::string more = "and " + std::to_string(reported_ - kMaxDiagnostics) + " more";
  if (reported_ == kMaxDiagnostics + 1)
    return diagnostics_.push_back({file_, line, "", more, severity});
  diagnostics_.back().message = more;
  if (severity == Severity::Error) diagnostics_.back().severity = severity;
}

void Reporter::warn_once(int line, const std::string& path, const std::string& message) {
  const auto [at, is_first] =
      repeats_.try_emplace(without_indices(path) + '\n' + message, Repeats{diagnostics_.size()});
  if (is_first) return report(line, path, message, Severity::Warning);
  Repeats& repeats = at->second;
  ++repeats.more;
  if (reported_ > kMaxDiagnostics) return;
  diagnostics_[repeats.diagnostic].message =
      message + " (and " + std::to_string(repeats.more) + " more in this file)";
}

}  // namespace troupe::manifests
