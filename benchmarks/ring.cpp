#include "benchmarks/ring.h"

#include <cstdio>
#include <cstdlib>

using troupe::bench::RingResult;

int main(int argc, char** argv) {
  // SimGrid's engine is one per process, so each size is a process of its own: `ring_bench 10000`.
  const int actors = argc > 1 ? std::atoi(argv[1]) : 1000;
  if (actors < 2) {
    std::fprintf(stderr, "usage: %s ACTORS, at least 2\n", argv[0]);
    return 2;
  }
  const RingResult ours = troupe::bench::ring_troupe(actors, 2'000'000);
  const RingResult bare = troupe::bench::ring_bare(actors, 2'000'000);
  const RingResult simgrid =
      troupe::bench::ring_simgrid(actors, static_cast<std::uint64_t>(actors) * 20);
  std::printf("ring of %d actors, messages a second\n", actors);
  std::printf("  troupe, full runtime     %12.0f\n", ours.per_second());
  std::printf("  bare heap + CAF          %12.0f   troupe / bare    %.2f  (goal: at least 0.50)\n",
              bare.per_second(), ours.per_second() / bare.per_second());
  std::printf("  SimGrid s4u mailboxes    %12.0f   troupe / SimGrid %.1f%s\n", simgrid.per_second(),
              ours.per_second() / simgrid.per_second(),
              actors >= 10'000 ? "  (goal: at least 10)" : "");
}
