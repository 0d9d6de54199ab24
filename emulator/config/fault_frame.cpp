#include "emulator/config/fault_frame.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "actors/distribution.h"
#include "emulator/checks/expectations.h"
#include "emulator/config/values.h"
#include "messages/facts.pb.h"
#include "messages/hash.h"

namespace troupe::config {
namespace {

constexpr std::uint32_t kCertain = 1'000'000;
constexpr std::size_t kMomentsMax = 100'000;
constexpr double kNanosecondsPerSecond = 1e9;
/// What the runtime records is no message of an actor, and the director's own is no news to it.
constexpr std::array<std::string_view, 4> kUntold = {"FaultInjected", "FaultHealed", "HostStarted",
                                                     "HostCrashed"};

Duration mean_interval(const Fault& fault) {
  if (fault.rate().empty()) return duration_or(fault.every(), Duration::zero());
  const std::int64_t micro = micro_rate(fault.rate());
  if (micro <= 0) return Duration::zero();
  return Duration(std::llround(kNanosecondsPerSecond * 1e6 / static_cast<double>(micro)));
}

// A Poisson process: the gaps are exponential, each drawn by its number.
void draw_moments(const Fault& fault, const plan::RunPlan& plan, FaultFrame& frame,
                  Problems& problems) {
  const std::string path = frame.path + (fault.rate().empty() ? ".every" : ".rate");
  const Duration mean = mean_interval(fault);
  if (mean < std::chrono::milliseconds(1)) {
    problems.add(path, "expected a mean interval of at least 1ms");
    return;
  }
  std::int64_t at = duration_or(fault.start(), Duration::zero()).count();
  for (std::uint64_t n = 0;; ++n) {
    at += exponential(mix(plan.seed(), hash_bytes("fault times"), frame.index, n), mean.count());
    if (at >= plan.duration_ns()) break;
    frame.moments.push_back(at);
    if (frame.moments.size() < kMomentsMax) continue;
    problems.add(path, "expected at most " + std::to_string(kMomentsMax) + " times in a run");
    break;
  }
}

void read_condition(const FaultCondition& when, Duration start, FaultFrame& frame,
                    Problems& problems) {
  const std::string path = frame.path + ".when";
  frame.has_condition = true;
  frame.condition.set_fact(when.fact());
  frame.condition.set_delay_ns(duration_or(when.delay(), Duration::zero()).count());
  frame.condition.set_repeat(when.repeat());
  frame.condition.set_from_ns(start.count());
  const auto* type = facts::PodBound::descriptor()->file()->FindMessageTypeByName(when.fact());
  if (type == nullptr) {
    problems.add(path + ".fact", "unknown fact '" + when.fact() + "': see messages/facts.proto");
    return;
  }
  if (std::find(kUntold.begin(), kUntold.end(), when.fact()) != kUntold.end()) {
    problems.add(path + ".fact", "the director is not told of " + when.fact());
  }
  for (const KeyValue& match : when.match()) {
    if (type->FindFieldByCamelcaseName(match.key()) == nullptr) {
      problems.add(path + ".match",
                   "the fact " + when.fact() + " has no field '" + match.key() + "'");
    }
    auto* added = frame.condition.add_match();
    added->set_field(match.key());
    added->set_value(match.value());
  }
}

void read_moments(const Fault& fault, const plan::RunPlan& plan, FaultFrame& frame,
                  Problems& problems) {
  const int ways = static_cast<int>(!fault.at().empty()) + static_cast<int>(fault.has_when()) +
                   static_cast<int>(!fault.every().empty()) +
                   static_cast<int>(!fault.rate().empty());
  if (ways != 1) {
    problems.add(frame.path, "expected exactly one of `at`, `when`, `every`, `rate`");
  } else if (fault.has_when()) {
    read_condition(fault.when(), duration_or(fault.start(), Duration::zero()), frame, problems);
  } else if (!fault.at().empty()) {
    if (!fault.start().empty())
      problems.add(frame.path + ".start", "a fault with `at` is said when");
    frame.moments.push_back(duration_or(fault.at(), Duration::zero()).count());
  } else {
    draw_moments(fault, plan, frame, problems);
  }
}

}  // namespace

FaultFrame frame_of(const Fault& fault, std::uint32_t index, const FaultKind& kind,
                    const plan::RunPlan& plan, Problems& problems) {
  FaultFrame frame;
  frame.index = index;
  frame.path = "faults[" + std::to_string(index) + "]";
  read_moments(fault, plan, frame, problems);
  frame.probability_ppm =
      percent_ppm(fault.probability(), kCertain, frame.path + ".probability", problems);
  frame.length = duration_or(fault.duration(), Duration::zero());
  if (!fault.duration().empty() && !kind.heals) {
    problems.add(frame.path + ".duration", "a " + std::string(kind.key) + " is over at once");
  }
  if (frame.has_condition) {
    frame.condition.set_nth(std::max<std::uint32_t>(fault.after(), 1));
  } else if (kind.of_messages) {
    frame.after = fault.after();
  } else if (fault.after() > 0 && !fault.at().empty()) {
    problems.add(frame.path + ".after",
                 "this fault happens once: expected `when`, `every` or `rate`");
  } else {
    const auto passed = std::min<std::size_t>(fault.after(), frame.moments.size());
    frame.moments.erase(frame.moments.begin(),
                        frame.moments.begin() + static_cast<std::ptrdiff_t>(passed));
  }
  return frame;
}

}  // namespace troupe::config
