#!/usr/bin/env bash
# Several slow ranks at once: curing the slowest alone wins only what it is slower than the second, and of two that are equally slow
# neither wins anything alone. All are named, with what curing them wins, and no rank of the job without them is.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

made() { # made NAME OPTION...
	expect_status 0 "$sim" -o "$work/$1" --truth "$work/$1.json" "${@:2}"
}
report() { # report NAME WITHOUT 'PYTHON': late is the ranks that findings name, gain what they win, real the difference to WITHOUT
	expect_status 0 "$BATON" report --json "$work/$1"
	checks=$((checks + 1))
	"$PYTHON" - "$work/out" "$work/$1.json" "$work/$2.json" "$3" <<'END' || fail "$1: $3: $(head -c 2000 "$work/out")"
import json, sys
report, truth, without = [json.load(open(path)) for path in sys.argv[1:4]]
named = [f for f in report["findings"] if f["id"] in ("late_rank", "late_host") and f["severity"] != "none"]
late, gain = [f["rank"] for f in named], sum(f["gain_ms"] for f in named)
real = (truth["step_ns"] - without["step_ns"]) / 1e6
low, high = sum(f["gain_low_ms"] for f in named), sum(f["gain_high_ms"] for f in named)
sys.exit(0 if eval(sys.argv[4]) else 1)
END
}

for workload in tensor moe; do
	job=(--workload "$workload" --ranks 16 --steps 6 --seed 7)
	made even "${job[@]}"
	made slow "${job[@]}" --fault slow_gpu=60@3 --fault slow_gpu=45@8 --fault slow_gpu=30@14
	report even even "late == []"
	report slow even "late == [3, 8, 14] and abs(gain - real) < 0.1 * real"
	rm -r "$work/even" "$work/slow"
done

# Of two that are equally slow, and of hosts.
made even --ranks 8 --steps 12 --seed 3
made pair --ranks 8 --steps 12 --seed 3 --fault slow_gpu=30@1 --fault slow_gpu=30@5
made hosts --ranks 8 --steps 12 --seed 3 --fault slow_host=250@2 --fault slow_host=250@6
made loaders --ranks 8 --steps 12 --seed 3 --fault input=130000@0 --fault input=130000@4
report pair even "sorted(late) == [1, 5] and abs(gain - real) < 0.1 * real and low <= real <= high"
report hosts even "sorted(late) == [2, 6] and abs(gain - real) < 0.2 * real"
report loaders even "sorted(late) == [0, 4] and abs(gain - real) < 0.2 * real"

# A rank that sleeps wins nothing before the slow GPU is cured. Of four ranks that are late for four reasons none wins much alone.
made hidden --ranks 8 --steps 12 --seed 3 --fault slow_gpu=15@1 --fault io_sleep=6000@4
report hidden even "sorted(late) == [1, 4] and abs(gain - real) < 0.1 * real and low <= real <= high"
four=(--workload resnet --ranks 6 --steps 8 --seed 11)
made none "${four[@]}"
made four "${four[@]}" --fault page_fault=2627@5 --fault module_load=20783@0 --fault io_sleep=6000@3 --fault slow_host=120@2
report four none "sorted(late) == [0, 2, 3, 5] and abs(gain - real) < 0.1 * real"

# Few of a host are named, not the host; all of it are the host.
hosts=(--ranks 8 --per-host 4 --steps 8 --seed 41)
made fast "${hosts[@]}"
made few "${hosts[@]}" --fault slow_gpu=20@1 --fault slow_gpu=20@3
made all "${hosts[@]}" --fault slow_host=250@0 --fault slow_host=250@1 --fault slow_host=250@2 --fault slow_host=250@3
report few fast "sorted(late) == [1, 3] and {f['id'] for f in named} == {'late_rank'} and abs(gain - real) < 0.1 * real"
report all fast "[f['id'] for f in named] == ['late_host']"
expect_status 0 "$BATON" whatif --json "$work/few"
expect_true "[x['rank'] for x in d['without']] == [1, 3] and all(4e6 < x['gain_ns'] < 11e6 for x in d['without'])" # 14.7 ms by both

expect_status 0 "$BATON" report "$work/pair"
expect_wrapped "and curing all wins" "Its part of what curing all wins is"
report pair even "all(sorted(f['group']['ranks']) == [1, 5] and abs(f['group']['gain_ms'] - gain) < 0.01 for f in named)"
expect_status 0 "$BATON" whatif --json "$work/pair" --without late_rank
expect_true "[x['cause'] for x in d['without']] == ['late_rank', 'kernels'] and sorted(x['rank'] for x in d['without']) == [1, 5]"
expect_true "abs(d['step_without_ns'] - $(sed -n 's/.*"step_ns":\([0-9]*\).*/\1/p' "$work/even.json" | head -n 1)) < d['step_ns'] / 50"

# Three that lose 5 % together, each less than 2 %; and four, after which the search goes on.
made three --ranks 8 --steps 12 --seed 3 --fault slow_gpu=6@1 --fault slow_gpu=6@2 --fault slow_gpu=6@6
report three even "sorted(late) == [1, 2, 6] and {f['severity'] for f in named} == {'medium'}"
made more --ranks 10 --per-host 10 --steps 8 --seed 3 --fault slow_gpu=30@1 --fault slow_gpu=30@3 --fault slow_gpu=30@5 \
	--fault slow_gpu=30@7 --fault jit=30000@all
expect_status 0 "$BATON" report --json "$work/more"
expect_true "sorted(f['rank'] for f in d['findings'] if f['id'] == 'late_rank') == [1, 3, 5, 7]"
expect_true "[round(f['gain_ms'], 1) for f in d['findings'] if f['id'] == 'module_load'] == [4.3]" # 30 ms in one of 7 steps

# A finding's gain is of all causes of its rank, and so is what curing all wins.
made causes --ranks 8 --steps 12 --seed 3 --fault slow_gpu=40@1 --fault io_sleep=20000@1 --fault slow_gpu=40@5
report causes even "sorted(late) == [1, 5] and 'curing all' not in str(named) and abs(gain - real) < 0.1 * real"

# Two ranks, one with a second cause: what the second rank wins on top of both is not added to the first one's finding without its name.
small=(--workload ddp --ranks 4 --steps 12 --seed 5)
made alone "${small[@]}"
made twice "${small[@]}" --fault slow_gpu=60@1 --fault io_sleep=18000@1 --fault slow_gpu=20@2
report twice alone "late == [1, 2] and abs(gain - real) < 0.1 * real and all(f['together'] is None and f['group'] is None for f in named)"
made second "${small[@]}" --fault slow_gpu=60@1 --fault slow_gpu=20@2
report second alone "late == [1, 2] and 'curing all' not in str(named) and abs(gain - real) < 0.1 * real"
expect_status 0 "$BATON" report "$work/second"
expect_prints "Curing it wins 30"
finish
