#!/usr/bin/env bash
# baton record --keep-last: the trace is the last part of the job, and counts what it left out.
# Keeps out: a trace that loses names with the blocks that had them; launches that are neither there nor counted; a reader that meets
# half a file; a kill that leaves nothing, or a copy beside the trace; a trace that grows with the job.
. tests/cli/lib.sh
preloads simtrain simlaunch simgpu/libcupti.so.13
bin=$PWD/$BUILD
export LD_LIBRARY_PATH=$bin/simgpu SIMGPU_MEMORY_MB=256
unset BATON_OUT BATON_WINDOW BATON_KEEP_LAST LD_PRELOAD
ulimit -c 0

# Where all cores are busy threads come late: how late, so far, bounds what is asked of times.
"$PYTHON" -c 'import os, sys, time
worst = 0
while os.getppid() == int(sys.argv[2]):
    before = time.monotonic_ns()
    time.sleep(0.01)
    late = 10 * (time.monotonic_ns() - before - 10_000_000)
    if late > worst:
        worst = late
        with open(sys.argv[1] + "+", "w") as out:
            out.write(str(worst))
        os.rename(sys.argv[1] + "+", sys.argv[1])
' "$work/late" $$ &
while [ ! -e "$work/late" ]; do sleep 0.05; done

holds() { # holds KEEP_NS DIR: the trace is whole; what it holds is in $work/out
	checks=$((checks + 2)) last="the trace in $2"
	"$BATON" check "$2" >"$work/check" 2>&1 || fail "$(grep -v ': ok' "$work/check" | head -n 2)"
	"$BATON" dump --json "$2" | "$PYTHON" tests/shim/keep_check.py "$1" "$(cat "$work/late")" >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
	[ -z "$(find "$2" -name '*.keep')" ] || fail "a copy is left in $2"
}

train="$bin/simtrain --layers 4 --input-stall 20 --stall-range --steps"
# all of it, and the same job's last second: as many launches
launches() { "$BATON" dump --json "$1" | grep -c '"record":"call".*LaunchKernel'; }
# shellcheck disable=SC2086
expect_status 0 "$BATON" record -o "$work/all" -- "$bin/simlaunch" -n 2 -- $train 200
all=$(launches "$work/all")
# shellcheck disable=SC2086
expect_status 0 "$BATON" record -o "$work/one" -- $train 20
one=$(launches "$work/one")

# while it records, whoever reads it finds a whole trace
# shellcheck disable=SC2086
"$BATON" record --keep-last 1s -o "$work/last" -- "$bin/simlaunch" -n 2 -- $train 200 >"$work/said" 2>"$work/told" &
reads=0
while kill -0 $! 2>/dev/null; do
	sleep 0.3
	ls "$work"/last/[0-9a-f]*.baton >/dev/null 2>&1 || continue
	"$BATON" report --json "$work/last" >"$work/out" 2>"$work/err"
	status=$?
	case $status in 0 | 4) reads=$((reads + 1)) ;; 3) ;; *) fail "a report while it records: status $status" ;; esac
	! grep -vE ': (unclosed|truncated)$|recorded|in flight|nothing to report' "$work/err" | grep -q . || fail "a report while it records: damage"
done
wait $! || fail "the recorded job failed"
checks=$((checks + 2))
[ $reads -gt 0 ] || fail "no report while it records"
grep -qE '^baton: 2 processes, .* launches, 0 dropped, .*, the last [0-9.]+ s of [0-9.]+ s  ' "$work/told" || fail "the line at the end: $(cat "$work/told")"
holds 1000000000 "$work/last"
expect_true "d['processes'] == d['shortened'] == 2 and d['span_ns'] < 3.5e9 + $(cat "$work/late")"
expect_true "d['launches'] == $all and d['there'] < d['launches']"
expect_status 0 "$BATON" report "$work/last"
expect_prints "recorded: the last " " launches before it were not kept"
expect_status 0 "$BATON" report --json "$work/last"
expect_true 'd["run"]["steps"] > 2 and d["run"]["step_source"] == "marker" and d["quality"]["truncated_files"] == 0'
expect_true "0.8e9 < d['quality']['kept_ns'] < 3.5e9 + $(cat "$work/late") and d['quality']['before_ns'] > 1e9"
expect_true 'd["quality"]["before_launches"] > 100 and d["quality"]["before_kernels"] > 100 and d["quality"]["dropped"] == d["quality"]["in_flight"] == 0'
expect_true 'any(f["id"] == "input" for f in d["findings"])'

