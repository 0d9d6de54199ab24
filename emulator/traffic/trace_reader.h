// Reads recorded traffic: request traces as their publishers ship them.
//
// The header decides the format (trace_format.h) and a file whose first character is `{` is
// Mooncake's JSON lines. A line that cannot be read refuses the whole file, with file, line and
// what was expected. Two things are mended, each with a note for the user: rows out of order are
// sorted by time (rows of one time keep their order), and requests without prompt or without
// output, which failed where they were recorded, are left out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

#include "emulator/traffic/trace_row.h"
#include "emulator/traffic/trace_select.h"
#include "messages/load.pb.h"
#include "messages/result.h"

namespace troupe::traffic {

struct TraceFile {
  load::Trace trace;
  std::string format;              ///< "Azure", "BurstGPT", "Vidur", "Mooncake"
  std::uint64_t rows = 0;          ///< in the file
  std::vector<std::string> notes;  ///< what was mended, a sentence each
};

/// The trace in `file`, as far as the options choose it. A file of arrivals without lengths is
/// refused.
[[nodiscard]] Result<TraceFile> read_trace(const std::filesystem::path& file,
                                           const TraceOptions& options = {});
[[nodiscard]] Result<TraceFile> read_trace(std::istream& stream, const std::string& name,
                                           const TraceOptions& options = {});

/// The arrival times in `file`, of any format, in order.
[[nodiscard]] Result<std::vector<Duration>> read_arrivals(const std::filesystem::path& file);
[[nodiscard]] Result<std::vector<Duration>> read_arrivals(std::istream& stream,
                                                          const std::string& name);

}  // namespace troupe::traffic
