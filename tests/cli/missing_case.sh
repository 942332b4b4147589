#!/usr/bin/env bash
# Who is late where ranks are missing: what the ranks that are here can tell of it, and what they cannot.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

# run NAME OPTION...: eight ranks, whole
run() { "$sim" -o "$work/$1" --ranks 8 --steps 14 "${@:2}" >"$work/out" 2>"$work/err" || fail "baton-sim ${*:2}"; }

# without FROM RANK...: in $work/run the same without these
without() {
	local rank
	rm -rf "$work/run"
	cp -r "$work/$1" "$work/run"
	for rank in "${@:2}"; do rm "$work/run"/*."$((1000 + rank))".*.baton || fail "no rank $rank in $1"; done
	expect_status 4 "$BATON" report --json "$work/run"
}

late="[f for f in d['findings'] if f['id'].startswith('late_')]"

# Keeps out: a rank that is last by far and not named, as others are missing.
run sleepy --fault io_sleep@3
expect_status 0 "$BATON" report --json "$work/sleepy"
expect_true "[(f['id'], f['leaf']) for f in $late] == [('late_rank', 'nccl.wait')] and 'here' not in $late[0]['text']"
whole_ms=$("$PYTHON" -c "import json; print(json.load(open('$work/out'))['findings'][0]['share_ms'])")
without sleepy 1 5
expect_true "[(f['id'], f['leaf'], f['severity']) for f in $late] == [('late_rank', 'nccl.unsplit', d['findings'][0]['severity'])]"
expect_true "$late[0]['text'].startswith('Of the 6 recorded ranks rank 3 arrives last at 100 % of the AllReduce calls, ')"
expect_true "'more in blocked' in $late[0]['text'] and 'blocked' in $late[0]['remedy'] + $late[0]['evidence']"
expect_true "'a missing rank (1, 5) came even later in none of 104' in $late[0]['evidence']"
# Of fewer ranks the same time is a larger mean; of NCCL a finding has left what is no wait.
expect_true "$whole_ms <= $late[0]['share_ms'] < 1.3 * $whole_ms"
expect_true "all(f['share_ms'] < 1 for f in d['findings'] if f['id'] == 'unsplit')"
cp "$work/out" "$work/first"
expect_status 4 "$BATON" report --json "$work/run"
cmp -s "$work/out" "$work/first" || fail "a stored summary says something else"
# Keeps out: the same waits for the same rank told as a change, because only one run splits them; a rank named beside NCCL's rows.
run base --ranks 4 --fault io_sleep@3
expect_status 4 "$BATON" compare "$work/base" "$work/run"
expect_prints "Nothing lost beyond noise: " "NCCL unsplit " "waiting for rank 3"
expect_prints_not "NCCL unsplit changed" "NCCL wait changed" "blocked changed"
checks=$((checks + 1))
! grep -E '^ *NCCL (exposed|wait) .*late' "$work/out" || fail "a late rank in a row of the bridge"

# Keeps out: one that is here and blamed for what a missing one does; silence where the last one here waits too.
without sleepy 3 5
expect_true "[(f['id'], f['leaf']) for f in $late] == [('late_missing', 'nccl.unsplit')] and d['findings'][0]['id'] == 'late_missing'"
expect_true "'Some of the missing ranks (3, 5) are late: in ' in $late[0]['text'] and 'the last recorded rank waits too' in $late[0]['text']"
expect_true "0.7 * $whole_ms < $late[0]['share_ms'] < 1.1 * $whole_ms and 'record those ranks' in $late[0]['remedy']"
without sleepy 3
expect_true "'Rank 3, which is missing, is late: ' in $late[0]['text']"
# Late into the first of many collectives of a step, in however many steps.
for steps in 14 40; do
	run tensor$steps --workload tensor --steps $steps --fault io_sleep@3
	without tensor$steps 3 6 7
	expect_true "[f['id'] for f in $late] == ['late_missing'] and 'Some of the missing ranks (3, 6-7) are late: in ' in $late[0]['text']"
done

# Keeps out: a missing rank blamed for what one does that is here, whose file is cut short.
for percent in 50 98; do
	without sleepy 7
	cut=$(echo "$work/run"/*.1003.*.baton)
	truncate -s $(($(stat -c %s "$cut") * percent / 100)) "$cut"
	expect_status 4 "$BATON" report --json "$work/run"
	expect_true "d['quality']['truncated_files'] == 1 and not [f for f in $late if f['id'] == 'late_missing']"
done

# few NAME OPTION...: two ranks of a run that is whole
few() {
	run "$@"
	find "$work/$1" -name '*.baton' ! -name '*.100[01].*' -delete
	expect_status 4 "$BATON" report --json "$work/$1"
	expect_true "len(d['devices']) == 2"
}
# Keeps out: of two that are here the one that a coin makes last, or the others because they are many.
for seed in 4 5; do
	few "coin$seed" --ranks 32 --kernels 100 --fault imbalance@all --seed "$seed"
	expect_true "$late == []"
done
for seed in 2 5; do
	few "many$seed" --workload fsdp --ranks 16 --steps 20 --fault imbalance=60@all --seed "$seed"
	expect_true "$late == []"
done

# Keeps out: a name where nobody is late more than others, and where it cannot be told: a rank that is as late into each of a
# hundred collectives of one size looks like a slow network.
run jitter --fault jitter_host
without jitter 1 5
expect_true "$late == [] and any(f['id'] == 'unsplit' and 'members missing' in f['evidence'] for f in d['findings'])"
run links --fault slow_link@all
without links 4 5 6
expect_true "$late == []"
run constant --workload tensor --fault slow_gpu@3
without constant 3 5
expect_true "$late == []"
# Late in more than 19 of 20 collectives of a size: the only one of it in a step, of 40 steps.
run often --steps 40 --fault io_sleep@3
without often 3 5
expect_true "$late == []"
# One rank alone has nobody to be last of.
without sleepy 0 1 2 4 5 6 7
expect_true "$late == []"
finish
