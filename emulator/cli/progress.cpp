#include "emulator/cli/progress.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include <unistd.h>

namespace troupe::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kPatience(500);

// The bar, and how far each of the runs is that share it.
class Meter {
 public:
  Meter(std::size_t runs, std::string title) : percents_(runs), title_(std::move(title)) {}

  void advance(std::size_t run, int percent) {
    const std::lock_guard lock(mutex_);
    percents_[run] = percent;
    const int sum = std::accumulate(percents_.begin(), percents_.end(), 0);
    show(sum / static_cast<int>(percents_.size()));
  }

 private:
  void show(int percent) {
    const int step = is_terminal_ ? 1 : 10;
    if (percent < shown_ + step) return;
    // What is over in a moment needs no progress.
    const bool ends_bar = is_terminal_ && percent == 100 && shown_ > 0;
    if (Clock::now() - last_ < kPatience && !ends_bar) return;
    last_ = Clock::now();
    shown_ = percent - percent % step;
    if (is_terminal_) {
      draw_bar();
    } else {
      std::fprintf(stderr, "%s: %d %% of virtual time\n", title_.c_str(), shown_);
    }
  }

  void draw_bar() const {
    std::string bar(static_cast<std::size_t>(shown_ * kBarWidth / 100), '#');
    bar.resize(kBarWidth, '.');
    std::fprintf(stderr, "\r%s [%s] %3d %%%s", title_.c_str(), bar.c_str(), shown_,
                 shown_ == 100 ? "\n" : "");
  }

  std::mutex mutex_;
  std::vector<int> percents_;
  std::string title_;
  bool is_terminal_ = isatty(STDERR_FILENO) != 0;
  int shown_ = 0;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

std::vector<std::function<void(SimTime)>> progress_to(const std::vector<SimTime>& ends,
                                                      const std::string& title) {
  const auto meter = std::make_shared<Meter>(ends.size(), title);
  std::vector<std::function<void(SimTime)>> callbacks;
  for (std::size_t run = 0; run < ends.size(); ++run) {
    callbacks.emplace_back([meter, run, end = ends[run]](SimTime now) {
      meter->advance(run, static_cast<int>(to_ns(now) * 100 / to_ns(end)));
    });
  }
  return callbacks;
}

}  // namespace troupe::cli