# killed at moments that lie around a cut: what its last second held is there
file_number() { stat -c %i "$work"/killed/[0-9a-f]*.baton 2>/dev/null; }
for wait in 0 0.6 0.8 0.9 1.0 1.1; do
	rm -rf "$work/killed" "$work/pid"
	BATON_KEEP_LAST=1 "$BATON" record -o "$work/killed" -- bash -c "$train 100000 >/dev/null & echo \$! >$work/pid; wait" >"$work/said" 2>"$work/err" &
	record=$! first= n=0
	until number=$(file_number) && [ "$number" != "${first:=$number}" ] || [ $((n += 1)) -gt 3000 ]; do sleep 0.02; done
	sleep $wait
	kill -9 "$(cat "$work/pid")"
	wait $record
	holds 1000000000 "$work/killed"
	expect_true "d['processes'] == d['shortened'] == 1 and 0.5e9 < d['span_ns'] < 3.5e9 + $(cat "$work/late") and d['there'] > 0"
done

# hangs for several times the time: what it launched before is there, and goes once it launches again
hanging='import sys, time
sys.path.insert(0, "tests/shim")
from jobs import driver, launch
cuda = driver()
def work(seconds):
    end = time.time() + seconds
    while time.time() < end:
        launch(20, cuda)
        time.sleep(0.005)
work(2.5)
time.sleep(5)
work(float(sys.argv[1]))'
for after in 0 6.5; do
	expect_status 0 "$BATON" record --keep-last 2s -o "$work/hang$after" -- "$PYTHON" -c "$hanging" $after
	holds 2000000000 "$work/hang$after"
	cp "$work/out" "$work/hang$after.json"
done
cp "$work/hang0.json" "$work/out"
expect_true 'd["there"] > 0.1 * d["launches"] > 1'
cp "$work/hang6.5.json" "$work/out"
expect_true "d['shortened'] == 1 and d['span_ns'] < 7e9 + $(cat "$work/late")"

# calls without a launch are no hang
expect_status 0 "$BATON" record --keep-last 1s -o "$work/calls" -- "$PYTHON" -c 'import sys, time
sys.path.insert(0, "tests/shim")
from jobs import driver, prepare
cuda = driver()
prepare(cuda)
end = time.time() + 4.5
while time.time() < end:
    cuda.cuCtxSynchronize()
    time.sleep(0.002)'
holds 1000000000 "$work/calls"
expect_true 'd["shortened"] == 1 and d["launches"] == 0'

# shorter than the time: all of it is there, and nothing is said
# shellcheck disable=SC2086
expect_status 0 "$BATON" record --keep-last 1h -o "$work/short" -- $train 20
expect_says_not "the last"
holds 3600000000000 "$work/short"
expect_true "d['shortened'] == 0 and d['launches'] == $one"
expect_status 0 "$BATON" report "$work/short"
expect_prints_not "recorded: the last"

for wrong in 0 -5s 5x 1.5h 400d ""; do
	expect_status 2 "$BATON" record --keep-last "$wrong" -o "$work/never" -- true
	expect_says "--keep-last wants a time of a second to a year, such as 60s, 15m or 2h, not '$wrong'"
done
for other in "--delay 1" "--duration 2" "-c cudaProfilerApi"; do
	# shellcheck disable=SC2086
	expect_status 2 "$BATON" record --keep-last 15m $other -o "$work/never" -- true
	expect_says "--keep-last cannot be used with --delay, --duration or -c"
	# shellcheck disable=SC2086
	BATON_KEEP_LAST=900 expect_status 2 "$BATON" record $other -o "$work/never" -- true
	expect_says "BATON_KEEP_LAST cannot be used with --delay, --duration or -c"
done
finish
