#!/usr/bin/env bash
# What `baton record` learns of the node's GPUs: a GPU that is slow because it is held back is told so; who looks, once; and nothing is
# lost, late or loaded where NVML is missing, mute, broken or silent for ever, or where the job uses no GPU.
. tests/cli/lib.sh
preloads simtrain simlaunch simgpu/libcupti.so.13 simgpu/libnvidia-ml.so.1
double=$PWD/$BUILD/simgpu bin=$PWD/$BUILD
unset BATON_GAUGES BATON_RUN_ID "${!SLURM_@}"
export LD_LIBRARY_PATH=$double SIMGPU_MEMORY_MB=256 SIMGPU_DEVICES=2
two="$bin/simlaunch -n 2 -- $bin/simtrain --layers 2"

recorded() { # recorded NAME COMMAND...: quietly, into $run
	run=$work/$1
	shift
	expect_status 0 "$BATON" record -o "$run" -- "$@"
}
looked() { find "$run" -name 'gpus.*.baton' | wc -l; }
files() { # files N: of gauges
	checks=$((checks + 1))
	[ "$(looked)" = "$1" ] || fail "$(looked) files of gauges, not $1: $(ls "$run")"
}

# ---- a rank is slow because its GPU is ----
plant() { # plant NVML: rank 1's kernels take half as long again; what NVML shows meanwhile
	export SIMGPU_NVML=$1
	recorded "slow$((n = ${n:-0} + 1))" "$bin/simlaunch" -n 2 -- "$bin/simtrain" --steps 120 --slow-rank 1=50
	unset SIMGPU_NVML
	files 1
	expect_status 0 "$BATON" check "$run"
	expect_status 0 "$BATON" report --json "$run"
}
first='d["findings"][0]'
gpu='lambda rank: [x["gpu"] for x in d["devices"] if x["ranks"] == [rank]][0]'
plant "sm=1755,power=600000;1:sm=1185,throttle=0x44,temp=88"
expect_true "$first['id'] == 'late_rank' and 'Rank 1' in $first['text'] and \"its SM clock was 1,185 MHz, the others' 1,755\" in $first['text']"
expect_true "'HW thermal slowdown in 100 % of its' in $first['evidence'] and 'slows that GPU down' in $first['remedy']"
expect_true "($gpu)(1)['sm_mhz']['samples'] >= 1 and ($gpu)(1)['sm_mhz']['mean'] == 1185 and ($gpu)(0)['sm_mhz']['min'] == 1755"
expect_true "($gpu)(1)['temperature_c']['max'] == 88 and ($gpu)(0)['power_mw']['mean'] == 600000 and ($gpu)(0)['sm_max_mhz']['max'] == 1980"
expect_true "[($gpu)(r)['slowed']['any'] == ($gpu)(r)['slowed']['samples'] > 0 for r in (0, 1)] == [False, True]"
expect_true "($gpu)(1)['slowed']['hw_thermal_slowdown'] == ($gpu)(1)['slowed']['any'] and ($gpu)(1)['slowed']['hw_slowdown'] == 0"
times() { "$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1])); print(json.dumps([dict(x, gpu=None) for x in d["devices"]]))' "$1"; }
times "$work/out" >"$work/with"
expect_status 0 "$BATON" report "$run"
expect_prints "rank 1    SM clock 1,185 of 1,980 MHz" " by HW thermal slowdown" "up to 88 C"
rm "$run"/gpus.* # Keeps out: gauges that move a time, or count as a rank
expect_status 0 "$BATON" report --json "$run"
expect_true "($gpu)(1) is None and 'check its clock' in $first['evidence'] and d['run']['world_size'] == 2 and d['quality']['missing_ranks'] == []"
times "$work/out" | cmp -s - "$work/with" || fail "other figures without the gauges"
plant "sm=1755"
expect_true "'no lower than' in $first['evidence'] and '1,755 MHz' in $first['evidence'] and 'its clock is not the reason' in $first['remedy']"
expect_true "($gpu)(1)['slowed']['any'] == 0"
# Keeps out: runs that are compared without a word of what their GPUs' clocks were.
whole=$run
plant "sm=1500,throttle=0x4"
expect_status 0 "$BATON" compare --json "$whole" "$run"
expect_true "d['bridge'][0]['gpu_clock'] == {'base_sm_mhz': 1755, 'sm_mhz': 1500, 'slowed': {'reason': 'sw_power_cap', 'base': 0, 'run': 1}}"
# set clocks and an idle GPU are no slowing down
plant "throttle=0x3"
expect_true "($gpu)(1)['slowed']['any'] == 0 and ($gpu)(1)['slowed']['samples'] > 0"

# Keeps out: the clock of a GPU that is idle in a third of its samples taken for that of its kernels.
made() { # made RULE...: other gauges for that run (gauges_made.py)
	"$PYTHON" tests/shim/gauges_made.py "$BATON" "$run" "$@" || fail "gauges_made.py"
	expect_status 0 "$BATON" report --json "$run"
}
made '*:1:1755:0' 1:3:345:1
expect_true "($gpu)(1)['sm_mhz']['mean'] == ($gpu)(1)['sm_mhz']['min'] == 1755 and ($gpu)(1)['sm_mhz']['samples'] < ($gpu)(1)['slowed']['samples']"
expect_true "'no lower than' in $first['evidence'] and 'its clock is not the reason' in $first['remedy']"

# Keeps out: samples of a whole day that are read for a run of seconds. Those of another hour cannot be read here.
expect_true "d['quality']['truncated_files'] == 0"
expect_status 3 "$BATON" check "$run"

# Keeps out: a clock that explains little blamed for all of it; one that is a little lower called no lower.
made '*:1:1755:0' 1:1:1710:0
expect_true "\"slower; its SM clock (1,710 MHz, the others' 1,755 MHz) explains 3 %\" in $first['evidence'] and 'MHz' not in $first['text']"
expect_true "'slows that GPU down' not in $first['remedy'] and 'its clock explains less than half' in $first['remedy']"
made '*:1:1755:0' 1:1:1740:0
expect_true "\"hardly lower than the others' (1,740 MHz, theirs 1,755 MHz)\" in $first['evidence'] and 'its clock is not the reason' in $first['remedy']"

# Keeps out: the reason that all have told of the one that is slow; a line for each where all are at their power limit.
made '*:1:1700:0x4' 1:3:500:0x4c
expect_true "'HW thermal slowdown in 3' in $first['evidence'] and 'samples (the others: 0 %)' in $first['evidence']"
expect_true "'power cap' not in $first['evidence'] and 'slows that GPU down' in $first['remedy']"
expect_status 0 "$BATON" report "$run"
checks=$((checks + 2))
tr -s ' \n' ' ' <"$work/out" | grep -Eq 'rank 1 SM [^;]*; slowed in 100 % of [0-9]+ samples, in 3[0-9] % by HW thermal slowdown, in 100 % by SW power cap' ||
	fail "not both reasons: $(cat "$work/out")"
! grep -q '^  rank 0 ' "$work/out" || fail "a GPU that is like the others stands out: $(cat "$work/out")"

# Keeps out: the first of those that stand out instead of the worst.
run=$work/sixteen
expect_status 0 "$BATON-sim" -o "$run" --ranks 16 --per-host 16 --steps 6 --kernels 100
made '*:1:1700:0x4' 15:3:1200:0x4c
expect_status 0 "$BATON" report "$run"
checks=$((checks + 1))
[ "$(grep -Eo '^  rank [0-9]+ +SM clock' "$work/out" | tr -s ' ')" = " rank 15 SM clock" ] || fail "not rank 15 alone: $(cat "$work/out")"
made '*:1:1700:0x4' '*:3:1700:0x24' 15:3:1200:0x4c 12:2:1700:0x48
expect_status 0 "$BATON" report "$run"
checks=$((checks + 1))
[ "$(grep -Eo '^  rank [0-9]+ ' "$work/out" | tr -d 'rank \n')" = 1512012345 ] || fail "the worst do not come first: $(cat "$work/out")"
expect_prints "and 8 more GPUs that stand out"

# ---- who looks ----
# Several that see the same GPUs record into one directory: one of them looks.
export BATON_RUN_ID=together SLURM_JOB_ID=7 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2
pids=()
for rank in 0 1; do
	SLURM_PROCID=$rank "$BATON" record -o "$work/srun" -- "$bin/simtrain" --steps 60 --layers 2 >"$work/srun.$rank" 2>&1 &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	checks=$((checks + 1))
	wait "$pid" || fail "one of two recordings: $(cat "$work"/srun.*)"
done
unset BATON_RUN_ID "${!SLURM_@}"
run=$work/srun
files 1
checks=$((checks + 1))
[ "$(find "$run" -name '*.baton' ! -name 'gpus.*' | wc -l)" = 2 ] || fail "not two traces: $(ls "$run")"
# shellcheck disable=SC2086
BATON_GAUGES=off recorded off $two --steps 20
files 0
# Keeps out: a file that is damaged because its sampler was killed.
mkfifo "$work/begun"
"$BATON" record -o "$work/killed" -- "$bin/simtrain" --steps 400 --layers 2 >"$work/begun" 2>"$work/err" &
exec 3<"$work/begun"
run=$work/killed
while read -r line <&3; do
	case $line in "step 2"?*) [ "$(looked)" = 1 ] && break ;; esac
