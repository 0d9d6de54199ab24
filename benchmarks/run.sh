#!/usr/bin/env bash
# run.sh BUILD_DIR: every benchmark, each figure beside its peer or limit. One process each: SimGrid's engine is one per process, and peak memory is a process's.
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1

"$build/ring_bench" 1000
"$build/ring_bench" 10000
"$build/scenario_bench" benchmarks/scenarios/thousand-nodes.yaml 10 1024
# At least a hundred times faster than real time.
"$build/scenario_bench" scenarios/azure-conversation.yaml 39 1024
"$build/stream_bench" "$build/troupe" scenarios/placement.yaml
"$build/kai_cycle_bench" 0.5
