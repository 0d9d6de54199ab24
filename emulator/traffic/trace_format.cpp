#include "emulator/traffic/trace_format.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "emulator/traffic/csv_line.h"
#include "emulator/traffic/trace_value.h"

namespace troupe::traffic {
namespace {

// A format whose columns include another's stands before it.
constexpr std::array<CsvFormat, 4> kFormats = {{
    // Azure Public Dataset, LLM inference traces of 2023 and 2024.
    {"Azure", "TIMESTAMP", ArrivalKind::Date, "ContextTokens", "GeneratedTokens"},
    // BurstGPT; a failed request has 0 response tokens.
    {"BurstGPT", "Timestamp", ArrivalKind::Seconds, "Request tokens", "Response tokens"},
    // Vidur, and the traces that Splitwise's simulator reads.
    {"Vidur", "arrived_at", ArrivalKind::Seconds, "num_prefill_tokens", "num_decode_tokens"},
    {"arrivals", "arrived_at", ArrivalKind::Seconds, "", ""},
}};

std::optional<std::size_t> column_of(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::optional<CsvLayout> match(const CsvFormat& format, const std::vector<std::string>& names) {
  const auto arrival = column_of(names, format.arrival);
  if (!arrival) return std::nullopt;
  CsvLayout layout{.format = &format, .columns = names.size(), .arrival = *arrival};
  if (format.prompt.empty()) return layout;
  const auto prompt = column_of(names, format.prompt);
  const auto output = column_of(names, format.output);
  if (!prompt || !output) return std::nullopt;
  layout.prompt = *prompt;
  layout.output = *output;
  return layout;
}

std::string known_headers() {
  std::string list;
  for (const CsvFormat& format : kFormats) {
    if (!list.empty()) list += " | ";
    list += format.arrival;
    if (!format.prompt.empty())
      list += "," + std::string(format.prompt) + "," + std::string(format.output);
  }
  return list + " | JSON lines with timestamp, input_length, output_length";
}

template <class T>
Result<T> in_column(Result<T> value, std::string_view column) {
  if (value) return value;
  return fail("column " + std::string(column) + ": " + value.error().message);
}

}  // namespace

Result<CsvLayout> layout_of(std::string_view header) {
  const auto names = split_csv(header);
  if (names) {
    for (const CsvFormat& format : kFormats) {
      if (const auto layout = match(format, *names)) return *layout;
    }
  }
  return fail("expected a header with the columns of a known trace (" + known_headers() +
              "), found \"" + std::string(header.substr(0, 80)) + "\"");
}

Result<TraceRow> parse_csv_row(const CsvLayout& layout, std::string_view line) {
  const auto fields = split_csv(line);
  if (!fields) return fail("a quote is not closed");
  if (fields->size() != layout.columns) {
    return fail("expected " + std::to_string(layout.columns) + " fields as in the header, found " +
                std::to_string(fields->size()));
  }
  const CsvFormat& format = *layout.format;
  const std::string& arrival = (*fields)[layout.arrival];
  const auto at = in_column(format.arrival_kind == ArrivalKind::Date
                                ? parse_date(arrival)
                                : parse_offset(arrival, std::chrono::seconds(1)),
                            format.arrival);
  if (!at) return tl::unexpected(at.error());
  TraceRow row{.at = *at};
  if (format.prompt.empty()) return row;
  const auto prompt = in_column(parse_tokens((*fields)[layout.prompt]), format.prompt);
  if (!prompt) return tl::unexpected(prompt.error());
  const auto output = in_column(parse_tokens((*fields)[layout.output]), format.output);
  if (!output) return tl::unexpected(output.error());
  row.prompt_tokens = *prompt;
  row.output_tokens = *output;
  return row;
}

}  // namespace troupe::traffic
