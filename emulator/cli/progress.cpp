#include "emulator/cli/progress.h"

#include <chrono>
#include <cstdio>
#include <memory>

#include <unistd.h>

namespace troupe::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kPatience(500);

void draw_bar(const std::string& title, int percent) {
  std::string bar(static_cast<std::size_t>(percent * kBarWidth / 100), '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(stderr, "\r%s [%s] %3d %%%s", title.c_str(), bar.c_str(), percent,
               percent == 100 ? "\n" : "");
}

}  // namespace

std::function<void(SimTime)> progress_to(SimTime end, const std::string& title) {
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  const int step = is_terminal ? 1 : 10;
  auto shown = std::make_shared<int>(0);
  auto last = std::make_shared<Clock::time_point>(Clock::now());
  return [=](SimTime now) {
    const int percent = static_cast<int>(to_ns(now) * 100 / to_ns(end));
    if (percent < *shown + step) return;
    // What is over in a moment needs no progress.
    if (Clock::now() - *last < kPatience && !(is_terminal && percent == 100 && *shown > 0)) return;
    *last = Clock::now();
    *shown = percent - percent % step;
    if (is_terminal) {
      draw_bar(title, *shown);
    } else {
      std::fprintf(stderr, "%s: %d %% of virtual time\n", title.c_str(), *shown);
    }
  };
}

}  // namespace troupe::cli
