#!/usr/bin/env bash
# The first finding is the loss that costs most, and what it says to win is what the same job without that fault wins.
. tests/cli/lib.sh
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

run() { # run NAME OPTION...
	"$sim" -o "$work/$1" --truth "$work/$1.json" --steps 6 "${@:2}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"
	expect_status 0 "$BATON" report --json "$work/$1"
	job=$1
}
is() { # `f`: findings, `loss`: by fault, ms
	checks=$((checks + 1))
	"$PYTHON" - "$work/out" "$work/$job.json" "$1" <<'END' || fail "$job: $1: $(cut -c1-600 "$work/out")"
import json, sys
d, t = (json.load(open(path)) for path in sys.argv[1:3])
f, loss = d.get("findings"), {x["fault"]: x["loss_ns"] / 1e6 for x in t["faults"]}
near = lambda gain, real, off: gain is not None and abs(gain - real) <= off * real
sys.exit(0 if eval(sys.argv[3]) else 1)
END
}

cores_win() { # cores_win NAME: what that job wins with cores enough (ample), ms
	"$PYTHON" -c 'import json, sys; a, b = (json.load(open(p))["step_ns"] for p in sys.argv[1:]); print((a - b) / 1e6)' \
		"$work/$1.json" "$work/ample.json"
}

# Keeps out: copies of a thread that only copies, which hold their times however short the step would be, as the end of
# the step, as places in the launch queue and as what other copies wait for.
run prefetch --workload tiny --ranks 3 --per-host 2 --seed 3 --fault page_fault=600@2 --fault prefetch=2849
is "f[0]['id'] == 'late_rank' and near(f[0]['gain_ms'], loss['page_fault'], 0.03)"

# Keeps out: the time of waits for the GPU instead of their gain, where no rank waits for another.
run alone --workload short_forward --ranks 4 --seed 3 --fault sync_device=1
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['sync_device'], 0.02)"

# Keeps out: all waits of the loop as one, without which the hosts run so far ahead that a late rank is hidden too.
run both --workload fsdp --ranks 4 --seed 3 --fault sync_device=2@all --fault module_load=28150@3
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['sync_device'], 0.02)"
is "f[1]['id'] == 'late_rank' and 'module_load' in f[1]['text'] and near(f[1]['gain_ms'], loss['module_load'], 0.03)"

# Keeps out: another cause before calls that wait for the device, because it wins three quarters as much.
run own --workload short_forward --ranks 3 --seed 477870 --fault sync_device=3 --fault profiler=36008
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['sync_device'], 0.02)"

# Keeps out: sleep of threads of one process, where what the lock's holder does is the loss.
run threads --workload dataparallel --ranks 2 --seed 3 --fault profiler=176333@0
is "f[0]['id'] == 'profiler' and near(f[0]['gain_ms'], loss['profiler'], 0.1)"

# Keeps out: a load of one step before waits for the GPU that win twice as much, because steady hosts would win some beside it.
run waits --workload short_forward --ranks 32 --seed 508758 --noise-seed 470522 --host-noise bursts --fault module_load=57799 \
	--fault item_end=1
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['item_end'], 0.05)"

# Keeps out: sleep for the lock, which threads of one process take in turns, where the profiler's work under it is the loss.
run turns --workload jax --ranks 4 --seed 4 --fault profiler=100000
is "f[0]['id'] == 'profiler' and near(f[0]['gain_ms'], loss['profiler'], 0.25)"

# Keeps out: the profiler's work under the lock as sleep, because the sampler put the sleep of that millisecond there.
run asleep --workload jax --ranks 5 --seed 413000 --noise-seed 555341 --eval 4:2 --host-noise even --nvtx off --fault io_sleep=14598 \
	--fault profiler=41503
is "f[0]['id'] == 'profiler' and near(f[0]['gain_ms'], loss['profiler'], 0.25)"

# Keeps out: one rank's host, or a host's, where all waits for the GPU that it alone makes are the loss, and those at the end of
# steps or in the middle win little by themselves.
run waits_more --workload short_backward --ranks 8 --per-host 2 --seed 955644 --noise-seed 362462 --host-noise bursts --fault sync=4@3
is "f[0]['id'] == 'late_rank' and f[0]['rank'] == 3 and f[0]['cause'] == 'sync' and near(f[0]['gain_ms'], loss['sync'], 0.1)"

