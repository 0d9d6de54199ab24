#include "emulator/traffic/trace_lines.h"

#include <algorithm>
#include <utility>

namespace troupe::traffic {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

// No text has a control character but the tab.
bool is_binary(std::string_view line) {
  return std::any_of(line.begin(), line.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

}  // namespace

TraceLines::TraceLines(std::istream& stream, std::string name)
    : stream_(stream), name_(std::move(name)) {}

std::string TraceLines::where() const {
  return name_ + ":" + std::to_string(std::max<std::size_t>(number_, 1));
}

Result<bool> TraceLines::read_line() {
  line_.clear();
  auto* buffer = stream_.rdbuf();
  for (int c = buffer->sbumpc(); c != std::istream::traits_type::eof(); c = buffer->sbumpc()) {
    if (c == '\n') return true;
    line_ += static_cast<char>(c);
    if (line_.size() > kLineBytesMax) return fail("expected a line of at most 1 MiB", where());
  }
  return !line_.empty();
}

Result<std::optional<std::string_view>> TraceLines::next() {
  while (true) {
    const Result<bool> read = read_line();
    if (!read) return tl::unexpected(read.error());
    if (!*read) return std::optional<std::string_view>{};
    ++number_;
    if (number_ == 1 && line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
    if (line_.ends_with('\r')) line_.pop_back();
    if (is_binary(line_)) return fail("expected text, found a control character", where());
    if (!is_blank(line_)) return std::optional<std::string_view>{line_};
  }
}

}  // namespace troupe::traffic
