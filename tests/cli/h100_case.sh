#!/usr/bin/env bash
# What was recorded on a real GPU (tests/gpu/runs) and what is known of it.
. tests/cli/lib.sh
cp -r tests/gpu/runs/small_gpt "$work/small_gpt"

# Bound by launches: most of the idle time is the program's own, and that comes first, though some of it is in few steps only.
expect_status 0 "$BATON" report --json "$work/small_gpt"
expect_true 'd["findings"][0]["id"] == "framework" and d["findings"][0]["share_ms"] > 0.5 * d["devices"][0]["step_ns"]["mean"] / 1e6'
# Keeps out: sleep in backward(), until autograd's thread is done, as time that a cure of sleeping takes off (0.44 ms).
expect_true 'all((f["gain_ms"] or 0) < 0.1 for f in d["findings"] if f["id"] == "blocked")'
expect_true 'd["quality"]["dropped"] == d["quality"]["unmatched_ops"] == d["quality"]["invalid_timestamps"] == 0'
expect_true 'sum(k["count"] for k in d["kernels"]) > 15000 and not any(k["class"].startswith("other") for k in d["kernels"])'
expect_status 0 "$BATON" report "$work/small_gpt"
expect_prints "The CPU cannot launch kernels fast enough" "See what CUDA graphs would win: baton whatif"
# With the steps in a CUDA graph a step took 0.851 ms. Keeps out: another answer than docs/GRAPH.md has.
expect_status 0 "$BATON" whatif --json "$work/small_gpt" --graphs
expect_true 'abs(d["step_without_ns"] / 1e6 - 0.851) < 0.15 * 0.851'
said=$(grep -A1 "whatif --graphs. says" docs/GRAPH.md | tr -d '\n' | sed -E 's/.* says ([0-9.]+) +ms of its recording.*/\1/')
expect_true "round(d['step_without_ns'] / 1e6, 2) == $said"

# One loss each, and what it costs: how much longer the steps are than those of the same program without it.
costs() { # costs RUN FINDING MS
	cp -r "tests/gpu/runs/$1" "$work/$1"
	expect_status 0 "$BATON" report --json "$work/$1"
	expect_true "d['findings'][0]['id'] == '$2' and abs(d['findings'][0]['gain_ms'] - $3) < 0.1 * $3"
	expect_true "'$1.py' in d['findings'][0]['evidence'] and all((f['gain_ms'] or 0) < 0.05 * $3 for f in d['findings'][1:])"
}
costs clip_by_hand host_code 13.89
costs micro_batches blocked 21.33
costs slow_workers input 19.06
finish
