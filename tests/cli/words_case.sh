#!/usr/bin/env bash
# What a person reads: whole sentences at any width, rare events called that, lines of code, what the data cannot tell.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

# holds_findings COLUMNS: every finding of $work/json that is worth a line stands whole in what is on stdout, and no line is wider but a
# command, which is to be copied.
holds_findings() {
	checks=$((checks + 1))
	"$PYTHON" - "$work/json" "$work/out" "$1" 2>"$work/why" <<-'EOF' || fail "$(tail -n 1 "$work/why")"
		import json, sys
		report, text, columns = json.load(open(sys.argv[1])), open(sys.argv[2]).read(), int(sys.argv[3])
		step = sum(d["step_ns"]["mean"] for d in report["devices"]) / len(report["devices"])
		squeeze = lambda words: "".join(words.split())
		told = [f for f in report["findings"] if f["share_ms"] * 1e6 >= step / 1000]
		assert len(told) > 3, "only %d losses" % len(told)
		for f in told:
		    assert squeeze(f["text"]) in squeeze(text), "lacks: " + f["text"]
		assert "Further losses" in text, "no further losses"
		assert all(len(line) <= columns or line.startswith("      baton ") for line in text.splitlines()), "a line is wider than %d" % columns
	EOF
}

# Keeps out: sentences cut at the width of the screen, on a terminal or in a file; a proof behind another loss than its own.
long="$work/a-directory-with-a-name-that-is-longer-than-anybody-likes-to-type-or-to-read-in-the-end"
expect_status 0 "$sim" -o "$long" --workload tiny --ranks 1 --steps 6 --kernels 500 --fault page_fault --fault alloc --fault sync
"$BATON" report --json "$long" >"$work/json" || fail "no report"
for columns in 60 80 100; do
	expect_status 0 env COLUMNS=$columns "$BATON" report "$long"
	holds_findings $columns
done
expect_status 0 env -u COLUMNS "$BATON" report "$long"
holds_findings 100
checks=$((checks + 1))
grep -qE "^      baton report $long --gaps 5 --leaf idle[a-z._]+$" "$work/out" || fail "the command of the proof is cut"
checks=$((checks + 1))
sed -n '/^  1 /,/^  2 /p' "$work/out" | grep -q "See where:" || fail "the proof is not below the first loss"
expect_status 0 env COLUMNS=60 "$BATON" report --gaps 3 "$long"
checks=$((checks + 1))
tr -d ' \n' <"$work/out" | grep -qE "The3worstgapsof$long.*msidleon[^,]*,step[0-9]+,[0-9.]+msaftertheGPU'sfirstoperation" || fail "the header of a gap is cut"

traces() { # traces CASE DIR [RANKS]
	"$PYTHON" tests/cli/words_traces.py "$@" || fail "words_traces.py $*"
}

# Keeps out: a gap whose line of code only the finding names; the line of a library where the project has one.
traces rare "$work/rare"
expect_status 0 "$BATON" report "$work/rare" --gaps 2
expect_prints "launched  by cudaLaunchKernel at train.py:12 (forward) on thread 100" "CPU was   210.500 ms at logs.py:7 (flush)"
expect_status 0 "$BATON" report "$work/rare" --gaps 2 --json
expect_true "all(g['line'] == '/home/u/logs.py:7 flush' and g['launch_line'] == '/home/u/train.py:12 forward' for g in d['gaps'])"
expect_true "[g['line_ns'] for g in d['gaps']] == [210500000, 200500000]"
# ... and another number for its step than the program has.
expect_true "[(g['step'], g['step_number']) for g in d['gaps']] == [(16, 117), (8, 109)]"
kineto stalls "$work/plain" --stall-us 3000
imported "$work/plain" "$work/plain.run"
expect_status 0 "$BATON" report "$work/plain.run" --gaps 1 --json
expect_true "d['gaps'][0]['line'] == d['gaps'][0]['launch_line'] == '' and d['gaps'][0]['doing']"

