#!/usr/bin/env bash
# Runs of more ranks than a screen has lines: the answer is on it.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

slow=$(for rank in 16 17 18 19 20 21 22 23; do echo "--fault slow_host=400@$rank"; done)
expect_status 0 "$sim" -o "$work/host" --ranks 48 --steps 6 --kernels 200 $slow
expect_status 0 "$BATON" report "$work/host"

# Keeps out: a slow host whose eight ranks are last in turns is not seen as one cause.
expect_prints 'Why is this slow? The ranks of host node2 make each step'
expect_status 0 "$BATON" report --json "$work/host"
expect_true 'd["findings"][0]["id"] == "late_host" and d["findings"][0]["leaf"] == "nccl.wait"'

# Keeps out: a host at which every call is slow, told as what it was slow at.
expect_true "'; that host needs ' in d['findings'][0]['text'] and '(longer in 5 of 5 steps)' in d['findings'][0]['evidence']"
expect_status 0 "$sim" -o "$work/one" --ranks 4 --steps 8 --kernels 400 --fault slow_host=112@2
expect_status 0 "$BATON" report --json "$work/one"
expect_true "d['findings'][0]['id'] == 'late_rank' and '; its host needs 2.' in d['findings'][0]['text'] and 'check that rank' in d['findings'][0]['remedy']"
for fault in sync=20@2 gil_hog=20000@2 slow_gpu=20@2; do
	expect_status 0 "$sim" -o "$work/$fault" --ranks 4 --steps 8 --kernels 400 --fault "$fault"
	expect_status 0 "$BATON" report --json "$work/$fault"
	expect_true "d['findings'][0]['id'] == 'late_rank' and not any('between launches' in f['text'] for f in d['findings'])"
done

# Keeps out: the bubble of a pipeline told as communication that cannot be explained; a slow stage after it.
expect_status 0 "$sim" -o "$work/pipeline" --workload pipeline --ranks 4 --steps 6
expect_status 0 "$BATON" report --json "$work/pipeline"
expect_true "[f['text'][:59] for f in d['findings'] if f['id'] == 'bubble'] == ['Pipeline bubble: with 4 stages and 8 micro-batches each sta']"
expect_true "not [f for f in d['findings'] if f['id'] == 'unsplit' and f['severity'] != 'none']"
expect_status 0 "$sim" -o "$work/stage" --workload pipeline --ranks 4 --steps 6 --fault slow_gpu=30@1
expect_status 0 "$BATON" report --json "$work/stage"
expect_true "[f['id'] for f in d['findings'][:2]] == ['late_rank', 'bubble'] and d['findings'][0]['text'].startswith('Rank 1 makes each step 14.5 ms longer')"

# Keeps out: a table of the devices that come first, without those that matter.
expect_status 0 "$BATON" report "$work/host"
expect_prints 'the 16 of 48 devices that differ most from the median (--json has them all)'
for gpu in 0 1 2 3 4 5 6 7; do expect_prints "node2/$gpu "; done
checks=$((checks + 1))
[ "$(grep -A 8 '^median ' "$work/out" | grep -c '^node2/')" = 8 ] || fail "the slow host is not at the top: $(grep -A 8 '^median ' "$work/out")"
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" -le 92 ] || fail "$(wc -l <"$work/out") lines"

# Keeps out: ranks that are missing, and nobody says which.
rm -f "$work/host/summary.baton" "$work"/host/*.100[345].*.baton "$work"/host/*.1031.*.baton # ranks by their pids
expect_status 4 "$BATON" report "$work/host"
expect_says '4 of 48 ranks have no file (3-5, 31); answered from 44'
for pid in 1001 1007 1009 1011 1013 1015; do rm -f "$work"/host/*.$pid.*.baton; done
expect_status 4 "$BATON" report "$work/host"
expect_says '10 of 48 ranks have no file (1, 3-5, 7, 9, 11, 13 and 2 more); answered from 38'
finish
