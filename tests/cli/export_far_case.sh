#!/usr/bin/env bash
# Times as far apart as a file can hold them (begins within 2^62 ns, one end at 2^63 - 1) through every format of export. Keeps out: sums and differences of times
# that overflow, which a build with SAN=undefined ends at.
. tests/cli/lib.sh

made() { # made HOSTS: two ranks, one of the first moment that there is and one of the last
	rm -rf "$work/run" && mkdir "$work/run"
	expect_status 0 "$PYTHON" - "$work/run" "$1" <<'PY'
import sys
sys.path.insert(0, "tests/format")
from writer import TraceWriter

FAR = 2**62
for rank, begin in enumerate((-FAR, FAR - 1_785_000)):
    out = TraceWriter(None)
    out.process(100 + rank, rank=rank, world_size=2, host="node%d" % (rank % int(sys.argv[2])), source="baton", run_id="run")
    stream, thread = out.stream(out.device(0, "GPU", "GPU-%d" % rank), 1, 7), out.thread("main", 100, 100)
    comm = out.communicator(2, 77, "comm", str(rank))
    times = [(i, begin + i * 30_000) for i in range(60)]
    out.rows("range", [{"start_ns": at, "dur_ns": 290_000, "thread": thread, "name": "step %d" % i, "category": 1} for i, at in times[::10]])
    out.rows("call", [{"start_ns": at, "dur_ns": 5000, "thread": thread, "name": "cudaLaunchKernel", "correlation": i + 1} for i, at in times])
    out.rows("op", [{"start_ns": at + 9000, "dur_ns": 15_000, "op_kind": 1, "stream": stream, "correlation": i + 1,
                     "name": "ncclDevKernel_AllReduce" if i % 10 == 9 else "gemm"} for i, at in times])
    out.rows("collective", [{"start_ns": at + 9000, "dur_ns": 15_000, "correlation": i + 1, "comm": comm, "coll": 1, "bytes": 4096,
                             "sequence": i} for i, at in times[9::10]])
    if rank:
        out.rows("range", [{"start_ns": FAR - 1, "dur_ns": 2**63 - FAR, "thread": thread, "name": "without end", "category": 1}])
        out.rows("op", [{"start_ns": FAR - 4000, "dur_ns": 4000, "op_kind": 1, "stream": stream, "correlation": 99, "name": "gemm"}])
    out.close()
    with open("%s/%d.baton" % (sys.argv[1], rank), "wb") as file:
        file.write(out.data())
PY
}

for hosts in 1 2; do
	made "$hosts"
	expect_status 0 "$BATON" check "$work/run"
	for format in perfetto chrome kineto parquet arrow csv nsys-sqlite nvprof-csv; do
		expect_status '0|4' "$BATON" export --format "$format" -o "$work/$hosts-$format" "$work/run"
	done
	expect_status '0|4' "$BATON" export --format chrome --max-slices 40 -o "$work/$hosts-few" "$work/run"
	expect_status '0|4' "$BATON" export --format chrome --time 0..1 -o "$work/$hosts-part" "$work/run"
	expect_status 0 "$PYTHON" -c "import json, sys; json.load(open(sys.argv[1]))" "$work/$hosts-chrome"
	for command in report "report --json" "report --gaps 3" "report --critical" jitter whatif "stats" "dump --idle" "compare $work/run" "top --once" "metrics"; do
		# shellcheck disable=SC2086
		expect_status '0|3|4' "$BATON" $command "$work/run"
	done
done

# two GPUs whose windows add up to more than a number holds
rm -rf "$work/wide" && mkdir "$work/wide"
expect_status 0 "$PYTHON" - "$work/wide" <<'PY'
import sys
sys.path.insert(0, "tests/format")
from writer import TraceWriter

for rank in range(2):
    out = TraceWriter(None)
    out.process(100 + rank, rank=rank, world_size=2, host="node", source="baton", run_id="run")
    stream, thread = out.stream(out.device(rank, "GPU", "GPU-%d" % rank), 1, 7), out.thread("main", 100, 100)
    for i, at in enumerate((-2**62, 2**62 - 10_000)):
        out.rows("call", [{"start_ns": at, "dur_ns": 5, "thread": thread, "name": "cudaLaunchKernel", "correlation": i + 1}])
        out.rows("op", [{"start_ns": at + 9, "dur_ns": 15, "op_kind": 1, "stream": stream, "correlation": i + 1, "name": "gemm"}])
    out.close()
    with open("%s/%d.baton" % (sys.argv[1], rank), "wb") as file:
        file.write(out.data())
PY
for command in "report --csv" "report --markdown" "report --json" report "report --kernels 0" "jitter --markdown" whatif "compare $work/wide"; do
	# shellcheck disable=SC2086
	expect_status '0|3|4' "$BATON" $command --steps none "$work/wide"
done

# a GPU whose work is longer than a number holds, without steps and with a step that begins long before it
apart() { # apart MARKED BEGIN
	rm -rf "$work/apart" && mkdir "$work/apart"
	expect_status 0 "$PYTHON" - "$work/apart" "$1" "$2" <<'PY'
import sys
sys.path.insert(0, "tests/format")
from writer import TraceWriter

marked, begin = int(sys.argv[2]), int(sys.argv[3])
for rank in range(2):  # the first one is as it should be
    out = TraceWriter(None)
    out.process(100 + rank, rank=rank, world_size=2, host="node", source="baton", run_id="run")
    stream, thread = out.stream(out.device(rank, "GPU", "GPU-%d" % rank), 1, 7), out.thread("main", 100, 100)
    if marked:
        out.rows("range", [{"start_ns": -2**62, "dur_ns": 2**62, "thread": thread, "name": "step 0", "category": 1},
                           {"start_ns": 1, "dur_ns": 2**62, "thread": thread, "name": "step 1", "category": 1}])
    for i, at in enumerate((begin, begin + 10_000, 2**62 - 10 if rank else begin + 20_000)):
        out.rows("call", [{"start_ns": at, "dur_ns": 5, "thread": thread, "name": "cudaLaunchKernel", "correlation": i + 1}])
        out.rows("op", [{"start_ns": at + 9, "dur_ns": 2**62 if rank and i == 2 else 15, "op_kind": 1, "stream": stream,
                         "correlation": i + 1, "name": "gemm"}])
    out.close()
    with open("%s/%d.baton" % (sys.argv[1], rank), "wb") as file:
        file.write(out.data())
PY
}

for begin in -4611686018427387904 -5; do
	for marked in 0 1; do
		apart "$marked" "$begin"
		if [ "$begin$marked" = -50 ]; then
			expect_status 0 "$BATON" report "$work/apart"
		else
			expect_status 3 "$BATON" report "$work/apart"
			expect_says "1.baton: work of one GPU that is more than 292 years apart"
		fi
		for command in "report --json" "report --gaps 3" "report --critical" jitter whatif "stats" "dump --idle" "compare $work/apart" "top --once" "metrics"; do
			# shellcheck disable=SC2086
			expect_status '0|3|4' "$BATON" $command "$work/apart"
			expect_says_not "internal error"
		done
		for format in perfetto chrome kineto parquet csv nsys-sqlite nvprof-csv; do
			expect_status '0|3|4' "$BATON" export --format "$format" -f -o "$work/apart-$format" "$work/apart"
		done
	done
done

finish