# Keeps out: a gap in which the thread is said to have been in a call that had returned before, and no word of that call.
traces owed "$work/owed"
expect_status 0 "$BATON" report "$work/owed" --gaps 60
expect_prints "CPU was   0.400 ms in aten::view" "debt      0.409 ms: cudaDeviceSynchronize drained the queue and returned 0.010 ms into the gap" \
	"CPU was   0.300 ms in aten::view" "debt      0.309 ms: cudaDeviceSynchronize drained the queue and returned 0.509 ms"
expect_status 0 "$BATON" report "$work/owed" --gaps 1 --leaf idle.host.sync --json
expect_true "d['gaps'][0]['owed'] == {'call': 'cudaDeviceSynchronize', 'ns': 409000, 'returned_ns': 10000}"
expect_true "any(e.startswith('cudaDeviceSynchronize') for f in d['findings'] if f['leaf'] == 'idle.host.sync' for e in [f['evidence']])"
expect_status 0 "$BATON" report "$work/rare" --gaps 1 --json
expect_true "d['gaps'][0]['owed'] is None"

# Keeps out: of a job whose loop is a library's (a trainer), one line of the project for all there is.
traces framework "$work/framework"
expect_status 0 "$BATON" report "$work/framework"
checks=$((checks + 1))
tr -s ' \n' ' ' <"$work/out" | grep -qF "most of it at fit.py:18 (main), 12.00 ms per step; 6.21 ms of that in accelerate/data.py:80 (send) Curing it wins 12.00 ms" || fail "no line of the library"
expect_status 0 "$BATON" report "$work/framework" --gaps 4
expect_prints "CPU was   12.000 ms at fit.py:18 (main) > accelerate/data.py:80 (send)" "at fit.py:18 (main) > accelerate/data.py:80 (send) on thread 100"
expect_status 0 "$BATON" report "$work/framework" --gaps 1 --by line --json
expect_true "d['gaps'][0]['line'] == '/home/u/fit.py:18 main > accelerate/data.py:80 send'"
expect_true "[r['name'] for r in d['by']['rows']] == ['/home/u/fit.py:18 main > accelerate/data.py:80 send']"

# Keeps out: a command that cannot be given to a shell again, or that is of one directory where two were named.
traces spread "$work/half" 2
mkdir "$work/other half" && mv "$work/half/1.baton" "$work/other half/"
expect_status 0 "$BATON" report "$work/half" "$work/other half"
checks=$((checks + 1))
tr -s ' \n' ' ' <"$work/out" | grep -qF "See where: baton report $work/half '$work/other half' --gaps 5 --leaf" || fail "another command"
expect_status 0 "$BATON" reduce "$work/other half"
expect_says "next: baton report '$work/other half'"

# Keeps out: torch.compile in the loop told as host code or a missing core; what it compiled told as compiling.
traces compiles "$work/compiles"
expect_status 0 "$BATON" report "$work/compiles" --json
expect_true "[d['devices'][0]['time_ns'][leaf] for leaf in ('idle.host.module_load', 'idle.host.code', 'idle.host.blocked')] == [108 * 10**6, 60 * 10**6, 60 * 10**6]"
expect_true "[f['evidence'] for f in d['findings'] if f['id'] == 'module_load'] == ['_compile (3.72 ms per step, 9 gaps); most of it at train.py:12 (forward), 3.72 ms per step']"

