#!/usr/bin/env bash
# What a report concludes, through the whole program: one finding per cause, and what cannot be told is said.
. "$(dirname "$0")/lib.sh"

# Keeps out: a late rank told as the others' wait, its own stall, and an asymmetry beside both.
kineto ranks "$work/late" --ranks 4 --late-us 400 --steps 12
imported "$work/late" "$work/late.run"
expect_status 0 "$BATON" report --json "$work/late.run"
expect_true "(lambda f: f['id'] == 'late_rank' and 'Rank 3 arrives last at 100 % of the AllReduce calls' in f['text'] and
	abs(f['share_ms'] - 0.4) < 0.002 and 'framework' in f['evidence'])(d['findings'][0])"
expect_true "not [f for f in d['findings'] if f['id'] in ('wait', 'asymmetry')]"
expect_true "all(not f['remedy'].startswith('Try') for f in d['findings'])"
expect_true "[f['severity'] == 'none' for f in d['findings']] == sorted(f['severity'] == 'none' for f in d['findings'])"
expect_true "d['quality']['step_noise_ns'] >= 0 and d['run']['hosts'] == 1"
expect_status 0 "$BATON" report "$work/late.run"
expect_prints "Why is this slow? Rank 3 arrives last" "    Try: "

# Keeps out: "computing" that is one figure in the first line and another one in the table, parts larger than their line.
read -r first table < <(awk '/computing/ && !a { a = $(NF - 1) } $1 == "Computing" { b = $3 } END { print a, b }' "$work/out")
checks=$((checks + 1))
[ -n "$first" ] && [ "$first" = "$table" ] || fail "computing $first %, then $table %"
checks=$((checks + 1))
grep -qE '^    (custom|memory) .* [0-9]+ %$' "$work/out" || fail "classes without their parts of the group"

# Keeps out: a gate on wait that passes because none of it was split; a zero in place of an unknown.
kineto ranks "$work/mid" --ranks 2 --late-us 400 --style mid
sed -i s/RING_LL/TREE_LL/ "$work/mid/rank-1.json"
imported "$work/mid" "$work/mid.run"
expect_status 0 "$BATON" report "$work/mid.run"
expect_prints "not separated: no arguments"
expect_wrapped "record with baton: this profile has no NCCL arguments"
expect_prints_not "import all ranks"
# Keeps out: two runs taken for one; a slip of the finger without a hint.
expect_status 2 "$BATON" report "$work/late.run" "$work/mid.run/"
expect_says "are two runs" "baton compare"
for typed in reprot raport reprt reportt; do
	expect_status 2 "$BATON" "$typed" "$work/late.run"
	expect_says "unknown command '$typed'; did you mean 'report'?"
done
expect_status 2 "$BATON" rep "$work/late.run"
expect_says_not "did you mean"
for gate in 'nccl.wait<0.9' 'nccl.wait > 0.05' ' nccl.transfer > 0.05 '; do
	expect_status 1 "$BATON" report --fail-if "$gate" "$work/mid.run"
	expect_says "gate failed: nccl."
done
expect_status 1 "$BATON" report --fail-if 'nccl.wait > 0.05' "$work/mid.run"
expect_says "between 0.0000 and " "NCCL time is not split (no arguments)"
expect_status 0 "$BATON" report --fail-if 'nccl.wait>0.99' "$work/mid.run"
expect_status 0 "$BATON" report --fail-if 'nccl > 0.99' "$work/mid.run"
expect_status 1 "$BATON" report --fail-if 'idle.host.no_core>0.1' "$work/mid.run"
expect_says "this trace cannot measure idle.host.no_core"

