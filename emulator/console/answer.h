// What a command is answered with, whoever asked and in whichever form it will be shown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "messages/control.pb.h"

namespace troupe::console {

using Json = nlohmann::ordered_json;

struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

struct Answer {
  control::Reply::Outcome outcome = control::Reply::OK;
  std::string text;                                             ///< for people
  Json json = {};                                               ///< for --json
  std::vector<std::pair<std::string, std::string>> files = {};  ///< name and text, to be written
};

[[nodiscard]] inline Answer refused(std::string why) {
  return {control::Reply::REFUSED, std::move(why)};
}
[[nodiscard]] inline Answer bad_usage(std::string why) {
  return {control::Reply::BAD_USAGE, std::move(why)};
}

/// As kubectl prints it: columns three spaces apart, "<none>" for what is empty.
[[nodiscard]] std::string print_table(const Table& table);
/// As a list of objects whose keys are the columns in camelCase.
[[nodiscard]] Json table_json(const Table& table);
/// kubectl's own rounding of an age: "45s", "3m20s", "5h", "2d3h".
[[nodiscard]] std::string age_text(std::int64_t ns);
/// Virtual seconds, as many decimals as needed: "12.5s".
[[nodiscard]] std::string seconds_text(std::int64_t ns);

}  // namespace troupe::console
