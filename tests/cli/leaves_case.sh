#!/usr/bin/env bash
# The time tree of real traces, through the whole program: leaves add up, and say what is known about these files.
. "$(dirname "$0")/lib.sh"
[ -d "$BATON_DATA/kineto" ] || skip "$BATON_DATA/kineto: not there"

run_of() { echo "$work/$(basename "$1" | cut -d. -f1)"; }

# Keeps out: a nanosecond that is counted twice or not at all; a leaf at 0 where the source cannot tell (absent, and named under
# quality), or absent where it can; a report in which units got mixed up.
files=0
for file in "$BATON_DATA"/kineto/*.json.gz "$BATON_DATA"/nsys/*.sqlite; do
	[ -e "$file" ] || continue
	files=$((files + 1))
	run=$(run_of "$file")
	expect_status '0|4' "$BATON" import "$file" -o "$run"
	expect_status 0 "$BATON" check "$run"
	expect_status '0|4' "$BATON" report --json "$run"
	expect_true "d['schema'] == 'baton.report/0' and len(d['devices']) > 0"
	checks=$((checks + 1))
	"$PYTHON" - "$work/out" "$file" <<-'EOF' || fail "leaves of $file"
		import json, sys
		report = json.load(open(sys.argv[1]))
		lacking = {"idle.host.no_core", "idle.host.blocked", "idle.host.host_func", "idle.gpu.dependency"}
		if "/kineto/" in sys.argv[2]:
		    lacking.add("work.graph")
		for device in report["devices"]:
		    leaves = device["time_ns"]
		    assert all(type(ns) is int and ns >= 0 for ns in leaves.values()), leaves
		    assert sum(leaves.values()) == device["window_ns"], (sum(leaves.values()), device["window_ns"])
		    assert not lacking & leaves.keys(), lacking & leaves.keys()
		    assert {"work.matmul", "nccl.wait", "idle.cpu.framework", "idle.host.sync", "idle.unknown.unexplained"} <= leaves.keys()
		    for leaf in lacking:
		        assert device["device"] in report["quality"]["not_carried"][leaf], leaf
		    assert 0 <= device["hull_idle_ns"] <= device["hull_ns"] and device["kernels"] >= device["launches"] > 0
		    assert device["steps"] >= 1 and 0 < device["step_ns"]["p50"] <= device["step_ns"]["max"] <= device["window_ns"]
	EOF
	cp "$work/out" "$work/first"
	expect_status '0|4' "$BATON" report --json --fresh "$run"
	checks=$((checks + 1))
	cmp -s "$work/first" "$work/out" || fail "the stored summary and a fresh one differ"
	expect_status '0|4' "$BATON" report "$run"
done
[ "$files" -gt 0 ] || skip "$BATON_DATA: no samples there"

# Keeps out: idle measured between the kernels of a stream instead of all of the device, and waiting for data that is taken for
# framework code. The same job with 0 and with 4 loader processes: 39.4 % and 23.4 % of the hull is idle, 76 % and 3 % of the idle
# time is input.
none=$(run_of resnet50_workers0.) four=$(run_of resnet50_workers4.)
near() { # near RUN IDLE_OF_HULL INPUT_OF_IDLE
	[ -d "$1" ] || finish "without $1"
	expect_status 0 "$BATON" report --json "$1"
	expect_true "len(d['devices']) == 1"
	expect_true "abs(100 * d['devices'][0]['hull_idle_ns'] / d['devices'][0]['hull_ns'] - $2) <= 0.2"
	expect_true "(lambda t: abs(100 * t['idle.host.input'] / sum(t[x] for x in t if x.startswith('idle.')) - $3) <= 1.5)(
		d['devices'][0]['time_ns'])"
}
near "$none" 39.4 76
near "$four" 23.4 3

# Keeps out: a bridge whose terms do not add up to the loss, and one that hides what changed most.
for pair in "$four $none" "$none $four"; do
	# shellcheck disable=SC2086 # two runs
	expect_status 0 "$BATON" compare --json $pair
	expect_true "d['schema'] == 'baton.compare/0' and len(d['runs']) == 2 and len(d['bridge']) >= 1"
	expect_true "all(sum(b['terms_ns'].values()) == b['loss_ns'] and b['residual_ns'] == 0 for b in d['bridge'])"
	expect_true "(lambda b: max(b['terms_ns'], key=lambda leaf: abs(b['terms_ns'][leaf])))(d['bridge'][-1]) == 'idle.host.input'"
	expect_true "(lambda b, r: r['step_ns'] - r['ideal_ns'] == r['loss_ns'] == b['loss_ns'])(d['bridge'][-1], d['runs'][-1])"
	# shellcheck disable=SC2086
	expect_status 0 "$BATON" compare $pair
	checks=$((checks + 1))
	awk '/^Where/ { table = 1; next } table && NF { print; exit }' "$work/out" | grep -q '^ *input ' ||
		fail "input is not the first term: $(grep -A 1 '^Where' "$work/out")"
done
finish "$files samples"
