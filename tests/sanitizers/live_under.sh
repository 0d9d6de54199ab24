#!/usr/bin/env bash
# Live mode under a sanitizer: runs at several speeds and over several processes, undisturbed and disturbed by hand, by
# kill -9 and by Ctrl-C, each replayed in one process and in three, and the tests of live mode. Says of each what was found;
# exit code 1 if anything was.
#
#   tests/sanitizers/live_under.sh address|thread BUILD_FOLDER [runs|disturbed|tests]
#
# CONTRIBUTING.md says how to make the build folder. The last word picks a part: undisturbed runs, disturbed ones, the tests.
set -euo pipefail
sanitizer=${1:?address or thread}
build=$(realpath "${2:?the build folder}")
what=${3:-all}
case $what in all | runs | disturbed | tests) ;; *) echo "'$what': expected runs, disturbed or tests" >&2; exit 2 ;; esac
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
program="$build/troupe"

# Every process, also one that another has started, writes what it finds into a file of its own.
case $sanitizer in
  address)
    export ASAN_OPTIONS="detect_leaks=1:log_path=$folder/found"
    export UBSAN_OPTIONS="print_stacktrace=1:log_path=$folder/found" ;;
  thread)
    export TSAN_OPTIONS="second_deadlock_stack=1:log_path=$folder/found"
    for library in libcaf_core libzmq; do  # without them it would see races that are none, and miss some
      path=$(ldd "$program" | awk -v name="$library" 'index($1, name) == 1 { print $3 }')
      ldd "$path" | grep libtsan >/dev/null || { echo "$path is not built with -fsanitize=thread" >&2; exit 2; }
    done ;;
  *) echo "'$sanitizer': expected address or thread" >&2; exit 2 ;;
esac

bad=0
# say NAME STATUS EXPECTED...: whether it ended as expected, and what was found meanwhile.
say() {
  local name=$1 status=$2 reports
  shift 2
  reports=$(find "$folder" -name 'found.*' | wc -l)
  echo "$name: exit $status, $reports processes with reports"
  if [ "$reports" -ne 0 ]; then
    grep -hE 'SUMMARY|runtime error' "$folder"/found.* | sort | uniq -c || true
    sed -n 1,60p "$(find "$folder" -name 'found.*' | head -n 1)"
    rm -f "$folder"/found.*
    bad=1
  fi
  [[ " $* " == *" $status "* ]] || { tail -n 5 "$folder/output"; bad=1; }
}

begin() {  # SCENARIO SPEED PROCESSES [OPTION...]: starts a live run
  rm -rf "$folder/run"
  "$program" run "$1" --live --speed "$2" --processes "$3" --out "$folder/run" "${@:4}" >"$folder/output" 2>&1 &
  launcher=$!
}

end() {  # NAME EXPECTED...: waits for its end, and replays it
  local status=0
  wait "$launcher" || status=$?
  say "$1" "$status" "${@:2}"
  for processes in 1 3; do
    status=0
    "$program" replay "$folder/run" --processes "$processes" >"$folder/output" 2>&1 || status=$?
    say "  replay in $processes" "$status" 0
  done
}

by_hand() {
  "$program" ctl "$folder/run" "$@" >"$folder/answer" 2>&1 || { echo "ctl $*: $(tail -n 1 "$folder/answer")" >&2; bad=1; }
}

attached() {  # waits until a console can attach
  for _ in $(seq 600); do
    "$program" ctl "$folder/run" status >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "nobody answered" >&2
  bad=1
}

# The exit code is that of the expectations: a run that a sanitizer slows down may miss one, and that is no report.
runs() {
  for scenario in worker-death first-steps placement; do
    for setting in "5 2" "30 4" "max 3"; do
      read -r speed processes <<<"$setting"
      begin "scenarios/$scenario.yaml" "$speed" "$processes"
      end "$scenario at speed $speed in $processes" 0 1
    done
  done
  for scenario in scenarios/faults/*.yaml; do
    variant=$(awk '/^variants:/ { on = 1; next } on { sub(/:.*/, ""); print $1; exit }' "$scenario")
    begin "$scenario" 30 2 ${variant:+--variant "$variant"}
    end "$scenario $variant" 0 1
  done
}

disturbed() {
  begin scenarios/worker-death.yaml 5 4
  attached
  by_hand inject crash host=node/h100-0 restartAfter=60s
  by_hand inject gpu node=h100-1 gpu=0 xid=79
  by_hand inject crash 'host=controller/kube-scheduler/0' restartAfter=5s
  by_hand inject gpu node=h100-0 gpu=0 xid=48
  by_hand inject crash host=node/h100-1 restartAfter=5s
  for look in "get nodes" "get pods -o wide" "get processes" "get requests" "get faults" "top nodes" status; do
    # shellcheck disable=SC2086
    by_hand $look
  done
  by_hand heal 1
  by_hand pause
  by_hand resume
  printf 'get pods\nget gpus\nstatus\nexit\n' | "$program" console "$folder/run" >/dev/null 2>&1 || bad=1
  end "five faults by hand" 0 1

  begin scenarios/worker-death.yaml 10 3
  attached
  for _ in 1 2 3; do
    sleep 2
    worker=$(pgrep -P "$launcher" | shuf -n 1 || true)
    [ -z "$worker" ] || kill -9 "$worker" 2>/dev/null || true
  done
  end "kill -9 of three workers" 0 1

  begin scenarios/worker-death.yaml 5 3
  attached
  sleep 3
  kill -INT "$launcher"
  end "Ctrl-C" 130
}

tests() {
  for test in live_test transport_test console_test many_processes_test; do
    status=0
    "$build/$test" >"$folder/output" 2>&1 || status=$?
    say "$test" "$status" 0
  done
}

for part in runs disturbed tests; do
  [ "$what" != all ] && [ "$what" != "$part" ] || "$part"
done
[ "$bad" -eq 0 ] && echo "clean" || echo "not clean"
exit "$bad"
