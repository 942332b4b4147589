#!/usr/bin/env bash
# baton record --host-clock 32ns: every time of a call, a range and a silence is a multiple of 32 ns, and the trace says so; without it
# times are as they were measured. A clock that is set in the middle of a job is told. Keeps out: an option that does not reach the recorder,
# times of one kind of rows that are left out, a step of the clock that only shows as a gap.
. tests/cli/lib.sh
preloads simgpu/libcudart.so.13 simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

fine_times() { # fine_times: how many host rows have a time that is no multiple of 32 ns; how many rows there are
	"$BATON" dump --json "$work/trace" | "$PYTHON" -c '
import json, sys
rows = [r for r in map(json.loads, sys.stdin) if r["record"] in ("call", "range", "sched", "sync")]
print(sum(r["start_ns"] % 32 != 0 or r["dur_ns"] % 32 != 0 for r in rows), len(rows))'
}

check() { # check WHAT COMMAND...
	checks=$((checks + 1))
	local what=$1
	shift
	"$@" || fail "$what"
}

for unit in 1ns 32ns; do
	rm -rf "$work/trace"
	expect_status 0 "$BATON" record --host-clock $unit -o "$work/trace" -- "$PYTHON" tests/shim/events.py
	read -r fine rows < <(fine_times)
	check "too few rows: $rows" [ "$rows" -gt 20 ]
	if [ $unit = 32ns ]; then
		check "$fine of $rows rows have times between the ticks" [ "$fine" = 0 ]
		"$BATON" dump --json "$work/trace" | grep -q '"record":"meta","key":"host.clock","value":"32ns"' || fail "the trace does not say it"
	else
		check "all times are multiples of 32 ns without being asked to" [ "$fine" -gt 0 ]
	fi
done
# Keeps out: times as they were measured in what a salvage takes from the rings.
rm -rf "$work/trace"
expect_status 137 "$BATON" record --host-clock 32ns -o "$work/trace" -- "$PYTHON" tests/shim/events.py die
expect_says "records were taken from shared memory"
read -r fine rows < <(fine_times)
check "$fine of $rows rows of a killed job have times between the ticks" [ "$fine" = 0 ]
check "too few rows: $rows" [ "$rows" -gt 20 ]
expect_status 2 "$BATON" record --host-clock 7ns -o "$work/never" -- true
expect_says "--host-clock must be one of 1ns, 32ns"

# A clock that is set while the job runs: a second record says by how much. 40 ms ahead, after a second.
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -fPIC -shared -o "$work/clock.so" tests/shim/clock_fake.c || fail "clock_fake.c"
rm -rf "$work/trace"
expect_status 0 env LD_PRELOAD="$work/clock.so" FAKE_STEP="$work/step" FAKE_STEP_NS=40000000 "$BATON" record -o "$work/trace" -- "$PYTHON" -c '
import ctypes, os, sys, time
ctypes.CDLL("libcudart.so.13").cudaDeviceSynchronize()
time.sleep(1)
open(os.environ["FAKE_STEP"], "w").close()
time.sleep(1)
ctypes.CDLL("libcudart.so.13").cudaDeviceSynchronize()'
check "the step of the clock" "$PYTHON" - "$BATON" "$work/trace" <<'EOF'
import json, subprocess, sys
rows = [json.loads(line) for line in subprocess.run([sys.argv[1], "dump", "--json", sys.argv[2]], stdout=subprocess.PIPE).stdout.splitlines()]
clocks = [row for row in rows if row["record"] == "clock" and row["kind"] == 3]
set_ns = [row["local_ns"] - row["reference_ns"] for row in clocks]
if len(clocks) != 2 or abs(set_ns[1] - set_ns[0] - 40000000) > 1000000:
    sys.exit("clocks %s" % clocks)
EOF
finish
