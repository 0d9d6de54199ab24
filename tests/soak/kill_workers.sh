#!/usr/bin/env bash
# Kills workers of live runs, one after the other, and says of each run what became of it: how it ended, which expectations
# it missed, whether its replay is exact, what it left behind. It takes about ten seconds a run.
#
#   tests/soak/kill_workers.sh RUNS KILLS_PER_RUN [PROGRAM]
set -euo pipefail
runs=${1:?how many runs}
kills=${2:?how many kills in each}
program=${3:-build/troupe}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

good=0 exact=0 late=0 killed=0
for run in $(seq "$runs"); do
  out="$folder/run-$run"
  "$program" run scenarios/worker-death.yaml --live --speed 10 --processes 3 --out "$out" \
    >"$folder/stdout" 2>"$folder/stderr" &
  launcher=$!
  for _ in $(seq "$kills"); do
    sleep "$(awk -v seed="$RANDOM" 'BEGIN { srand(seed); print 0.7 + rand() * 1.5 }')"
    worker=$(pgrep -P "$launcher" | shuf -n 1 || true)
    [ -n "$worker" ] && kill -9 "$worker" 2>/dev/null && killed=$((killed + 1))
  done
  began=$SECONDS
  status=0
  wait "$launcher" || status=$?
  [ $((SECONDS - began)) -gt 60 ] && late=$((late + 1))
  replay=0
  "$program" replay "$out" >"$folder/replay" 2>&1 || replay=$?
  [ "$status" -eq 0 ] && good=$((good + 1))
  [ "$replay" -eq 0 ] && exact=$((exact + 1))
  left=$(pgrep -P "$launcher" | wc -l || true)
  sockets=$(find "${XDG_RUNTIME_DIR:-/tmp}" -maxdepth 1 -name 'troupe-??????' -type d | wc -l)
  echo "run $run: exit $status, replay $replay, processes left $left, socket folders left $sockets"
  grep '^FAIL' "$folder/stdout" | sed 's/^/  /' || true
  [ "$replay" -eq 0 ] || sed 's/^/  /' "$folder/replay"
  rm -rf "$out"
done
echo "$killed kills in $runs runs: $good met their expectations, $exact replayed exactly, $late took too long"