# Keeps out: hosts that are unsteady before waits for the GPU that win half as much again, because steps differ.
run varied --workload ddp --ranks 16 --seed 816130 --noise-seed 866957 --vary 250 --host-noise even --gpu-tick 32 --fault sync=1
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['sync'], 0.15)"

# Keeps out: waiting for a core inside of a call that goes with the call, as a loss of the cores alone.
run call --workload three_level --ranks 8 --cores 8 --seed 518252 --fault module_load=37610
is "f[0]['id'] == 'module_load' and near(f[0]['gain_ms'], loss['module_load'], 0.25)"

# Keeps out: a loader that is slow wherever it runs as a lack of cores, because the process waits for some too.
run slow_loader --workload short_backward --ranks 3 --seed 190058 --fault no_core=4 --fault input=349291@1
is "f[0]['id'] == 'late_rank' and f[0]['rank'] == 1 and f[0]['cause'] == 'input' and near(f[0]['gain_ms'], loss['input'], 0.35)"

# Keeps out: only the waits of launching threads as what more cores win, where loaders starve too.
few=(--workload resnet --ranks 3 --seed 590310 --noise-seed 322601 --eval 5:3 --nvtx off --accumulate 4)
run starving "${few[@]}" --cores 2
"$sim" --truth "$work/ample.json" --steps 6 "${few[@]}" >/dev/null 2>&1 || fail "baton-sim with cores enough"
is "f[0]['id'] == 'no_core' and near(f[0]['gain_ms'], $(cores_win starving), 0.05)"

# Keeps out: what the launching threads get as what loaders get, where rows of their processes tell; and `input` as the
# cause, where cores enough would let the loader keep up.
run crowded --workload short_forward --ranks 1 --seed 511815 --noise-seed 943532 --cores 2 --accumulate 4 --fault no_core=4
is "f[0]['id'] == 'no_core' and near(f[0]['gain_ms'], loss['no_core'], 0.05)"

# Keeps out: the calls that wait for a core longest as the cause, where cores enough win more.
few=(--workload tensor --ranks 3 --seed 639758 --noise-seed 61522 --fault alloc=161@2)
run crowded_calls "${few[@]}" --cores 2
"$sim" --truth "$work/ample.json" --steps 6 "${few[@]}" >/dev/null 2>&1 || fail "baton-sim with cores enough"
is "'no_core' in f[0]['id'] + f[0]['text'] and near(f[0]['gain_ms'], $(cores_win crowded_calls), 0.15) and loss['alloc'] < 70"

# Keeps out: the rank that a lack of cores on its host makes latest as the cause, with its part of what cores enough win.
few=(--workload three_level --ranks 8 --per-host 4 --seed 5 --fault alloc=257@2)
run crowded_host "${few[@]}" --cores 2
"$sim" --truth "$work/ample.json" --steps 6 "${few[@]}" >/dev/null 2>&1 || fail "baton-sim with cores enough"
is "f[0]['id'] == 'no_core' and near(f[0]['gain_ms'], $(cores_win crowded_host), 0.05)"

# Keeps out: what ops wait for that hardly ever are queued, as what the device takes between any two of them (6 ms).
run replicas --workload dataparallel --ranks 3 --seed 5 --fault no_core=5
is "f[0]['id'] == 'no_core' and near(f[0]['gain_ms'], loss['no_core'], 0.02)"

# Keeps out: the first call of a thread in the replayed steps at its time, whatever is cured before it.
run first_calls --workload jax --ranks 2 --seed 5 --fault no_core=3
is "f[0]['id'] == 'no_core' and near(f[0]['gain_ms'], loss['no_core'], 0.02)"

few=(--workload pipeline --ranks 8 --seed 5 --fault alloc=25 --fault checkpoint=200)
run new_thread "${few[@]}" --cores 2
"$sim" --truth "$work/ample.json" --steps 6 "${few[@]}" >/dev/null 2>&1 || fail "baton-sim with cores enough"
is "f[0]['id'] == 'no_core' and near(f[0]['gain_ms'], $(cores_win new_thread), 0.05)"

