// The lines of a text file, numbered, with bounds: a binary file or one without line breaks is
// told, not read.
#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "messages/result.h"

namespace troupe::traffic {

class TraceLines {
 public:
  /// A line is at most this long; the longest in Mooncake's traces are some 10 kB.
  static constexpr std::size_t kLineBytesMax = std::size_t{1} << 20;

  TraceLines(std::istream& stream, std::string name);

  /// The next line that is not blank, without its line break (LF or CRLF) and a byte order mark;
  /// nothing at the end.
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  /// "file:line" of the line that next() gave last; the first line while there was none.
  [[nodiscard]] std::string where() const;

 private:
  /// Reads up to the line break, or fails where the line has no end.
  [[nodiscard]] Result<bool> read_line();

  std::istream& stream_;
  std::string name_;
  std::string line_;
  std::size_t number_ = 0;
};

}  // namespace troupe::traffic
