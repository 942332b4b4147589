#!/usr/bin/env bash
# baton export --format perfetto, chrome, kineto: every slice, flow, reading and piece of idle time beside `baton dump`, by readers of
# their own (export_lines.py); filters; the limit; a run through Kineto and back; hostile names; a full disk; a signal.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
counted=

# lines RUN FILE [OPTION...]: exports (by the name of FILE), compares
lines() {
	local run=$1 file=$work/$2 format=chrome
	shift 2
	[ "${file%.pftrace}" = "$file" ] || format=perfetto
	expect_status 0 "$BATON" export --format "$format" -o "$file" "$run" "$@"
	expect_status 0 "$PYTHON" tests/cli/export_lines.py "$BATON" "$run" "$file"
	counted="$counted${counted:+; }$(cat "$work/out")"
}

# Keeps out: slices that are missing or cross, flows that lead elsewhere. dataparallel: a process with several devices; pipeline: sends and
# receives, some of them of one kernel.
for workload in ddp dataparallel graph pipeline; do
	steps=4
	[ "$workload" = pipeline ] && steps=2
	expect_status 0 "$sim" -o "$work/$workload" --workload "$workload" --ranks 2 --steps $steps
	lines "$work/$workload" "$workload.pftrace"
	lines "$work/$workload" "$workload.json"
done
expect_status 0 "$BATON" export --format chrome -o "$work/ddp.json.gz" "$work/ddp"
gzip -dc "$work/ddp.json.gz" | cmp -s - "$work/ddp.json" || fail "the compressed file holds something else"
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/ddp" '*:1:1980:0' '1:3:1500:4' || fail "gauges_made.py"
lines "$work/ddp" "gauges.pftrace"
lines "$work/ddp" "gauges.json"
grep -q ' [1-9][0-9]* readings' "$work/out" || fail "no readings: $(cat "$work/out")"
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	expect_status 0 "$BATON" import "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" -o "$work/nsys"
	lines "$work/nsys" nsys.pftrace
fi

# The reader can fail: one byte of a length, one name, a slice that is not there.
"$PYTHON" - "$work/ddp.json" "$work" <<'P'
import json, sys
d = json.load(open(sys.argv[1]), parse_float=lambda t: t)
def write(name, change):
    e = [dict(x) for x in d["traceEvents"]]
    change(e)
    text = json.dumps({"traceEvents": e})
    for key in ("ts", "dur"):
        text = __import__("re").sub('"%s": "([^"]*)"' % key, '"%s": \\1' % key, text)
    open(f"{sys.argv[2]}/{name}.json", "w").write(text)
slices = [i for i, e in enumerate(d["traceEvents"]) if e["ph"] == "X" and e["cat"] == "kernel"]
write("as_is", lambda e: None)
write("shorter", lambda e: e.pop(slices[-1]))
write("renamed", lambda e: e[slices[9]].update(name="x"))
write("unlinked", lambda e: e.pop([i for i, x in enumerate(e) if x["ph"] == "f"][3]))
P
grep -q ' 0 + [1-9][0-9]* links' <<<"$counted" || fail "no sends: $counted"
"$PYTHON" - "$work/pipeline.json" "$work/crossed.json" <<'P'
import json, re, sys
d = json.load(open(sys.argv[1]), parse_float=lambda t: t)
ends = [e for e in d["traceEvents"] if e["ph"] == "f" and e["cat"] == "send"]
ends[0]["id"], ends[1]["id"] = ends[1]["id"], ends[0]["id"]
open(sys.argv[2], "w").write(re.sub(r'"(ts|dur)": "([^"]*)"', r'"\1": \2', json.dumps({"traceEvents": d["traceEvents"]})))
P
expect_status 1 "$PYTHON" tests/cli/export_lines.py "$BATON" "$work/pipeline" "$work/crossed.json"
rm "$work"/ddp/gpus.*
expect_status 0 "$PYTHON" tests/cli/export_lines.py "$BATON" "$work/ddp" "$work/as_is.json"
for bad in shorter renamed unlinked; do
	expect_status 1 "$PYTHON" tests/cli/export_lines.py "$BATON" "$work/ddp" "$work/$bad.json"
done

