// Collects what is wrong with one file. A user who fixes one mistake wants to know the others, but
// nobody reads a thousand, and a field that ten thousand pods carry is named once, with a count.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "emulator/manifests/diagnostic.h"

namespace troupe::manifests {

/// Nobody reads more of one file.
inline constexpr int kMaxDiagnostics = 200;

class Reporter {
 public:
  /// Adds to `diagnostics`, which must outlive the reporter and which nobody else shortens.
  Reporter(std::string file, Diagnostics& diagnostics);

  [[nodiscard]] const std::string& file() const { return file_; }

  /// Beyond kMaxDiagnostics they are only counted.
  void report(int line, std::string path, std::string message, Severity severity = Severity::Error);
  /// A warning that names its place once for the whole file and counts the rest; indices of lists
  /// make no difference.
  void warn_once(int line, const std::string& path, const std::string& message);

 private:
  struct Repeats {
    std::size_t diagnostic;  ///< index of the first one
    int more = 0;
  };

  std::string file_;
  Diagnostics& diagnostics_;
  int reported_ = 0;
  std::map<std::string, Repeats> repeats_;  ///< by path without indices, and message
};

}  // namespace troupe::manifests