done
checks=$((checks + 1))
kill -KILL $! || fail "baton record had ended before it was killed"
wait $! 2>/dev/null
cat <&3 >"$work/rest" # the job goes on to its end
exec 3<&-
expect_status "0|4" "$BATON" report --json "$run"
expect_true "d['quality']['truncated_files'] == 0 and d['devices'][0]['steps'] > 100"
files 1
expect_status 0 "$BATON" check "$run"

# ---- other NVMLs ----
fake=$work/fake
mkdir "$fake"
${CC:-gcc} -std=gnu11 -O1 -fPIC -shared -o "$fake/libnvidia-ml.so.1" tests/shim/gauges_fake.c || fail "gauges_fake.c"
export LD_LIBRARY_PATH=$fake:$double FAKE_NVML_MARK=$work/mark
export FAKE_NVML=mute
# Keeps out: a job without a GPU for which NVML is loaded, which wakes GPUs up.
recorded none bash -c 'sleep 0.3; true'
expect_nothing_in "$run"
checks=$((checks + 1))
[ ! -e "$work/mark" ] || fail "NVML was loaded for a job without a GPU"
# shellcheck disable=SC2086
recorded mute $two --steps 60
files 1
checks=$((checks + 1))
[ -e "$work/mark" ] || fail "NVML was not loaded"
expect_status 0 "$BATON" dump --json "$run"
expect_true "{(x['device'], x['gauge'], x['value']) for x in lines if x['record'] == 'gauge'} == {(2, 1, 1410)}"
expect_status 0 "$BATON" report "$run"
for FAKE_NVML in fails hangs; do
	# shellcheck disable=SC2086
	recorded $FAKE_NVML $two --steps 20
	files 0
	expect_says "2 processes"
	expect_says_not NVML nvml
	expect_status 0 "$BATON" report "$run"
	! grep -qF "GPU clock, power" "$work/out" || fail "gauges of an NVML that $FAKE_NVML"
done
# ---- where the GPUs sit ----
# Keeps out: links, an address or the CPUs of a rank that are lost on the way to the screen; a rank on far CPUs that is not marked.
place() { "$BATON" top --json "$run" >"$work/out"; }
export SIMGPU_NVML=links=4 LD_LIBRARY_PATH=$double
recorded place taskset -c 0 "$bin/simlaunch" -n 2 -- "$bin/simtrain" --layers 2 --steps 200
unset SIMGPU_NVML
place
expect_true '[[g["links"], g["cpus"], g["far"], g["pci"]] for g in d["topology"][0]["gpus"]] == [[["X", "NV4"], "0", False, "0000:01:00.0"], [["NV4", "X"], "0", False, "0000:02:00.0"]]'
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$run" place.cpus.1=0-1 place.cpus.2=2-3 '*:1:1980:0'
place
expect_true '[(g["gpu_cpus"], g["far"]) for g in d["topology"][0]["gpus"]] == [("0-1", False), ("2-3", True)]'
expect_status 0 "$BATON" top --once --topology "$run"
expect_prints "0 far " "bind it"
finish