# Keeps out: "not split" though all ranks are there, with as many collectives, which end together; so matched, what is not that.
kineto ranks "$work/ordered" --ranks 4 --steps 8 --late-us 400 --style mid
imported "$work/ordered" "$work/ordered.run"
expect_status 0 "$BATON" report --json "$work/ordered.run"
expect_true "[(n['op'], n['ranks'], n['count'], n['wait_ns'], n['unsplit_reason']) for n in d['nccl']] == [('AllReduce', 4, 32, 8 * 3 * 400000, None)]"
expect_true "d['findings'][0]['id'] == 'late_rank' and 'Rank 3 arrives last at 100 % of the AllReduce calls' in d['findings'][0]['text']"
rm "$work/ordered.run"/*.4003.*
expect_status 4 "$BATON" report --json "$work/ordered.run"
expect_true "{n['unsplit_reason'] for n in d['nccl']} == {'no arguments'}"
sed -i '0,/"name": "ncclDevKernel_AllReduce/s//"name": "ampere_sgemm/' "$work/ordered/rank-2.json"
imported "$work/ordered" "$work/fewer.run"
expect_status 0 "$BATON" report --json "$work/fewer.run"
expect_true "{(n['unsplit_reason'], n['count']) for n in d['nccl']} == {(None, 28), ('no arguments', 3)}"

# Keeps out: a mistyped leaf answered with an empty list; an option that is ignored.
expect_status 2 "$BATON" report --gaps 5 --leaf idle.hots.sync "$work/late.run"
expect_says "did you mean 'idle.host.sync'?"
expect_status 2 "$BATON" report --leaf nccl.wait "$work/late.run"
expect_says "gaps are idle time, 'nccl.wait' is not"
expect_status 0 "$BATON" report --leaf idle.cpu "$work/late.run"
expect_prints "The 5 worst gaps"
for gate in 'framwork>0.1' 'input>0.1' 'idle>nan' 'idle>inf'; do
	expect_status 2 "$BATON" report --fail-if "$gate" "$work/late.run"
done
expect_status 2 "$BATON" report --fail-if 'inputt>0.1' "$work/late.run"
expect_says "did you mean 'idle.host.input'?" "work.matmul " "idle.unknown.unmatched"
expect_status 2 "$BATON" reduce --steps nope "$work/late.run"

# Keeps out: a mistyped range name answered from the whole run; a gate that judges it.
expect_status 2 "$BATON" report --fail-if 'idle>0.99' --step-range 'ProfilerSetp*' "$work/late.run"
expect_says "no range matches 'ProfilerSetp*' (--step-range); these are there: 'ProfilerStep#*' (48), "
expect_status 2 "$BATON" dump --idle --step-range '/(/' "$work/late.run"
expect_says "--step-range /(/: "
for range in 'ProfilerStep#?*' '/^ProfilerStep#([0-9]+)$/'; do
	expect_status 0 "$BATON" report --json --step-range "$range" "$work/late.run"
	expect_true "d['run']['steps'] == 12 and d['run']['step_source'] == 'nvtx'"
done

# Keeps out: a trace without the CPU side whose idle time is blamed on something.
"$PYTHON" - "$work/late/rank-0.json" "$work/kernels.json" <<'END' || fail "kernels.json"
import json, sys
trace = json.load(open(sys.argv[1]))
trace["traceEvents"] = [e for e in trace["traceEvents"] if e.get("cat") in ("kernel", "gpu_memcpy")]
trace["distributedInfo"]["world_size"] = 1
json.dump(trace, open(sys.argv[2], "w"))
END
expect_status 0 "$BATON" import "$work/kernels.json" -o "$work/kernels.run"
expect_status 0 "$BATON" report --json "$work/kernels.run"
expect_true "[f['id'] for f in d['findings'] if f['leaf'].startswith('idle') and f['severity'] != 'none'] == ['unknown']"
expect_true "any('no launch records' in f['text'] and f['remedy'] for f in d['findings'])"
expect_status 0 "$BATON" report "$work/kernels.run"
expect_prints "The trace has no launch records" "Try: record CPU activity too" "--gaps 5 --leaf idle.unknown" ", no launch records"
checks=$((checks + 1))
! grep -qE "Steps differ|No loss stands out" "$work/out" || fail "a second verdict beside it"
expect_status 0 "$BATON" compare "$work/kernels.run" "$work/kernels.run"
expect_prints "kernels.run has no launch records"
# ... and idle time that cannot be explained, where there is none.
"$PYTHON" - "$work/kernels.json" "$work/busy.json" <<'END' || fail "busy.json"
import json, sys
trace = json.load(open(sys.argv[1]))
trace["traceEvents"] = [e for e in trace["traceEvents"] if e["cat"] == "kernel"][:1]
json.dump(trace, open(sys.argv[2], "w"))
END
expect_status 0 "$BATON" report "$work/busy.json"
expect_prints "1 kernel
" "Nothing is lost: the GPU computes 100.0 % of the run"
expect_prints_not "cannot say why"
# ... and a gate that passes because nothing is known of what it judges.
expect_status 0 "$BATON" report --json "$work/kernels.run"
expect_true "sorted(leaf for leaf in d['devices'][0]['time_ns'] if leaf.startswith('idle')) == [
	'idle.unknown.unexplained', 'idle.unknown.unmatched', 'idle.unknown.unrecorded']"
expect_true "'idle.host.input' in d['quality']['not_carried'] and 'work.matmul' not in d['quality']['not_carried']"
for gate in 'idle.host.input>0.1' 'idle.cpu<0.1' 'idle.gpu.dispatch>0.1'; do
	expect_status 1 "$BATON" report --fail-if "$gate" "$work/kernels.run"
	expect_says "this trace cannot measure"
done
expect_status 0 "$BATON" report --fail-if 'idle>0.99' "$work/kernels.run"
expect_status 1 "$BATON" report --fail-if 'idle>0.1' "$work/kernels.run"

# Keeps out: hosts counted by names that the importer made up to tell devices apart.
kineto same-device "$work/same"
imported "$work/same" "$work/same.run"
expect_status 0 "$BATON" report --json "$work/same.run"
expect_true "d['run']['hosts'] is None and len(d['devices']) == 2"
expect_status 0 "$BATON" report "$work/same.run"
expect_prints "hosts not named"

# Keeps out: time that is lost backwards.
kineto stalls "$work/stalls" --stall-us 3000
kineto stalls "$work/few" --stall-us 300
imported "$work/stalls" "$work/stalls.run"
imported "$work/few" "$work/few.run"
expect_status 0 "$BATON" compare "$work/stalls.run" "$work/few.run"
expect_prints "saves 2.7" "against the base"
finish