# Keeps out: six slices of another process on the GPU as idle time that nothing explains.
run slices --workload graph --ranks 2 --seed 3 --host-noise bursts --fault shared_gpu=5000@all
is "f[0]['id'] == 'shared' and near(f[0]['share_ms'], loss['shared_gpu'], 0.05)"

# Keeps out: a fault that is rarer than another one at its place, and becomes as frequent beside it.
run periods --workload short_backward --ranks 1 --seed 5 --accumulate 4 --fault sync=1 --fault page_fault=782
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['sync'], 0.1)"

# Keeps out: waits for the GPU, without which hosts run ahead and hide a lack of cores, before that lack.
run cores --workload three_level --ranks 8 --seed 3 --fault no_core=5@5
is "f[0]['id'] == 'no_core' and near(f[0]['gain_ms'], loss['no_core'], 0.02)"

# Keeps out: what is left of a loss once a larger one is cured, as all that it costs by itself.
run hidden --workload graph --ranks 8 --cores 4 --seed 931489 --fault module_load=30907 --fault jit=307030
"$sim" --truth "$work/ample.json" --steps 6 --workload graph --ranks 8 --seed 931489 --fault module_load=30907 \
	--fault jit=307030 >/dev/null 2>&1 || fail "baton-sim with cores enough"
cores=$(cores_win hidden)
is "[x['id'] for x in f[:2]] == ['module_load', 'no_core'] and f[0]['gain_alone_ms'] == f[0]['gain_ms']"
is "f[1]['gain_ms'] < $cores / 4 and near(f[1]['gain_alone_ms'], $cores, 0.05)"
expect_status 0 "$BATON" report "$work/hidden"
checks=$((checks + 1))
tr -s ' \n' ' ' <"$work/out" | grep -q "once the losses above are cured, [0-9.]* ms by itself" || fail "report: $(cat "$work/out")"

# Keeps out: what no loader could deliver. Its batches come as they do, however little else the loop waits for.
run loader --workload short_backward --ranks 1 --steps 14 --seed 928650 --fault input=32164 --fault item_loss=2
expect_status 0 "$BATON" whatif --json "$work/loader" --without sync
is "loss['item_loss'] < t['step_ns'] / 4e7 and d['step_ns'] - d['step_without_ns'] < t['step_ns'] / 20"
expect_status 0 "$BATON" whatif --json "$work/loader" --without input
is "abs(d['step_ns'] - d['step_without_ns'] - 1e6 * loss['input']) < t['step_ns'] / 100"

# Keeps out: a call that waits for a host function of its stream, and goes on waiting when that is gone.
run function --workload short_backward --ranks 3 --seed 3 --fault host_func=617 --fault sync_device=5@2
expect_status 0 "$BATON" whatif --json "$work/function" --without host_func
is "near((d['step_ns'] - d['step_without_ns']) / 1e6, loss['host_func'], 0.02)" # with what it takes until a function begins

# Keeps out: host functions that no longer hold up their stream once the calls behind them do not wait for it.
run behind --workload fsdp --ranks 2 --seed 796435 --fault host_func=464 --fault sync_device=13@all
expect_status 0 "$BATON" whatif --json "$work/behind" --without sync
is "near((d['step_ns'] - d['step_without_ns']) / 1e6, loss['sync_device'], 0.1)"

# Keeps out: what waits for an event behind a host function losing only the time in which that ran.
run event --workload moe --ranks 3 --per-host 2 --seed 34819 --fault host_func=119
expect_status 0 "$BATON" whatif --json "$work/event" --without host_func
is "near((d['step_ns'] - d['step_without_ns']) / 1e6, loss['host_func'], 0.02)"

# Keeps out: waits for all GPUs of a process, as those of the GPU whose thread makes the calls.
run all_gpus --workload dataparallel --ranks 8 --seed 170579 --host-noise drift --fault sync_device=3@all
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['sync_device'], 0.03)"

# Keeps out: a loss with no other one beside it at its time (4.9 ms), which is not what its cure wins.
run single --workload ddp --ranks 1 --seed 11 --fault profiler=60000
is "f[0]['id'] == 'profiler' and near(f[0]['gain_ms'], loss['profiler'], 0.03)"

