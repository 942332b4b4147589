#!/usr/bin/env bash
# baton record --level summary: the stretches that a process beside the job adds up say what a reduction of all of its events says.
# Keeps out: steps that are lost or count twice where the trace is shortened; a summary that is gone, or not whole, after a kill of the
# job or of that process; a process that was killed and has no successor; time that is missing and not counted; a job that fails with the
# process beside it.
. tests/cli/lib.sh
case ${BUILD:=build/release} in *san-*) skip "a preloaded library cannot bring a sanitizer's runtime" ;; esac
bin=$PWD/$BUILD
for needed in simtrain simlaunch simgpu/libcupti.so.13; do
	[ -e "$BUILD/$needed" ] || skip "not built: $BUILD/$needed (make doubles simtrain)"
done
export LD_LIBRARY_PATH=$bin/simgpu SIMGPU_MEMORY_MB=256
unset BATON_OUT BATON_WINDOW BATON_KEEP_LAST BATON_STRETCH LD_PRELOAD
ulimit -c 0

job="--layers 2 --input-stall 20 --stall-range"
level() { # level NAME STEPS OPTION...: starts a job of that many steps of 20 ms or more; $JOB: options of simtrain that come last
	local name=$1 steps=$2 said=$work/said.${1//\//-}
	shift 2
	# shellcheck disable=SC2086
	"$BATON" record --level summary "$@" -o "$work/$name" -- "$bin/simlaunch" -n 2 -- "$bin/simtrain" $job --steps "$steps" ${JOB:-} \
		>"$said" 2>"$said.err" &
	started=$!
}
await() { # await COMMAND...: until it succeeds, a minute at most
	local end=$((SECONDS + 60))
	until "$@"; do
		[ $SECONDS -lt $end ] || { fail "it did not come: $*"; return 1; }
		sleep 0.1
	done
}
children() { # children PID: the number and the program of each
	"$PYTHON" - "$1" <<'P'
import os, sys
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        if fields[1] == sys.argv[1]:
            print(pid, os.path.basename(os.readlink(f"/proc/{pid}/exe")))
    except OSError:
        pass
P
}
ended() { # ended PID STATUS NAME
	local status=0
	wait "$1" || status=$?
	checks=$((checks + 2)) last="the job $3"
	cp "$work/said.${3//\//-}.err" "$work/err"
	[ "$status" = "$2" ] || fail "status $status, expected $2"
	[ -z "$(find "$work/$3" -name 'job.summary?*')" ] || fail "left in $3: $(ls "$work/$3")"
}

# When a stretch is added depends on what else the machine does. So whoever needs a stretch waits for its summary, and what is asked at
# the end holds for any number of stretches.
#
# All events stay, so that the same job can be reduced as a whole: a stretch that is added while it runs, and what comes after it.
JOB="--batch-after $work/whole/job.summary@200" BATON_STRETCH=4 level whole 250 --keep-last 1h -v
whole=$started
JOB="--batch-after $work/cut.go@880" level cut 900 --keep-last 8s # goes on when its traces were shortened
cut=$started
JOB="--batch-after $work/alone.go@400" BATON_STRETCH=4 level alone 450 --keep-last 1h # when the process beside it was killed
alone=$started
level killed 100000 --keep-last 8s
killed=$started
JOB="--input-stall 3100" level slow 5 --keep-last 8s # steps that are longer than half a stretch
slow=$started
# One of two processes ends early. Keeps out: a rank that has ended and holds up the summary of the others.
SIMGPU_DEVICES=2 BATON_STRETCH=4 "$BATON" record --level summary --keep-last 1h -o "$work/ended" -- sh -c '
	CUDA_VISIBLE_DEVICES=0 "$0" $1 --steps 60 & CUDA_VISIBLE_DEVICES=1 "$0" $1 --steps 300 --batch-after "$2@250"
	wait' "$bin/simtrain" "$job" "$work/ended/job.summary" >"$work/said.ended" 2>"$work/said.ended.err" &
one_ended=$!
# One of two processes is stopped, so that it writes nothing. Keeps out: steps that are lost, and not counted as missing, where a trace
# comes late.
SIMGPU_DEVICES=2 BATON_STRETCH=4 "$BATON" record --level summary --keep-last 1h -o "$work/late" -- sh -c '
	CUDA_VISIBLE_DEVICES=0 "$0" $1 --steps 1000 & CUDA_VISIBLE_DEVICES=1 "$0" $1 --steps 700 & echo $! >"$2"
	wait' "$bin/simtrain" "$job" "$work/late.pid" >"$work/said.late" 2>"$work/said.late.err" &
late=$!
# Each rank has a `baton record` of its own, and the first one ends before the other one. Keeps out: what runs after it is not in the summary.
for task in 0 1; do
	SIMGPU_DEVICES=2 CUDA_VISIBLE_DEVICES=$task SLURM_JOB_ID=77 SLURM_STEP_ID=0 SLURM_PROCID=$task SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=2 \
		SLURM_LOCALID=$task "$BATON" record --level summary --keep-last 1h -o "$work/tasks" -- "$bin/simtrain" --layers 2 --input-stall 20 \
		--steps $((100 + task * 300)) >"$work/said.tasks" 2>"$work/said.tasks.err" &
	tasks[task]=$!
done
# A full disk, where one can be made: the summary stays as it was, that is said once, and later turns take what was left out.
mounted=
mkdir "$work/disk"
if mount -t tmpfs -o size=6m none "$work/disk" 2>/dev/null; then
	mounted=$work/disk
	JOB="--batch-after $work/disk.go@850" level disk/run 900 --keep-last 8s
	disk=$started
fi

traces() { (cd "$work/cut" && stat -c '%i %n' [!g]*.baton 2>/dev/null | sort -k 2); }
has_two() { [ "$(traces | wc -l)" = 2 ]; }
await has_two
first=$(traces)
are_shortened() { # each is another file of the same name then
	local is
	is=$(traces)
	[ "$(wc -l <<<"$is")" = 2 ] && ! grep -qxF "$first" <<<"$is"
}
await test -s "$work/late.pid"
await test -e "$work/late/job.summary"
kill -STOP "$(cat "$work/late.pid")"
beside() { children $alone | sed -n 's/ baton$//p'; }
has_other() { # has_other PID: another process beside the job than that one
	local is
	is=$(beside)
	[ "$is" ] && [ "$is" != "$1" ]
}
await test -e "$work/alone/job.summary"
for _ in 1 2; do
	was=$(beside)
	kill -9 "$was"
	await has_other "$was"
done
rm "$work/alone/job.summary" # only the third process can make it again
await test -e "$work/alone/job.summary"
touch "$work/alone.go"
await test -e "$work/killed/job.summary"
launcher=$(children $killed | sed -n 's/ simlaunch$//p')
ranks=$(children "$launcher" | sed 's/ .*//')
# shellcheck disable=SC2086
kill -9 "$launcher" $ranks
if [ "$mounted" ]; then
	await test -e "$work/disk/run/job.summary"
	dd if=/dev/zero of="$work/disk/fill" bs=4k 2>/dev/null
	for _ in {1..100}; do # a turn without a step in it writes nothing
		! grep -q 'No space' "$work/said.disk-run.err" || break
		sleep 0.1
	done
	rm "$work/disk/fill"
	touch "$work/disk.go"
fi
await are_shortened
touch "$work/cut.go"
is_missed() { "$BATON" report --json "$work/late/job.summary" | grep -q '"stretches_missing_ns": *[1-9]'; }
for _ in {1..20}; do # where the other process is as late, nothing is missing
	! is_missed || break
	sleep 0.5
done
kill -CONT "$(cat "$work/late.pid")"
ended $killed 137 killed
ended $whole 0 whole
ended $alone 0 alone
checks=$((checks + 1))
[ "$(grep -c "another one takes its place" "$work/err")" = 1 ] || fail "of two processes that were killed one is said"
ended $slow 0 slow
ended $cut 0 cut
ended $one_ended 0 ended
ended $late 0 late
ended "${tasks[0]}" 0 tasks
ended "${tasks[1]}" 0 tasks
[ -z "$mounted" ] || ended "$disk" 0 disk/run

cat >"$work/levels.py" <<'P'
import json, os, subprocess, sys
baton, work = sys.argv[1:]
def report(*words):
    done = subprocess.run([baton, "report", "--json", *words], capture_output=True, text=True)
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)
subprocess.run([baton, "reduce", "--no-replay", "-o", work + "/all", work + "/whole"], check=True, capture_output=True)
full, level = report(work + "/all"), report(work + "/whole/job.summary")
assert level["quality"]["stretches"] >= 2 and level["quality"]["stretches_missing_ns"] == 0, level["quality"]
assert level["run"]["step_source"] == "marker" and level["run"]["step_confidence"] > 0.9, level["run"]
for a, b in zip(full["devices"], level["devices"], strict=True):
    assert (a["steps"], a["window_ns"], a["kernels"], a["busy_ns"]) == (b["steps"], b["window_ns"], b["kernels"], b["busy_ns"]), (a, b)
    step_ns = a["window_ns"] / a["steps"]
    for leaf, ns in a["time_ns"].items():
        off = abs(ns - b["time_ns"][leaf]) / a["steps"]
        assert off <= 0.01 * step_ns, (leaf, off, step_ns)
    print(f"{a['device']}: {a['steps']} steps, the leaf that is most off by",
          f"{max(abs(ns - b['time_ns'][leaf]) for leaf, ns in a['time_ns'].items()) / a['window_ns']:.6%}")
