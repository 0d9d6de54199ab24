#include "emulator/processes/run_directory.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <system_error>

#include <nlohmann/json.hpp>

namespace troupe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSummary = "summary.json";

std::string wall_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

std::string default_name(const plan::RunPlan& plan) {
  std::string name = plan.scenario();
  if (!plan.variant().empty()) name += "-" + plan.variant();
  return name + "-" + std::to_string(plan.seed()) + "-" + wall_time();
}

// A new folder below runs/. Two runs may begin in one second: who makes the folder has it.
fs::path make_default(const plan::RunPlan& plan, std::error_code& error) {
  fs::create_directories("runs", error);
  const std::string name = default_name(plan);
  fs::path path = fs::path("runs") / name;
  for (int i = 2; !error && !fs::create_directory(path, error) && !error; ++i) {
    path = fs::path("runs") / (name + "-" + std::to_string(i));
  }
  return path;
}

}  // namespace

Result<RunDirectory> RunDirectory::create(const plan::RunPlan& plan,
                                          const std::optional<fs::path>& wanted) {
  std::error_code error;
  if (!wanted) {
    const fs::path path = make_default(plan, error);
    if (error) return fail("cannot be made: " + error.message(), path.string());
    return RunDirectory(path);
  }
  const fs::path& path = *wanted;
  if (fs::exists(path / kSummary, error) || fs::exists(path / "journal", error)) {
    return fail("holds a run already: name another folder with --out", path.string());
  }
  fs::create_directories(path, error);
  if (error) return fail("cannot be made: " + error.message(), path.string());
  return RunDirectory(path);
}

Result<void> RunDirectory::write_summary(const nlohmann::json& summary) const {
  // Written beside and renamed, so that a summary is whole or absent.
  const fs::path target = path_ / kSummary;
  const fs::path draft = path_ / "summary.json.part";
  std::ofstream file(draft);
  if (!file) return fail(std::string("cannot be written: ") + std::strerror(errno), draft.string());
  file << summary.dump(2) << '\n';
  file.close();
  std::error_code error;
  if (file.good()) fs::rename(draft, target, error);
  if (file.good() && !error) return {};
  std::error_code ignored;  // what cannot be written may not be removable either
  fs::remove(draft, ignored);
  return fail("could not be written whole: " + (error ? error.message() : "is the disk full?"),
              target.string());
}

}  // namespace troupe