# Keeps out: rare events told as so many ms per step, on one GPU, on all and on one of them; a mean that no step has.
rare="rare: only 2 of 29 steps have it, 205.50 ms each, at most 210.50 ms in step 117"
expect_status 0 "$BATON" report "$work/rare"
expect_prints "step 24.66 ms (p50 10.52, p95 210.52, max 220.52)"
checks=$((checks + 1))
tr '\n' ' ' <"$work/out" | tr -s ' ' | grep -qF "Why is this slow? The launching thread sleeps: it waits for a lock, the GIL or I/O; $rare" || fail "no: $rare"
expect_status 0 "$BATON" reduce "$work/rare"
expect_status 0 "$BATON" report --json "$work/rare" # from the stored summary
expect_true "d['findings'][0]['id'] == 'blocked' and d['findings'][0]['text'].endswith('$rare')"
# ... with its part of what all of that loss would win.
expect_true "[f['id'] for f in d['findings'][:2]] == ['blocked'] * 2 and d['findings'][0]['gain_ms'] > 10 * d['findings'][1]['gain_ms'] > 0"
expect_true "d['findings'][0]['steps'] == {'of': 29, 'in': 2, 'ns': 411000000, 'worst': 117, 'worst_ns': 210500000,
	'device': 'node/GPU-0', 'devices': 1}"
expect_true "d['devices'][0]['leaf_steps']['idle.host.blocked'] == {'in': 29, 'worst': 117, 'worst_ns': 210500000}"
traces rare "$work/rare3" 3
expect_status 0 "$BATON" report --json "$work/rare3"
expect_true "'rare: only 2 of 29 steps of rank 0 (and of 2 other GPUs) have it, 205.50 ms' in d['findings'][0]['text']"
traces rare_on_one "$work/one" 4
expect_status 0 "$BATON" report --json "$work/one"
expect_true "(lambda f: f['steps']['device'] == 'node/GPU-1' and f['steps']['devices'] == 1 and 'of rank 1 have it, 205.' in f['text'])(
	d['findings'][0])"
for run in "spread 1" "spread_on_one 4"; do
	set -- $run
	traces "$1" "$work/$1" "$2"
	expect_status 0 "$BATON" report --json "$work/$1"
	expect_true "d['findings'][0]['severity'] == 'high' and all(f['steps'] is None for f in d['findings'])"
done
expect_status 0 "$BATON" report "$work/spread"
expect_prints "step 22.02 ms   p95 22.02 ms"
expect_status 0 "$sim" -o "$work/jit" --ranks 2 --steps 30 --fault jit
expect_status 0 "$BATON" report --json "$work/jit"
expect_true "d['findings'][0]['id'] == 'module_load' and d['findings'][0]['steps']['in'] == 1"

# Keeps out: a sampler that came late, and nothing that says so; that said of a recording whose sampler was there, or of an import.
traces missed "$work/missed"
for stored in no yes; do
	expect_status 0 "$BATON" report --json "$work/missed"
	expect_true "d['quality']['unsampled_ns'] == 9 * 12000000 == d['devices'][0]['time_ns']['idle.host.code']"
	expect_true "any(f['id'] == 'host_code' and 'for 3.72 ms per step of it the sampler saw no stack' in f['evidence'] for f in d['findings'])"
	expect_status 0 "$BATON" reduce "$work/missed"
done
expect_status 0 "$BATON" report "$work/missed"
checks=$((checks + 1))
tr '\n' ' ' <"$work/out" | grep -qF "no stack samples in 31.0 % of the idle time" || fail "the quality line does not say it"
traces ran "$work/ran"
expect_status 0 "$BATON" report --json "$work/ran"
expect_true "d['devices'][0]['time_ns']['idle.host.code'] == 29 * 12000000"

# Keeps out: a recording whose clocks disagree that looks like any other.
traces early "$work/early"
expect_status 0 "$BATON" report --json "$work/early"
expect_true "d['quality']['gpu_clock_early_ns'] == 16000 and d['quality']['gpu_clocks_moved'] == 0 < d['quality']['invalid_timestamps']"
expect_status 0 "$BATON" report "$work/early"
expect_wrapped "a GPU's clock runs early: work starts up to 16.0 us before its launch"
expect_status 0 "$BATON" report --json "$work/spread"
expect_true "d['quality']['gpu_clock_early_ns'] == 0"
for run in ran spread rare jit plain.run; do
	expect_status 0 "$BATON" report --json "$work/$run"
	expect_true "d['quality']['unsampled_ns'] == 0 and 'sampler' not in json.dumps(d['findings'])"
done
finish