assert [f["id"] for f in full["findings"]][:2] == [f["id"] for f in level["findings"]][:2], (full["findings"], level["findings"])
# Each step once, or its time is counted as missing. The first one is warm-up, where there are many.
for name, steps, step_ns in (("cut", 899, 20e6), ("alone", 449, 20e6), ("slow", 5, 3.1e9)):
    r = report(f"{work}/{name}/job.summary")
    missing = r["quality"]["stretches_missing_ns"]
    for d in r["devices"]:
        lost = steps - d["steps"]
        assert 0 <= lost <= 2 * missing / step_ns + (missing > 0), (name, d["steps"], missing)
    assert r["quality"]["dropped"] == r["quality"]["truncated_files"] == 0, r["quality"]
    assert os.path.getsize(f"{work}/{name}/job.summary") < 400_000
    print(name, [d["steps"] for d in r["devices"]], "missing", missing)
kept = report(work + "/cut")
assert kept["quality"]["before_ns"] > 0 and kept["run"]["steps"] < 899, kept["quality"]
early = report(work + "/ended/job.summary")
assert sorted(d["steps"] for d in early["devices"]) == [59, 299], [d["steps"] for d in early["devices"]]
assert early["quality"]["stretches"] >= 2 and early["quality"]["stretches_missing_ns"] == 0, early["quality"]
late = report(work + "/late/job.summary")
missing = late["quality"]["stretches_missing_ns"]
lost = [steps - d["steps"] for steps, d in zip((699, 999), sorted(late["devices"], key=lambda d: d["steps"]))]
assert lost[1] == 0 and 0 <= lost[0] <= missing / 20e6, (lost, missing)
print("late", lost, "missing", missing)
tasks = report(work + "/tasks/job.summary")
assert sorted(d["steps"] for d in tasks["devices"]) == [99, 399] and tasks["quality"]["truncated_files"] == 0, tasks["devices"]
killed = report(work + "/killed/job.summary")
assert all(d["steps"] > 0 for d in killed["devices"]), [d["steps"] for d in killed["devices"]]
P
expect_status 0 "$PYTHON" "$work/levels.py" "$BATON" "$work"
cat "$work/out"
cp "$work/said.whole.err" "$work/err"
expect_says "beside the job: " "the whole job is in $work/whole/job.summary        next: baton report"
expect_status 0 "$BATON" report "$work/cut/job.summary"
expect_prints "added up: " "The GPU waits for the data loader"
expect_status 0 "$BATON" metrics "$work/cut/job.summary"
expect_prints "baton_up{"
if [ "$mounted" ]; then
	expect_status '0|4' "$BATON" report --json "$work/disk/run/job.summary"
	expect_true '0 < d["run"]["steps"] <= 899 and (d["run"]["steps"] == 899 or d["quality"]["dropped"] > 0 or d["quality"]["stretches_missing_ns"] > 0)'
	checks=$((checks + 1))
	[ "$(grep -c 'cannot write .*job.summary: No space' "$work/said.disk-run.err")" -le 1 ] || fail "a full disk is said more than once"
fi
expect_status 2 "$BATON" record --level much -o "$work/x" -- true
expect_says "must be events or summary"
expect_status 2 "$BATON" record --level summary --keep-last 4s -o "$work/x" -- true
expect_says "of 8 s at least"
expect_status 2 "$BATON" record --level summary --duration 4 -o "$work/x" -- true
expect_says "covers the whole job"
for stretch in 3 5 1h much; do
	expect_status 2 env BATON_STRETCH=$stretch "$BATON" record --level summary --keep-last 8s -o "$work/x" -- true
	expect_says "BATON_STRETCH must be 4 s at least, and half of --keep-last (8 s) at most"
done
[ ! -e "$work/x" ] || fail "a refused recording left its directory"
expect_status 0 "$BATON" record --level summary -o "$work/none" -- true
[ -z "$(ls "$work/none")" ] || fail "left where nothing was recorded: $(ls "$work/none")"
# -f takes the summary of the job before with its traces.
expect_status 0 "$BATON" record -f -o "$work/whole" -- "$bin/simtrain" --steps 3
[ ! -e "$work/whole/job.summary" ] || fail "the summary of another job is left"
finish