# Filters: what begins in a window of time; steps; ranks; the limit.
lines_of() { # lines_of FROM TO OPTION...
	expect_status 0 "$BATON" export --format perfetto -f -o "$work/part.pftrace" "$work/ddp" "${@:3}"
	expect_status 0 "$PYTHON" tests/cli/export_lines.py "$BATON" "$work/ddp" "$work/part.pftrace" --from "$1" --to "$2"
}
lines_of 100000000 200000000 --time 0.1..0.2
lines_of 0 50000000 --time ..0.05
cat >"$work/count.py" <<'P'
import sys
sys.path.insert(0, "tests/cli")
import export_lines
t = export_lines.read_perfetto(sys.argv[1])
names = {name for name, parent in t.tracks.values() if parent is None}
print(len(t.slices), sorted(n for _, c, n, *_ in t.slices if c == "step"), sorted(names))
P
count() { # count PRINTS...
	expect_status 0 "$PYTHON" "$work/count.py" "$work/part.pftrace"
	expect_prints "$@"
}
expect_status 2 "$BATON" export --format perfetto -o "$work/part.pftrace" "$work/ddp"
expect_says "part.pftrace: is there already; -f replaces it"
expect_status 2 "$BATON" export --format kineto --one-per-rank -o "$work/x" "$work/ddp"
expect_says "--one-per-rank is for nsys-sqlite"
expect_status 0 "$BATON" export --format perfetto --step 2 --ranks 1 -f -o "$work/part.pftrace" "$work/ddp"
count "['step 2'] ['rank 1 (node0, pid 1001)']"
expect_status 0 "$BATON" export --format perfetto --step 0..1 -f -o "$work/part.pftrace" "$work/ddp"
count "['step 0', 'step 0', 'step 1', 'step 1']"
expect_status 0 "$BATON" export --format perfetto --max-slices 1000 -f -o "$work/part.pftrace" "$work/ddp"
expect_says "1000 slices, up to" "later ones are left out: choose a part with --step, --time or --rank"
count "1000 []"

# Keeps out: the same line for each time that the run is reduced.
cp -r "$work/ddp" "$work/lacks"
rm "$(grep -l '' "$work"/lacks/*.baton | grep -v summary | tail -n 1)" "$work"/lacks/summary.baton
for format in perfetto chrome kineto; do
	expect_status 4 "$BATON" export --format $format --step 1 -f -o "$work/lacks.$format" "$work/lacks"
	checks=$((checks + 1))
	[ "$(grep -c "1 of 2 has no file; answered from 1 rank$" "$work/err")" = 1 ] || fail "$format: $(cat "$work/err")"
done

# Hosts: what is said of their clocks.
expect_status 0 "$sim" -o "$work/hosts" --workload ddp --ranks 4 --per-host 2 --steps 3
expect_status 0 "$BATON" export --format chrome -o "$work/hosts.json" "$work/hosts"
expect_says "clocks of 2 hosts aligned by the ends of collectives"
grep -q '"clock":"clocks of 2 hosts aligned' "$work/hosts.json" || fail "the file does not tell of the clocks"

# Through Kineto and back (docs/COMPATIBILITY.md): every leaf, kernel, copy and collective. Waits for other devices cannot be carried:
# dataparallel has them, so of its idle time only the sum is the same.
cat >"$work/back.py" <<'P'
import json, subprocess, sys
baton, there, back = sys.argv[1:4]
def report(run):
    return json.loads(subprocess.run([baton, "report", "--json", run], capture_output=True, check=True).stdout)
a, b = report(there), report(back)
leaves = 0
for x, y in zip(a["devices"], b["devices"], strict=True):
    x, y = x["time_ns"], y["time_ns"]
    idle = [sum(v for k, v in t.items() if k.startswith("idle.")) for t in (x, y)]
    assert idle[0] == idle[1] > 0, idle
    for leaf, ns in x.items():
        if sys.argv[4] == "all" or not leaf.startswith("idle."):
            assert y.get(leaf, 0) == ns, (leaf, ns, y.get(leaf))
            leaves += ns > 0
def rows(report, what, without):
    return sorted(json.dumps({k: v for k, v in r.items() if k not in without}, sort_keys=True) for r in report[what])
for what, without in (("kernels", ["name"]), ("nccl", ["comm"]), ("copies", [])):
    assert a[what] and rows(a, what, without) == rows(b, what, without), (what, rows(a, what, without), rows(b, what, without))
if sys.argv[4] == "all":
    assert a["findings"] == b["findings"]
print(leaves, "leaves,", len(a["kernels"]), "kernels")
P
for workload in ddp fsdp dataparallel; do
	[ -d "$work/$workload" ] || expect_status 0 "$sim" -o "$work/$workload" --workload "$workload" --ranks 2 --steps 4
	expect_status 0 "$BATON" export --format kineto --max-slices 0 -o "$work/$workload.kineto" "$work/$workload"
	expect_status 0 "$BATON" import "$work/$workload.kineto" -o "$work/$workload.back"
	which=all
	[ $workload = dataparallel ] && which=busy
	expect_status 0 "$PYTHON" "$work/back.py" "$BATON" "$work/$workload" "$work/$workload.back" $which
done
# Keeps out: steps that overlap for who adds ts and dur as floating point numbers (TensorBoard's plugin drops one of the two then).
cat >"$work/apart.py" <<'P'
import glob, json, sys
n = 0
for f in glob.glob(sys.argv[1] + "/*.json"):
    steps = sorted((e["ts"], e["dur"]) for e in json.load(open(f))["traceEvents"] if e["name"].startswith("ProfilerStep#"))
    for (ts, dur), (begin, _) in zip(steps, steps[1:]):
        assert begin - 0.1 < ts + dur < begin, (ts, dur, begin)
        n += 1
