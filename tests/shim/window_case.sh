#!/usr/bin/env bash
# A part of a job is recorded, by time or between cudaProfilerStart and cudaProfilerStop: what the trace holds is what the simulated
# driver executed in it, the job is as without, and who reads the trace need not wait for the job's end.
. tests/cli/lib.sh
preloads simtrain simtrain13 simlaunch simgpu/libcupti.so.13
here=$PWD bin=$PWD/$BUILD
export LD_LIBRARY_PATH=$bin/simgpu SIMGPU_MEMORY_MB=256
unset BATON_OUT BATON_WINDOW BATON_CUPTI LD_PRELOAD
ulimit -c 0
count=$work/count.so
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O1 -fPIC -shared -Itools/simgpu -o "$count" tests/shim/window_count.c -ldl || fail "window_count.c"
slow=$work/slow.so
${CC:-gcc} -std=gnu11 -Wall -Wextra -O1 -D_GNU_SOURCE -fPIC -shared -o "$slow" tests/shim/window_slow.c -ldl || fail "window_slow.c"
job=$work/job # with an NCCL of its own, which the other jobs must not find
mkdir "$work/nccl"
flags="-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -O1 -Itools/simtrain tests/shim/window_job.c"
# shellcheck disable=SC2086
${CC:-gcc} $flags -DNCCL -shared -fPIC -Wl,-soname,libnccl.so.2 -o "$work/nccl/libnccl.so.2" &&
	${CC:-gcc} $flags -rdynamic -o "$job" "$work/nccl/libnccl.so.2" "$BUILD/simgpu/libcudart.so.12" -lpthread ||
	fail "window_job.c"

