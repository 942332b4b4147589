#!/usr/bin/env bash
# One clock for all hosts: offsets, drifts and jumps that the simulator plants, found again within the residual that is printed; runs that
# cannot be aligned; and a report that does not depend on it.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
planted="--fault clock=5000 --fault clock_jump=1000"

made() { # made NAME WORKLOAD RANKS SEED OPTION...: a run, its truth, and its timeline
	expect_status 0 "$sim" -o "$work/$1" --truth "$work/$1.truth" --workload "$2" --ranks "$3" --per-host 2 --kernels 200 --steps 30 --seed "$4" "${@:5}"
	expect_status 0 "$BATON" export --format chrome --max-slices 0 -f -o "$work/$1.json" "$work/$1"
}

# Keeps out: a clock that drifts, or that NTP sets by a millisecond within the run, and a residual that is smaller than the error. The
# first file's host may be one whose clock jumps.
for workload in ddp fsdp; do
	made "$workload" "$workload" 6 1 $planted
	expect_says "clocks of 3 hosts aligned" "2 jumps of a clock corrected (largest"
	expect_status 0 "$PYTHON" tests/cli/one_clock_check.py "$BATON" "$work/$workload" "$work/$workload.truth" "$work/$workload.json"
	expect_status 0 "$BATON" report "$work/$workload"
	expect_wrapped "2 jumps of a host's clock"
	expect_status 0 "$BATON" report --json "$work/$workload"
	expect_true "0 < d['quality']['clock_residual_ns'] < 3000 and d['quality']['clock_jumps'] == 2 and d['quality']['clocks_apart'] == 0"
done
# ... of two hosts nothing says whose clock it was.
made two ddp 4 4 $planted
expect_says "1 jump of a clock corrected ("
expect_status 0 "$PYTHON" tests/cli/one_clock_check.py "$BATON" "$work/two" "$work/two.truth" "$work/two.json"

# Keeps out: jumps where none were, a residual of one host's clock, and a report that differs by the clocks.
for seed in 5; do
	made plain ddp 4 "$seed"
	made drifting ddp 4 "$seed" --fault clock=5000
	expect_says "clocks of 2 hosts aligned"
	expect_says_not "jump"
	expect_status 0 "$PYTHON" tests/cli/one_clock_check.py "$BATON" "$work/drifting" "$work/drifting.truth" "$work/drifting.json"
	for run in plain drifting; do
		expect_status 0 "$BATON" report --json "$work/$run"
		"$PYTHON" -c "import json, sys
d = json.load(open(sys.argv[1]))
print([(x['device'], sorted(x['time_ns'])) for x in d['devices']], [(f['id'], f['severity'], f['text'].split()[0]) for f in d['findings'] if f['severity'] != 'none'])" "$work/out" >"$work/$run.said" || fail "report of $run"
	done
	expect_status 0 cmp "$work/plain.said" "$work/drifting.said"
	rm -r "$work/plain" "$work/drifting"
done
expect_status 0 "$sim" -o "$work/single" --workload ddp --ranks 2 --steps 6
expect_status 0 "$BATON" report --json "$work/single"
expect_true "d['quality']['clock_residual_ns'] is None and d['quality']['clocks_apart'] == 0"

# Keeps out: hosts whose collectives end at other times, and hosts that share none, taken for aligned.
PYTHONPATH=tests/format expect_status 0 "$PYTHON" - "$work/apart" <<'P'
import os, random, sys, writer
os.mkdir(sys.argv[1])
for rank in range(2):
    out = writer.TraceWriter(f"{sys.argv[1]}/host{rank}.{rank}.0.baton")
    out.process(100 + rank, rank=rank, world_size=2, host=f"host{rank}", boot_id=bytes([rank] * 16), source="baton", run_id="r")
    thread, stream = out.thread("python", 1, 1), out.stream(out.device(0, "GPU", f"GPU-{rank}"), 1, 7)
    comm = out.communicator(2, 7)
    draw = random.Random(rank)
    for i in range(60):
        at = 10_000_000 * i + 1_000_000 + draw.randrange(5_000_000)
        out.rows("call", [{"start_ns": at, "dur_ns": 500, "thread": thread, "name": "cudaLaunchKernel", "correlation": i + 1}])
        out.rows("op", [{"start_ns": at + 9000, "dur_ns": 900, "op_kind": 1, "stream": stream, "correlation": i + 1, "name": "ncclDevKernel_AllReduce_Sum_f32"}])
        out.rows("collective", [{"start_ns": at + 9000, "dur_ns": 900, "correlation": i + 1, "comm": comm, "coll": 1, "bytes": 4, "out_bytes": 4, "sequence": i}])
    out.close()
P
expect_status 0 "$BATON" report --json "$work/apart"
expect_true "d['quality']['clock_residual_ns'] is None and d['quality']['clocks_apart'] == 2"
expect_status 0 "$BATON" report "$work/apart"
expect_wrapped "the clocks of 2 hosts cannot be aligned"
expect_status 0 "$BATON" export --format chrome -f -o "$work/apart.json" "$work/apart"
expect_says "cannot be aligned: the ends of collectives fit only to" "compare times within a host only"
finish
