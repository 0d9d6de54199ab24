#include "emulator/traffic/trace_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

#include "emulator/traffic/mooncake_line.h"
#include "emulator/traffic/trace_format.h"
#include "emulator/traffic/trace_lines.h"
#include "emulator/traffic/trace_value.h"

namespace troupe::traffic {
namespace {

/// A file's rows as they stand there.
struct RawTrace {
  std::string format;
  bool has_lengths = true;
  std::vector<TraceRow> rows;
  bool was_sorted = true;
};

using RowParser = std::function<Result<TraceRow>(std::string_view line)>;

Result<void> read_rows(TraceLines& lines, const RowParser& parse, RawTrace& raw) {
  while (true) {
    const auto line = lines.next();
    if (!line) return tl::unexpected(line.error());
    if (!*line) return {};
    auto row = parse(**line);
    if (!row) return fail(row.error().message, lines.where());
    raw.rows.push_back(std::move(*row));
  }
}

// Sorts by time and makes the earliest date, or the file's own zero, the zero.
Result<void> settle_times(RawTrace& raw, bool dates, const std::string& where) {
  const auto earlier = [](const TraceRow& a, const TraceRow& b) { return a.at < b.at; };
  raw.was_sorted = std::is_sorted(raw.rows.begin(), raw.rows.end(), earlier);
  if (!raw.was_sorted) std::stable_sort(raw.rows.begin(), raw.rows.end(), earlier);
  if (!dates) return {};
  const Duration zero = raw.rows.front().at;
  if (raw.rows.back().at - zero > kSpanMax)
    return fail("expected a trace of at most ten years", where);
  for (TraceRow& row : raw.rows) row.at -= zero;
  return {};
}

Result<RawTrace> read_raw(std::istream& stream, const std::string& name) {
  TraceLines lines(stream, name);
  const auto first = lines.next();
  if (!first) return tl::unexpected(first.error());
  if (!*first) return fail("expected a trace, found an empty file", lines.where());
  RawTrace raw;
  bool dates = false;
  RowParser parse = parse_mooncake_line;
  if ((*first)->starts_with('{')) {
    raw.format = "Mooncake";
    auto row = parse(**first);
    if (!row) return fail(row.error().message, lines.where());
    raw.rows.push_back(std::move(*row));
  } else {
    const auto layout = layout_of(**first);
    if (!layout) return fail(layout.error().message, lines.where());
    raw.format = layout->format->name;
    raw.has_lengths = !layout->format->prompt.empty();
    dates = layout->format->arrival_kind == ArrivalKind::Date;
    parse = [layout = *layout](std::string_view line) { return parse_csv_row(layout, line); };
  }
  if (const auto read = read_rows(lines, parse, raw); !read) return tl::unexpected(read.error());
  if (raw.rows.empty()) return fail("expected requests after the header", lines.where());
  if (const auto settled = settle_times(raw, dates, name); !settled)
    return tl::unexpected(settled.error());
  return raw;
}

template <class T>
Result<T> with_file(const std::filesystem::path& file,
                    const std::function<Result<T>(std::istream&)>& read) {
  std::error_code ignored;  // a path that cannot be looked at cannot be opened either
  if (std::filesystem::is_directory(file, ignored))
    return fail("expected a trace file, found a folder", file.string());
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return fail(std::string("cannot be read: ") + std::strerror(errno), file.string());
  return read(stream);
}

}  // namespace

Result<TraceFile> read_trace(std::istream& stream, const std::string& name,
                             const TraceOptions& options) {
  if (const auto good = check(options); !good) return fail(good.error().message, name);
  auto raw = read_raw(stream, name);
  if (!raw) return tl::unexpected(raw.error());
  if (!raw->has_lengths) {
    return fail("expected columns with the numbers of tokens; this file has arrival times only",
                name + ":1");
  }
  TraceFile file{.format = raw->format, .rows = raw->rows.size()};
  if (!raw->was_sorted) file.notes.emplace_back("its rows were not in order of time: sorted");
  const auto empty = std::erase_if(raw->rows, [](const TraceRow& row) {
    return row.prompt_tokens == 0 || row.output_tokens == 0;
  });
  if (empty > 0) {
    file.notes.push_back(std::to_string(empty) +
                         " requests without prompt or output were left out");
  }
  const auto rows = select_rows(std::move(raw->rows), options);
  if (rows.empty()) return fail("no request is left of " + std::to_string(file.rows), name);
  file.trace = pack(rows, kMooncakeBlockTokens);
  return file;
}

Result<TraceFile> read_trace(const std::filesystem::path& file, const TraceOptions& options) {
  return with_file<TraceFile>(
      file, [&](std::istream& stream) { return read_trace(stream, file.string(), options); });
}

Result<std::vector<Duration>> read_arrivals(std::istream& stream, const std::string& name) {
  const auto raw = read_raw(stream, name);
  if (!raw) return tl::unexpected(raw.error());
  std::vector<Duration> arrivals;
  for (const TraceRow& row : raw->rows) arrivals.push_back(row.at);
  return arrivals;
}

Result<std::vector<Duration>> read_arrivals(const std::filesystem::path& file) {
  return with_file<std::vector<Duration>>(
      file, [&](std::istream& stream) { return read_arrivals(stream, file.string()); });
}

}  // namespace troupe::traffic