# ---- numbers of calls that mix at the edges ----
${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -O2 -g -Ishim -Iinclude -o "$work/window_test" tests/shim/window_test.c shim/sources/cupti/cupti_window.c shim/base/recording.c shim/base/guard.c -lpthread ||
	fail "window_test.c"
expect_status 0 "$work/window_test"
${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -O2 -g -Ishim -Iinclude -o "$work/dropped_test" tests/shim/dropped_test.c shim/drain/gpu_rows.c shim/base/recording.c shim/base/guard.c -lpthread -no-pie \
	-Wl,--unresolved-symbols=ignore-all || fail "dropped_test.c"
expect_status 0 "$work/dropped_test"
${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -O2 -g -Ishim -Iinclude -o "$work/due_test" tests/shim/due_test.c shim/drain/due.c -lpthread -no-pie \
	-Wl,--unresolved-symbols=ignore-all || fail "due_test.c"
expect_status 0 "$work/due_test"

job_records() { # job_records OPTION... -- ARGUMENT...: of window_job; the trace's rows are in $work/out
	trace=$work/trace
	rm -rf "$trace"
	local options=()
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	LD_LIBRARY_PATH=$work/nccl:$LD_LIBRARY_PATH expect_status 0 "$BATON" record -o "$trace" "${options[@]}" -- "$job" "${@:2}"
	"$BATON" dump --json "$trace" >"$work/out"
}

records() { # records OPTION... -- PROGRAM...: the trace is in $trace, what the driver counted in $work/counts
	trace=$work/trace
	rm -rf "$trace" "$work/counts"
	export WINDOW_COUNTS=$work/counts
	LD_PRELOAD=${LD_PRELOAD:-$count} expect_status 0 "$BATON" record -o "$trace" "$@"
}

holds() { # holds OPTION...: of window_check.py; what it says of the processes is in $work/out
	checks=$((checks + 2))
	"$BATON" check "$trace" >"$work/check" 2>&1 || fail "$(grep -v ': ok' "$work/check" | head -n 2)"
	"$BATON" dump --json "$trace" | "$PYTHON" "$here/tests/shim/window_check.py" "$@" >"$work/out" || fail "$(cat "$work/out")"
}

comes_late() { # comes_late N: fewer than N processes were there before the window was over
	[ "$(find "$trace" -name '*.baton' ! -name 'gpus.*' | wc -l)" -lt "$1" ]
}

timed() { # timed N OPTION... -- PROGRAM...: a window by time that N processes must be in time for
	local n=$1
	shift
	for _ in 1 2 3 4 5; do
		records "$@"
		comes_late "$n" || break
	done
}

# ---- by cudaProfilerStart and cudaProfilerStop, with work on the device at both edges and a range open across each ----
# (many steps behind it: where all cores are busy the writer is late to say that the job goes on)
train="simtrain --steps 200 --layers 4 --profile 10-20"
for way in "$bin/$train" "$bin/$train --threads 2" "$bin/simtrain13 ${train#* }"; do
	# shellcheck disable=SC2086
	records -c cudaProfilerApi -- $way --host-ns 100000
	expect_says "the window of " "; the job goes on" "1 process, " " launches, 0 dropped" ", a window of "
	holds --counts "$work/counts"
	expect_true 'len(d) == 1 and d[0]["launches"] > 1000 and d[0]["launches"] == d[0]["kernels"]'
	expect_true '"step 10" in d[0]["open_before"] and d[0]["open_after"] == ["step 20"]'
	expect_status 0 "$BATON" report --json "$trace"
	expect_true 'd["run"]["steps"] == 9 and d["quality"]["steps_cut"] == 2'
	expect_true 'd["quality"]["unmatched_ops"] == d["quality"]["in_flight"] == d["quality"]["dropped"] == 0'
done
# ranks: their collectives meet, numbered from before the window; rings that are too small lose, and say how much
records -c cudaProfilerApi --capture-range-end stop -- "$bin/simlaunch" -n 3 -- "$bin/simtrain" --steps 30 --layers 4 --profile 10-20
holds --counts "$work/counts"
expect_true '[p["rank"] for p in d] == [0, 1, 2] and all(p["collectives"] == 40 for p in d)'
expect_status 0 "$BATON" report --json "$trace"
expect_true 'd["run"]["steps"] == 9 and not d["quality"]["missing_ranks"]'
BATON_RING_SLOTS=16 records -c cudaProfilerApi -- "$bin/simtrain" --steps 30 --profile 10-20 --host-ns 0
expect_says_not " 0 dropped"
holds --counts "$work/counts"
# the end of the range does not count, and then --duration does
records -c cudaProfilerApi --capture-range-end none -- "$bin/simtrain" --steps 30 --layers 4 --profile 10-20
expect_says_not "the job goes on"
holds
expect_true 'd[0]["launches"] == d[0]["kernels"] > 2000'
records -c cudaProfilerApi --capture-range-end none --duration 0.2 -- "$bin/simtrain" --steps 60 --profile 10-20
expect_says "the job goes on"
holds
expect_true '0.19 < d[0]["seconds"] < 0.5'
# nobody opens it
records -c cudaProfilerApi -- "$bin/simtrain" --steps 5 --layers 2
expect_says "nothing recorded: no process called cudaProfilerStart (1 process used CUDA)"
holds --unopened
expect_status 3 "$BATON" report "$trace"
expect_says "nothing to report"

# ---- by time, all processes at once ----
timed 2 --delay 0.6 --duration 0.7 -- "$bin/simlaunch" -n 2 -- "$bin/simtrain" --steps 120 --layers 4 --threads 4 --host-ns 50000
expect_says "the window of " "; the job goes on" "2 processes, "
holds --alike 100000000 --from-first
expect_true 'all(p["launches"] == p["kernels"] > 100 and p["open_after"] for p in d)'
# many threads launch at the edges; some had no turn before the window
timed 1 --delay 0.1 --duration 0.2 -- "$bin/simtrain" --threads 12 --launches 10000 --host-ns 20000
holds
timed 1 --delay 0.3 --duration 0.5 -- "$bin/simtrain" --steps 100 --layers 4 --graph # its graph was made before
holds
records --delay 3600 -- "$bin/simtrain" --steps 3 --layers 2
expect_says "nothing recorded: the job ended before the recording began (1 process used CUDA)"
holds --unopened
# a process that comes too late leaves nothing
records --duration 0.001 -- sh -c "sleep 0.1; exec $bin/simtrain --steps 3 --layers 2"
expect_says "nothing recorded: the job made no CUDA call"
expect_nothing_in "$trace"
# the job is over before the window is; it is ended with it, and all is on disk then
records --delay 0.3 --duration 3600 -- "$bin/simtrain" --steps 40 --layers 4 --host-ns 100000
expect_says_not "the job goes on"
holds
expect_true 'd[0]["launches"] == d[0]["kernels"] > 100'
for _ in 1 2 3 4 5; do
	trace=$work/trace && rm -rf "$trace"
	expect_status "$((128 + 15))" sh -c "'$BATON' record -o '$trace' --delay 0.4 --duration 0.4 --kill TERM -- '$bin/simtrain' --steps 100000 --layers 4; exit \$?"
	comes_late 1 || break
done
expect_says "1 process, " ", a window of "
expect_says_not "the job goes on" "without closing"
holds
expect_true 'd[0]["launches"] == d[0]["kernels"] > 100'
# it is open from the first call on, which may be a launch: the recording is there before CUPTI is
LD_PRELOAD=$slow records --duration 3600 -s native -- "$bin/simtrain" --steps 3 --layers 2 # the writer thread has its turn before it has begun
"$BATON" dump --json "$trace" >"$work/out"
expect_true 'sum(line["record"] == "range" for line in lines) == 12'
job_records --duration 3600 -- first 100
expect_true 'sum(line.get("name") == "cudaLaunchKernel" for line in lines if line["record"] == "call") == 100'
job_records -c cudaProfilerApi -- first 100
expect_says "nothing recorded: no process called cudaProfilerStart"
expect_says_not "without CUPTI"
# a recording that could not begin has no window
BATON_OUT=$work/none/such BATON_WINDOW=cudaProfilerApi:0:stop LD_PRELOAD=$bin/libbaton.so expect_status 0 "$bin/simtrain" --steps 6 --profile 2-4
expect_says "is not recorded"
# killed while it waits
trace=$work/trace && rm -rf "$trace"
expect_status 137 sh -c "'$BATON' record -o '$trace' -c cudaProfilerApi -- '$bin/simtrain' --steps 5 --layers 2 --kill-rank 0=3; exit \$?"
expect_says "nothing recorded: no process called cudaProfilerStart"
holds --unopened

# ---- what has not come when the window ends is waited for, the call too; what does not come is counted ----
ops="[line for line in lines if line['record'] == 'op']"
calls="[line for line in lines if line['record'] == 'call']"
lost="[line for line in lines if line['record'] == 'loss']"
export SIMGPU_COPY_MB_S=1 SIMGPU_PAGEABLE_MB_S=1
job_records -c cudaProfilerApi -- copy 1
expect_true "len($ops) == len($calls) == 1 and $ops[0]['dur_ns'] > 9e8 and not $lost"
job_records -c cudaProfilerApi -- blocked
expect_true "len($ops) == 1 and [line['name'] for line in $calls] == ['cudaMemcpy'] and not $lost"
job_records -c cudaProfilerApi -- copy 6
expect_true "len($calls) == 1 and not $ops and sum(line['count'] for line in $lost if line['kind'] == 2) == 1"
unset SIMGPU_COPY_MB_S SIMGPU_PAGEABLE_MB_S
export SIMGPU_KERNEL_NS=300000000
job_records -c cudaProfilerApi -- graph 8
expect_true "len($ops) == 8 and len($calls) == 1 and not $lost"
job_records -c cudaProfilerApi --graphs graph -- graph 8
expect_true "len($ops) == 1 and len($calls) == 1 and not $lost"
expect_status 0 "$BATON" report --json "$trace"
expect_true '[(k["name"], k["class"], k["count"]) for k in d["kernels"]] == [("[CUDA graph]", "graph", 1)]'
unset SIMGPU_KERNEL_NS

# ---- a call that returns when the window is over, and the file system of its ring full ----
mkdir "$work/disk"
not_done=
if mount -t tmpfs -o size=10m none "$work/disk" 2>/dev/null; then
	mounted=$work/disk
	RING_DIR=$mounted BATON_RING_DIR=$mounted job_records -c cudaProfilerApi -- collective
	umount "$mounted" && mounted=
else
	not_done="a full file system not tried: may not mount"
fi

# ---- while the job goes on: the trace is closed, and the rings' memory is back ----
"$BATON" record -f -o "$trace" --duration 0.5 -- "$bin/simtrain" --steps 100000 --layers 2 >"$work/job" 2>"$work/err" &
job=$!
for _ in $(seq 1200); do
	grep -q "the job goes on" "$work/err" && break
	sleep 0.1
done
expect_status 0 "$BATON" report --json "$trace"
expect_true 'd["run"]["steps"] > 5'
holds
kill -TERM $job
wait $job

# ---- without CUPTI: launches by time; a range cannot be heard ----
BATON_CUPTI=none timed 1 --delay 0.3 --duration 0.5 -- "$bin/simtrain" --steps 80 --layers 4 --host-ns 50000
expect_says "the job goes on" ", a window of "
checks=$((checks + 1))
"$BATON" dump --json "$trace" | grep -c '"cudaLaunchKernel"' >"$work/out"
[ "$(cat "$work/out")" -gt 100 ] || fail "$(cat "$work/out") launches"
BATON_CUPTI=none records -c cudaProfilerApi -- "$bin/simtrain" --steps 20 --layers 2 --profile 5-10
expect_says "without CUPTI nobody hears cudaProfilerStart: nothing is recorded"
holds --unopened
finish "$not_done"
