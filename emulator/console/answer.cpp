#include "emulator/console/answer.h"

#include <algorithm>
#include <cctype>

namespace troupe::console {
namespace {

constexpr std::size_t kGap = 3;
const std::string kNone = "<none>";

std::string camel_case(const std::string& title) {
  std::string key;
  bool upper = false;
  for (const char c : title) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      upper = !key.empty();
    } else {
      key += static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
      upper = false;
    }
  }
  return key;
}

}  // namespace

std::string print_table(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& title : table.head) widths.push_back(title.size());
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].empty() ? kNone.size() : row[i].size());
    }
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& cell = row[i].empty() ? kNone : row[i];
      text += cell;
      if (i + 1 < row.size()) text.append(widths[i] - cell.size() + kGap, ' ');
    }
    text += '\n';
  };
  add(table.head);
  for (const auto& row : table.rows) add(row);
  return text;
}

Json table_json(const Table& table) {
  Json list = Json::array();
  for (const auto& row : table.rows) {
    Json one = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) one[camel_case(table.head[i])] = row[i];
    list.push_back(std::move(one));
  }
  return list;
}

// k8s.io/apimachinery/pkg/util/duration, HumanDuration.
std::string age_text(std::int64_t ns) {
  const std::int64_t s = std::max<std::int64_t>(ns, 0) / 1'000'000'000;
  const std::int64_t m = s / 60;
  const std::int64_t h = m / 60;
  const std::int64_t d = h / 24;
  const auto one = [](std::int64_t a, const char* unit) { return std::to_string(a) + unit; };
  const auto two = [&](std::int64_t a, const char* unit, std::int64_t b, const char* small) {
    return one(a, unit) + (b == 0 ? "" : one(b, small));
  };
  if (s < 120) return one(s, "s");
  if (m < 10) return two(m, "m", s % 60, "s");
  if (h < 3) return one(m, "m");
  if (h < 8) return two(h, "h", m % 60, "m");
  if (h < 48) return one(h, "h");
  if (d < 8) return two(d, "d", h % 24, "h");
  return one(d, "d");
}

std::string seconds_text(std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::string text = std::to_string(kSecond + ns % kSecond);
  text.front() = '.';
  text.erase(text.find_last_not_of('0') + 1);
  if (text == ".") text.clear();
  return std::to_string(ns / kSecond) + text + "s";
}

}  // namespace troupe::console
