#include "emulator/manifests/spelling.h"

#include <algorithm>
#include <functional>

namespace troupe::manifests {
namespace {

constexpr std::size_t kLongestName = 80;

/// Case and separators do not count: node_selector and nodeselector are slips of nodeSelector.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name.substr(0, kLongestName)) {
    if (c == '_' || c == '-') continue;
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return text;
}

std::string closest(std::string_view found, const std::vector<std::string>& known,
                    const std::function<bool(const std::string&)>& close_enough) {
  std::string best;
  int best_distance = 0;
  for (const std::string& name : known) {
    const int distance = edit_distance(found, name);
    if (!close_enough(name) || (!best.empty() && distance >= best_distance)) continue;
    best = name;
    best_distance = distance;
  }
  return best;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::string from = folded(a);
  const std::string to = folded(b);
  std::vector<int> before(to.size() + 1);
  std::vector<int> last(to.size() + 1);
  std::vector<int> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const int change = from[i - 1] == to[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

bool is_near_miss(std::string_view found, std::string_view known) {
  const int allowed = known.size() <= 3 ? 0 : known.size() <= 6 ? 1 : 2;
  return found.size() <= kLongestName && edit_distance(found, known) <= allowed;
}

std::string near_miss(std::string_view found, const std::vector<std::string>& known) {
  return closest(found, known, [&](const std::string& name) { return is_near_miss(found, name); });
}

std::string nearest(std::string_view found, const std::vector<std::string>& known) {
  return closest(found, known, [&](const std::string& name) {
    return edit_distance(found, name) * 2 <= static_cast<int>(name.size());
  });
}

}  // namespace troupe::manifests
