#!/usr/bin/env bash
# --csv and --markdown of report, compare, whatif and jitter: the numbers of --json, in text that a strict reader accepts, also with
# names that would be a formula, markup or a terminal's command; forms that exclude each other; a full disk.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

expect_status 0 "$sim" -o "$work/base" --ranks 2 --steps 14 --kernels 200
expect_status 0 "$sim" -o "$work/slow" --ranks 2 --steps 14 --kernels 200 --fault slow_kernel=100@1 --fault input=9000@0
"$PYTHON" tests/page/made.py "$work/lines" --plain || fail made.py
expect_status 0 "$PYTHON" tests/cli/sheets_check.py "$BATON" "$work/base" "$work/slow" "$work/lines"
checked=$(tail -n 1 "$work/out")

# Keeps out: a name that is a formula, ends a cell, a row or a table, marks up the page, or steers the terminal.
kineto ranks "$work/json"
"$PYTHON" - "$work/json" "$work/hostile" <<'P'
import glob, gzip, json, os, sys
os.mkdir(sys.argv[2])
bad = ["=cmd|' /C calc'!A0", "</script>|x\"&", "\u001b[31mred\u2028\u0007", "-2+3", "a,b\n\"c\"", "| a | b |", "x\\|y\\", "**b** _i_ ~~s~~ `c` $m$", "[l](http://x)", "\tcmd"]
for path in glob.glob(sys.argv[1] + "/*.json*"):
    trace = json.load((gzip.open if path.endswith("gz") else open)(path, "rt"))
    n = 0
    for event in trace["traceEvents"]:
        if event.get("cat") in ("kernel", "cpu_op") and "nccl" not in event["name"].lower():
            event["name"], n = bad[n % len(bad)], n + 1
    with open(os.path.join(sys.argv[2], os.path.basename(path).replace(".gz", "")), "w") as file:
        json.dump(trace, file)
P
"$BATON" import "$work/hostile" -o "$work/=bad" 2>/dev/null
cat >"$work/read.py" <<'P'
import csv, re, subprocess, sys
baton, run = sys.argv[1:]
def call(*words):
    return subprocess.run([baton, *words], capture_output=True).stdout.decode()
seen = set()
for words in (["report"], ["report", "--by", "op"], ["report", "--gaps", "9"], ["jitter"], ["compare", run]):
    text = call(*words, run, *(["--csv", "-"] if words == ["jitter"] else ["--csv"]))
    assert text and not any(ord(c) < 32 and c != "\n" or ord(c) in (0x7f, 0x2028) for c in text), words
    for part in text.split("\n\n"):
        rows = list(csv.reader(part.splitlines(), strict=True))
        assert len({len(r) for r in rows}) == 1, (words, rows[:3])
        for cell in (c for r in rows for c in r):
            seen.add(cell)
            assert cell[:1] not in ("=", "+", "@") and (cell[:1] != "-" or float(cell) < 0), (words, cell)
    text = call(*words, run, "--markdown")
    for line in text.splitlines():
        assert line == "" or re.fullmatch(r"\*\*[A-Z][^*|]*\*\*", line) or (line[0], line[-1]) == ("|", "|"), (words, line)
    tables = [t for t in text.split("\n\n") if t.startswith("|")]
    assert tables, words
    for table in tables:
        assert len({len(re.sub(r"\\.", "", line).split("|")) for line in table.strip().split("\n")}) == 1, (words, table)
        assert not re.search(r"<|[\x00-\x08\x0b-\x1f\x7f]", table), words
        assert not re.search(r"[`*_\[\]~$]", re.sub(r"\\.", "", table)), (words, table)
assert {"'=cmd|' /C calc'!A0", "'-2+3", "a,b?\"c\"", "| a | b |", "x\\|y\\"} <= seen, seen
P
expect_status 0 "$PYTHON" "$work/read.py" "$BATON" "$work/=bad"

# One answer has one form.
for command in "report" "report --critical" "report --by op" "compare $work/slow" "whatif" "report --taxonomy seed --by device" "compare $work/slow --taxonomy seed --by group"; do
	expect_status 2 "$BATON" $command "$work/base" --csv --markdown
	expect_says "--csv and --markdown are two forms of one answer: give one of them"
done
expect_status 2 "$BATON" report --json --csv "$work/base"
expect_says "--json and --csv are two forms of one answer: give one of them"
expect_status 2 "$BATON" jitter --csv - --markdown "$work/base"
expect_says "--csv - and --markdown are two forms of one answer: give one of them"
expect_status 2 "$BATON" jitter --json --markdown "$work/base"
expect_says "--markdown and --json are two forms of one answer: give one of them"
expect_nothing_in ./-

# Files of jitter have the tables too.
expect_status 0 "$BATON" jitter --csv "$work/files" --rank 1 "$work/slow"
cp "$work/files/kernels.csv" "$work/kernels.csv"
expect_status 0 "$BATON" jitter --csv - "$work/slow"
checks=$((checks + 1))
"$PYTHON" - "$work/out" "$work/kernels.csv" "$work/files/varying.csv" <<'P' || fail "jitter's files"
import sys
printed, kernels, varying = (open(name).read() for name in sys.argv[1:])
assert printed.split("\n\n")[2] == kernels and varying.startswith("position,kernel,"), (printed[-300:], kernels[-300:])
P

# Keeps out: status 0 on a full disk, and a gate that --csv turns off.
expect_status 5 sh -c "'$BATON' report --csv '$work/base' >/dev/full"
expect_status 5 sh -c "'$BATON' compare --markdown '$work/base' '$work/slow' >/dev/full"
expect_status 1 "$BATON" report --csv --fail-if 'step_ms>0' "$work/base"
expect_status 1 "$BATON" compare --csv --fail-if 'step>2%' "$work/base" "$work/slow"
finish "$checked"
