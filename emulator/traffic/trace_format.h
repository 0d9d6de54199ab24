// Which format a trace has: its header says, not its name and not the position of its columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/traffic/trace_row.h"
#include "messages/result.h"

namespace troupe::traffic {

enum class ArrivalKind : std::uint8_t {
  Seconds,  ///< since the file's zero
  Date,     ///< the file's zero is its earliest row
};

/// A CSV format: the columns that matter, by name. Others may stand between them in any order.
struct CsvFormat {
  std::string_view name;
  std::string_view arrival;
  ArrivalKind arrival_kind;
  std::string_view prompt;  ///< empty: the format has arrivals only
  std::string_view output;
};

/// Where the columns of a format are in one file.
struct CsvLayout {
  const CsvFormat* format = nullptr;
  std::size_t columns = 0;
  std::size_t arrival = 0;
  std::size_t prompt = 0;
  std::size_t output = 0;
};

/// The layout of the file that begins with this line; the failure lists the headers that are known.
[[nodiscard]] Result<CsvLayout> layout_of(std::string_view header);

/// A line of that file. The failure names the column.
[[nodiscard]] Result<TraceRow> parse_csv_row(const CsvLayout& layout, std::string_view line);

}  // namespace troupe::traffic
