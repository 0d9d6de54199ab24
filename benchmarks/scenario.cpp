// Times one scenario from its plan to its summary, with the memory that it takes at most.
//   scenario_bench FILE LIMIT_SECONDS LIMIT_MIB
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>

#include "emulator/config/scenario_loader.h"
#include "emulator/processes/execute.h"

namespace {

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux gives KiB
}

}  // namespace

int main(int argc, char** argv) {
  using namespace troupe;
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s FILE LIMIT_SECONDS LIMIT_MIB\n", argv[0]);
    return 2;
  }
  const config::LoadedScenario loaded = config::load_scenario(argv[1]);
  if (!loaded.ok()) {
    std::fprintf(stderr, "%s\n", manifests::to_string(loaded.diagnostics).c_str());
    return 2;
  }
  const Result<ExecuteResult> result = execute(loaded.plan, {});
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    return 3;
  }
  const nlohmann::json& summary = result->summary;
  const double wall = summary["wall_seconds"].get<double>();
  const double virtual_seconds = static_cast<double>(loaded.plan.duration_ns()) / 1e9;
  const double messages = summary["messages_delivered"].get<double>();
  std::printf("%s: %.0f s of virtual time, %.0f messages%s\n", loaded.plan.scenario().c_str(),
              virtual_seconds, messages, result->held ? "" : "  AN EXPECTATION FAILED");
  std::printf("  wall clock               %12.2f s   (limit %s s)\n", wall, argv[2]);
  std::printf("  against real time        %12.0f x   %.0f messages a second\n",
              virtual_seconds / wall, messages / wall);
  std::printf("  peak memory              %12.0f MiB (limit %s MiB)\n", peak_mib(), argv[3]);
  for (const nlohmann::json& expectation : summary["expectations"]) {
    if (!expectation["pass"].get<bool>()) std::printf("  %s\n", expectation.dump().c_str());
  }
  return result->held ? 0 : 1;
}
