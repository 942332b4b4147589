#!/usr/bin/env bash
# baton report --critical: what decides how long a step takes, whose it is, and which collectives could be later.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

# Keeps out: a path with holes or with time that is counted twice.
sums() {
	expect_true "len(d['steps']) == $1 and all(s['ns'] == sum(s['path_ns'].values()) > 0 for s in d['steps'])"
	expect_true "sum(s['ns'] for s in d['steps']) == sum(x['ns'] for x in d['devices']) + d['between_devices_ns']"
}
whole='sum(s["ns"] for s in d["steps"])'

expect_status 0 "$sim" -o "$work/slow" --workload tensor --ranks 8 --per-host 4 --steps 6 --seed 11 --fault slow_gpu=20@3
expect_status 0 "$BATON" report --critical --json "$work/slow"
sums 5
expect_true "max(d['devices'], key=lambda x: x['ns'])['rank'] == 3 and d['devices'][3]['ns'] > 0.85 * $whole"
expect_true "all(s['path_ns']['matmul.gemm'] > s['ns'] / 2 > s['path_ns']['nccl.transfer'] > 0 for s in d['steps'])"
expect_status 0 "$BATON" report --critical "$work/slow"
expect_prints "the critical path of 5 replayed steps" "matmul.gemm" "node0/3" "between devices" "  sum "

# The path follows what is slow: host code of one rank.
expect_status 0 "$sim" -o "$work/faults" --workload tensor --ranks 4 --steps 6 --seed 5 --fault page_fault=2500@2
expect_status 0 "$BATON" report --critical --json "$work/faults"
sums 5
expect_true "sum(s['path_ns'].get('idle.host.code', 0) for s in d['steps']) > 0.05 * $whole"

# Keeps out: what another process holds up called launch latency.
expect_status 0 "$sim" -o "$work/shared" --workload ddp --ranks 2 --steps 6 --fault shared_gpu=2400@1 --fault sync_device=6@all
expect_status 0 "$BATON" report --critical --json "$work/shared"
expect_true "(lambda p: p('idle.gpu.shared') > p('idle.cpu.launch_latency') > 0)(lambda name: sum(s['path_ns'].get(name, 0) for s in d['steps']))"

# Gradients that are ready early need not be: buckets of a backward pass have slack, the last one has none.
expect_status 0 "$sim" -o "$work/ddp" --workload ddp --ranks 2 --steps 6 --seed 3
expect_status 0 "$BATON" report --critical --json "$work/ddp"
sums 5
expect_true "min(x['least_ns'] for x in d['slack']) < 1e5 < 1e6 < max(x['median_ns'] for x in d['slack'])"
expect_true "all(0 <= x['least_ns'] <= x['median_ns'] for x in d['slack'])"
expect_true "all(x['number'] % 5 == 0 for x in d['slack'])" # the step before the first is not counted

# One device, an import.
resnet=$BATON_DATA/kineto/resnet50_workers0.pt.trace.json.gz
if [ -e "$resnet" ]; then
	expect_status 0 "$BATON" import "$resnet" -o "$work/resnet"
	expect_status 0 "$BATON" report --critical --json "$work/resnet"
	sums 5
	expect_true "0.3 * $whole < sum(s['path_ns']['idle.host.input'] for s in d['steps']) < 0.45 * $whole"
fi

expect_status 2 "$BATON" report --critical --gaps 3 "$work/ddp"
expect_says "--critical and --gaps are two reports"
expect_status 3 "$BATON" report --critical --steps none "$work/ddp"
expect_says "too few steps to replay"
finish