assert n == 4, n
P
expect_status 0 "$PYTHON" "$work/apart.py" "$work/ddp.kineto"
expect_status 5 "$BATON" export --format kineto -o "$work/ddp.kineto" "$work/ddp"
expect_says "files are in it already"

# Names that would break a string, a page or a reader of UTF-8.
cat >"$work/hostile.py" <<'P'
import json, subprocess, sys
sys.path.insert(0, "tests/cli")
import export_lines
baton, work = sys.argv[1:]
names = ['say "hi"', "back\\slash", "two\nlines", "\x1b[31m", "\u202eabc", "</script>", "\u2028", "\x7f", "x" * 20000, "*bad*"]
events = [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
           "args": {"device": 0, "stream": 7, "correlation": i + 1}} for i, n in enumerate(names)]
text = json.dumps({"traceEvents": events}).encode().replace(b"*bad*", b"bad \xff\xc0\x80")
open(f"{work}/hostile.json", "wb").write(text)
subprocess.run([baton, "import", f"{work}/hostile.json", "-o", f"{work}/hostile"], check=True, capture_output=True)
def export(form, name):
    subprocess.run([baton, "export", "--format", form, "-o", f"{work}/{name}", f"{work}/hostile"], check=True, capture_output=True)
export("perfetto", "hostile.pftrace"), export("chrome", "hostile.out.json"), export("kineto", "hostile.kineto")
got = [n for _, c, n, *_ in export_lines.read_perfetto(f"{work}/hostile.pftrace").slices if c == "kernel"]
assert got[:9] == names[:9] and got[9].startswith("bad ") and len(got) == 10, got
json_names = [n for _, c, n, *_ in export_lines.read_chrome(f"{work}/hostile.out.json").slices if c == "kernel"]
assert json_names == got, json_names
import glob
kineto = json.load(open(glob.glob(f"{work}/hostile.kineto/*.json")[0]))["traceEvents"]
assert [e["name"] for e in kineto if e.get("cat") == "kernel"] == got
P
expect_status 0 "$PYTHON" "$work/hostile.py" "$BATON" "$work"

# What is wrong.
wrong() { # wrong SAYS OPTION...
	expect_status 2 "$BATON" export "${@:2}" "$work/ddp"
	expect_says "$1"
}
wrong "--format must be nsys-sqlite, nvprof-csv, perfetto, chrome" --format xml -o "$work/x"
wrong "--format perfetto needs -o" --format perfetto
wrong "leave out --format" --format perfetto --folded -o "$work/x"
wrong "use --folded or --format" -o "$work/x"
for step in x 3..2 1.. -1; do wrong "--step must be" --format chrome -o "$work/x" --step "$step"; done
for time in 3 2..1 a..b 1..1; do wrong "--time must be" --format chrome -o "$work/x" --time "$time"; done
for ranks in "" 1, 3-2 x 1--2; do wrong "--ranks must be" --format chrome -o "$work/x" --ranks "$ranks"; done
expect_status 3 "$BATON" export --format chrome -o "$work/x" --step 99 "$work/ddp"
expect_says "no counted step from 99 to 99"
expect_status 3 "$BATON" export --format chrome -o "$work/x" --ranks 7 "$work/ddp"
expect_says "no rank of --rank 7"
expect_status 3 "$BATON" export --format chrome -o "$work/x" "$work/nothing"
expect_status 5 "$BATON" export --format chrome -o "$work/no/such/x" "$work/ddp"
[ ! -e "$work/x" ] || fail "a file was made"

# Keeps out: half a file under the final name, and what is left beside it.
mkdir "$work/full"
for file in x.pftrace x.json x.json.gz kineto; do
	format=chrome
	case $file in *.pftrace) format=perfetto ;; kineto) format=kineto ;; esac
	expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 16; exec "$@"' full "$BATON" export --format "$format" -o "$work/full/$file" "$work/ddp"
	expect_says "$work/full/$file: File too large"
	expect_nothing_in "$work/full"
done
expect_status 0 "$sim" -o "$work/long" --workload moe --ranks 4 --steps 40
ended=0
for format in perfetto chrome kineto; do
	"$BATON" export --format "$format" --max-slices 0 -o "$work/full/long" "$work/long" 2>/dev/null &
	pid=$!
	while kill -0 "$pid" 2>/dev/null && ! compgen -G "$work/full/.importing*" >/dev/null && ! compgen -G "$work/full/long/.importing*" >/dev/null; do :; done
	kill -TERM "$pid" 2>/dev/null
	wait "$pid"
	status=$?
	checks=$((checks + 1))
	if [ "$status" = 143 ]; then
		ended=$((ended + 1))
		expect_nothing_in "$work/full"
	else
		[ "$status" = 0 ] || fail "$format: status $status"
		rm -rf "$work/full/long"
	fi
done
finish "$counted; $ended of 3 ended by a signal"