# Keeps out: steadier host work, which wins as much as a load of one step whose end alone the GPU feels, before that load.
run felt --workload jax --ranks 1 --steps 8 --seed 11 --fault jit=100000
is "f[0]['id'] == 'module_load' and near(f[0]['gain_ms'], loss['jit'], 0.02)"

# Keeps out: uneven devices of one process, whose collectives are not split, as time that no finding names.
run uneven --workload dataparallel --ranks 3 --steps 8 --seed 608892 --noise-seed 920748 --host-noise drift --fault imbalance=19
is "f[0]['id'] == 'wait' and f[0]['severity'] in ('medium', 'high') and near(f[0]['gain_ms'], loss['imbalance'], 0.25)"

# Keeps out: a late rank before work of all hosts that costs more, by itself and beside it (373 of 1114 ms, 294 the rank).
run larger --workload tiny --ranks 3 --steps 6 --seed 623176 --noise-seed 508125 --cores 16 --host-noise bursts --fault page_fault=901 \
	--fault profiler=40154 --fault jitter_host=876
is "[x['id'] for x in f[:2]] == ['framework', 'late_rank'] and f[0]['gain_ms'] > 1.2 * f[1]['gain_ms']"

# Keeps out: allocations of one rank told as asymmetry, as a late rank and once more, where no rank waits for another.
run apart --workload inference --ranks 2 --steps 8 --seed 330460 --noise-seed 508114 --cores 4 --host-noise drift --gpu-tick 32 --nvtx on \
	--fault alloc=27@1
is "f[0]['id'] == 'late_rank' and 'alloc' in f[0]['text'] and not any(x['id'] in ('asymmetry', 'alloc') and x['share_ms'] > 0.3 for x in f[1:])"

# Keeps out: a rank of many that nobody waits for, judged by what it makes the mean step longer (0.5 of 51 ms).
run one_of_many --workload inference --ranks 16 --steps 5 --fault io_sleep=8000@1
is "f[0]['id'] == 'late_rank' and f[0]['severity'] == 'high' and 'Rank 1 takes 8.00 ms longer for each step' in f[0]['text']"

# Keeps out: calls that wait for the device, which cost more, after the profiler of one rank, which they hide.
run device --workload ddp --ranks 2 --steps 8 --seed 751484 --noise-seed 588340 --host-noise bursts --fault sync_device=4 --fault profiler=40381@1
is "f[0]['id'] == 'sync' and near(f[0]['gain_ms'], loss['sync_device'], 0.05)"

# Keeps out: transfers first that a late rank hides: without them the step is as long.
run transfers --workload short_forward --ranks 16 --steps 6 --seed 272 --fault profiler=158393@9 --fault slow_link=828
is "f[0]['id'] == 'late_rank' and near(f[0]['gain_ms'], loss['profiler'], 0.05) and loss['slow_link'] < loss['profiler'] / 4"
is "f[1]['id'] == 'transfer' and f[1]['share_ms'] > f[0]['gain_ms'] and 'once the other losses are cured' in f[1]['evidence']"

# Keeps out: the waits of a rank with the stall that they hide: without them the stall stays.
run stall --workload tensor --ranks 2 --steps 12 --seed 293 --fault sync=1@1 --fault io_sleep=11869@1
is "f[0]['id'] == 'late_rank' and 'more in blocked' in f[0]['text'] and near(f[0]['gain_ms'], loss['io_sleep'] + loss['sync'], 0.05)"

# Keeps out: a loader in few steps as threads that sleep for it, nobody knows why.
run sleepers --workload jax --ranks 5 --steps 6 --seed 255 --fault input=44294
is "'input' in [x['id'] for x in f if x.get('gain_ms')] and not any(x['id'] == 'blocked' and x.get('gain_ms') for x in f)"

# Keeps out: a load of one rank in few steps, small in the mean of all ranks, without a gain.
run seldom --workload ddp --ranks 3 --steps 12 --seed 622055 --noise-seed 367610 --per-host 1 --recompute --fault module_load=9430@0 \
	--fault slow_link=241@1
is "f[0]['id'] == 'late_rank' and f[0]['rank'] == 0 and near(f[0]['gain_ms'], loss['module_load'], 0.05)"

finish
