#!/usr/bin/env bash
# `compare` says that the clocks of the GPUs changed between the runs, and what held them back.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

# compared RULE... -- RULE...: `compare` of two runs of one job with these gauges (gauges_made.py); the second's kernels take longer
compared() {
	local rules=()
	while [ "$1" != -- ]; do rules+=("$1") && shift; done
	"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/fast" "${rules[@]}" || fail "gauges_made.py"
	"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/slow" "${@:2}" || fail "gauges_made.py"
	expect_status 0 "$BATON" compare "$work/fast" "$work/slow"
	tr -s ' \n' ' ' <"$work/out" >"$work/words"
	expect_status 0 "$BATON" compare --json "$work/fast" "$work/slow"
}
for name in fast slow; do
	[ $name = slow ] && slower="--fault slow_gpu=12@all"
	# shellcheck disable=SC2086
	expect_status 0 "$sim" -o "$work/$name" --ranks 2 --steps 8 --kernels 200 ${slower:-}
done
change="d['bridge'][0]['gpu_clock']"
compared '*:1:1980:0' -- '*:1:1980:0' '*:2:1600:4'
expect_true "$change == {'base_sm_mhz': 1980, 'sm_mhz': 1790, 'slowed': {'reason': 'sw_power_cap', 'base': 0, 'run': 0.5}}"
checks=$((checks + 1)) # beside the first term that is kernels, and once
grep -Eq '^.* (matmul|custom|memory) \+[0-9.]+ #+ GPU clocks: 1,980 -> 1,790 MHz \(SW power cap in 50 % of samples, before 0 %\); at that clock kernels take up to 11 % longer ' "$work/words" &&
	[ "$(grep -o 'GPU clocks' "$work/words" | wc -l)" = 1 ] || fail "not beside the term: $(cat "$work/words")"
# Of reasons that both runs have the one that came; none where none did; a clock that rose.
checks=$((checks + 1)) # and no question for what is known
grep -q 'the same kernels 11.9 % slower residual' "$work/words" || fail "asks for the clock: $(cat "$work/words")"
compared '*:1:1980:0x4' -- '*:1:1700:0x4' '*:3:1700:0x24'
expect_true "$change['slowed']['reason'] == 'sw_thermal_slowdown' and $change['slowed']['base'] == 0"
compared '*:1:1980:0x4' -- '*:1:1700:0x4'
expect_true "$change['slowed'] is None and $change['sm_mhz'] == 1700"
compared '*:1:1500:0x8' -- '*:1:1980:0'
expect_true "$change['slowed'] == {'reason': 'hw_slowdown', 'base': 1, 'run': 0}"
checks=$((checks + 1))
grep -q 'GPU clocks: 1,500 -> 1,980 MHz (HW slowdown in 0 % of samples, before 100 %); at that clock kernels take up to 24 % less' "$work/words" ||
	fail "not said: $(cat "$work/words")"
# Keeps out: what one GPU of a file showed taken for another's.
compared '*:1:1980:0' 1:1:1500:0x4 -- '*:1:1980:0'
expect_true "$change['base_sm_mhz'] == 1740 and $change['sm_mhz'] == 1980"
expect_status 0 "$BATON" report --json "$work/fast"
expect_true "[x['gpu']['sm_mhz']['min'] for x in d['devices']] == [x['gpu']['sm_mhz']['max'] for x in d['devices']] == [1980, 1500]"
expect_true "[x['gpu']['slowed']['any'] > 0 for x in d['devices']] == [False, True]"
# Clocks that are hardly different, or of one run alone, are none.
compared '*:1:1980:0' -- '*:1:1941:0x4'
expect_true "$change is None"
! grep -q 'GPU clocks' "$work/words" || fail "2 % of a clock: $(cat "$work/words")"
rm "$work"/fast/gpus.*
expect_status 0 "$BATON" compare --json "$work/fast" "$work/slow"
expect_true "$change is None"
finish
