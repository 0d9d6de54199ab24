#include "actors/kubelet/pre_stop.h"

#include <charconv>
#include <string_view>

namespace troupe::kubelet {
namespace {

constexpr std::string_view kSleep = "sleep";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

/// The number after the word "sleep" in a command line; 0 if there is none.
std::int64_t slept_seconds(std::string_view line) {
  for (std::size_t at = line.find(kSleep); at != std::string_view::npos;
       at = line.find(kSleep, at + 1)) {
    const bool word_begins = at == 0 || is_space(line[at - 1]) || line[at - 1] == '/' ||
                             line[at - 1] == ';' || line[at - 1] == '&';
    std::size_t number = at + kSleep.size();
    if (!word_begins || number >= line.size() || !is_space(line[number])) continue;
    while (number < line.size() && is_space(line[number])) ++number;
    std::int64_t seconds = 0;
    const auto parsed = std::from_chars(line.data() + number, line.data() + line.size(), seconds);
    if (parsed.ec == std::errc{} && seconds > 0) return seconds;
  }
  return 0;
}

}  // namespace

Duration pre_stop_delay(const k8s::Container& container) {
  const k8s::LifecycleHandler& hook = container.lifecycle().pre_stop();
  if (hook.has_sleep()) return std::chrono::seconds(hook.sleep().seconds());
  std::string line;
  for (const std::string& word : hook.exec().command()) line += (line.empty() ? "" : " ") + word;
  return std::chrono::seconds(slept_seconds(line));
}

}  // namespace troupe::kubelet
