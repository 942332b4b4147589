#!/usr/bin/env bash
# baton export --format csv: sums over the tables are the report's numbers, rows those of `baton dump`; parts, filters, columns as
# docs/TABLES.md lists them; hostile names; a full disk; a signal.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
counted=

# tables RUN [OPTION...]: exports and compares
tables() {
	rm -rf "$work/tables"
	expect_status 0 "$BATON" export --format csv -o "$work/tables" "$@"
	expect_status 0 "$PYTHON" tests/cli/tables_check.py "$BATON" "$1" "$work/tables"
	counted="$counted${counted:+; }$(cat "$work/out")"
}

# Keeps out: rows that are missing, of another step, rank or leaf. dataparallel: a process with several devices. graph: nodes without
# launches of their own. inference: no steps are marked. Coarse clocks: work that starts together.
while read -r workload options; do
	expect_status 0 "$sim" -o "$work/$workload" --workload "$workload" --steps 4 $options
	tables "$work/$workload"
done <<'W'
ddp --ranks 4 --per-host 2
fsdp --ranks 2 --seed 5
dataparallel --ranks 2
graph --ranks 2
moe --ranks 2 --gpu-tick 1000 --host-tick 500
inference --ranks 1 --fault lost_records=2000
W
for partition in none rank step; do tables "$work/ddp" --partition "$partition"; done
[ -d "$work/tables/kernels/rank=3/step=2" ] || fail "no directory rank=3/step=2"
[ -d "$work/tables/steps/rank=3" ] || fail "no directory steps/rank=3"
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	expect_status 0 "$BATON" import "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" -o "$work/nsys"
	tables "$work/nsys"
fi

# The comparison can fail: one nanosecond, one row.
expect_status 0 "$BATON" export --format csv --partition none -o "$work/flat" "$work/ddp"
expect_status 0 "$PYTHON" tests/cli/tables_check.py "$BATON" "$work/ddp" "$work/flat"
for table in kernels gaps collectives steps calls; do
	file=$work/flat/$table/part-00000.csv
	cp "$file" "$work/kept.csv"
	sed -i '$d' "$file"
	expect_status 1 "$PYTHON" tests/cli/tables_check.py "$BATON" "$work/ddp" "$work/flat"
	cp "$work/kept.csv" "$file"
done

# Readings and stacks.
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/fsdp" '*:1:1980:0' || fail "gauges_made.py"
expect_status 0 "$BATON" export --format csv --partition none -o "$work/gauges" "$work/fsdp"
cat >"$work/gauges.py" <<'P'
import sys
sys.path.insert(0, "tests/cli")
import tables_check as t
baton, run, out = sys.argv[1:]
got = [r for r in t.rows(out, "gauges") if r["gauge"] == "sm_mhz"]
want = [r for r in t.dumped(baton, run, check=False) if r["record"] == "gauge" and r["gauge"] == 1]
assert len(got) == len(want) > 100 and all(r["value"] == "1980" for r in got), (len(got), len(want))
assert {r["rank"] for r in got} == {"0", "1"}
P
expect_status 0 "$PYTHON" "$work/gauges.py" "$BATON" "$work/fsdp" "$work/gauges"

# Filters keep rows, and change none.
cat >"$work/filters.py" <<'P'
import sys
sys.path.insert(0, "tests/cli")
import tables_check as t
all_of, part, rank, step, low, high = sys.argv[1:]
for table in ("kernels", "calls", "gaps", "collectives", "ranges", "steps"):
    want = [r for r in t.rows(all_of, table) if (rank in ("", r["rank"])) and step in ("", r["step"])
            and (not low or float(low) <= int(r["start_ns"]) < float(high))]
    got = list(t.rows(part, table))
    key = lambda r: sorted(r.items())
    assert want and sorted(map(key, want)) == sorted(map(key, got)), (table, len(want), len(got))
P
filter() { # filter RANK STEP LOW HIGH OPTION...
	rm -rf "$work/part"
	expect_status 0 "$BATON" export --format csv -o "$work/part" "$work/ddp" "${@:5}"
	expect_status 0 "$PYTHON" "$work/filters.py" "$work/flat" "$work/part" "$1" "$2" "$3" "$4"
}
filter 1 "" "" "" --ranks 1
filter "" 2 "" "" --step 2
filter "" "" 2.5e8 3.5e8 --time 0.25..0.35
filter 3 1 "" "" --step 1 --ranks 3

# Every column is in docs/TABLES.md with its type, and no other.
cat >"$work/columns.py" <<'P'
import json, re, sys
about = json.load(open(sys.argv[1]))
text = open("docs/TABLES.md", encoding="utf-8").read().split("## What the report says")[0]
parts = re.split(r"^### (\w+)$", text, flags=re.M)
def listed(part):
    found = {}
    for cells, types in re.findall(r"^\| (`[^|]*) \| (\w+(?:, \w+)*) \|", part, flags=re.M):
        names, types = re.findall(r"`(\w+)`", cells), types.split(", ")
        found.update(zip(names, types * len(names) if len(types) == 1 else types, strict=True))
    return found
common = listed(parts[0].split("In all tables:")[1])
assert set(common) == {"rank", "step", "device", "pid"}, common
tables = dict(zip(parts[1::2], parts[2::2]))
assert set(tables) == set(about["tables"]), set(tables) ^ set(about["tables"])
for name, table in about["tables"].items():
    want = listed(tables[name])
    got = {c: t for c, t in table["columns"].items() if c not in common}
    assert want == got, (name, dict(want.items() ^ got.items()))
    assert all(table["columns"][c] == t for c, t in common.items() if c in table["columns"]), name
P
expect_status 0 "$PYTHON" "$work/columns.py" "$work/flat/_baton.json"

# Names that would break a line, a spreadsheet or a reader of UTF-8.
cat >"$work/hostile.py" <<'P'
import json, subprocess, sys
sys.path.insert(0, "tests/cli")
import tables_check as t
baton, work = sys.argv[1:]
names = ['say "hi", you', "two\nlines", "\x1b[31m", "=cmd()", "+1", "-1", "@x", "\u2028", "x" * 20000, "*bad*", "a,b"]
events = [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
           "args": {"device": 0, "stream": 7, "correlation": i + 1}} for i, n in enumerate(names)]
text = json.dumps({"traceEvents": events}).encode().replace(b"*bad*", b"bad \xff\xc0\x80")
open(f"{work}/hostile.json", "wb").write(text)
for command in (["import", f"{work}/hostile.json", "-o", f"{work}/hostile"],
                ["export", "--format", "csv", "-o", f"{work}/hostile.csv", f"{work}/hostile"]):
    subprocess.run([baton, *command], check=True, capture_output=True)
got = [r["name"] for r in t.rows(f"{work}/hostile.csv", "kernels")]
want = ['say "hi", you', "two?lines", "?[31m", "'=cmd()", "'+1", "'-1", "'@x", "?", "x" * 20000, "bad ???", "a,b"]
assert sorted(got) == sorted(want), set(got) ^ set(want)
P
expect_status 0 "$PYTHON" "$work/hostile.py" "$BATON" "$work"

# What is wrong.
expect_status 2 "$BATON" export --format csv "$work/ddp"
expect_says "--format csv needs -o"
expect_status 2 "$BATON" export --format csv --partition device -o "$work/x" "$work/ddp"
expect_says "--partition must be none, rank or step, not 'device'"
expect_status 2 "$BATON" export --format chrome --partition rank -o "$work/x" "$work/ddp"
expect_says "--partition is for tables"
expect_status 2 "$BATON" export --format csv --max-slices 5 -o "$work/x" "$work/ddp"
expect_says "--max-slices is for timelines"
expect_status 3 "$BATON" export --format csv --ranks 9 -o "$work/x" "$work/ddp"
expect_says "no rank of --rank 9"
expect_status 3 "$BATON" export --format csv -o "$work/x" "$work/nothing"
expect_status 3 "$BATON" export --format csv --step 99 -o "$work/x" "$work/ddp"
expect_says "$work/ddp: no counted step from 99 to 99; baton dump --step-list lists the steps"
expect_status 3 "$BATON" export --format csv --steps none --step 1 -o "$work/x" "$work/ddp"
expect_status 0 "$BATON" export --format csv --steps none --step 0 -o "$work/zero" "$work/ddp"
[ -d "$work/zero/kernels/rank=0/step=0" ] || fail "a run without steps is not step 0"
expect_status 5 "$BATON" export --format csv -o "$work/flat" "$work/ddp"
expect_says "$work/flat: tables are in it already; -f replaces them"
expect_status 5 "$BATON" export --format csv -o "$work/no/such/x" "$work/ddp"
[ ! -e "$work/x" ] || fail "a directory was made"

# -f: keeps out tables of two exports in one directory, and files that are lost because they lie beside or among tables.
expect_status 0 "$BATON" export --format parquet -f --step 1 -o "$work/flat" "$work/ddp"
[ -z "$(find "$work/flat" -name '*.csv' -o -name '.*')" ] || fail "-f left something: $(find "$work/flat" -name '*.csv' -o -name '.*')"
[ -d "$work/flat/kernels/rank=3/step=1" ] && [ ! -e "$work/flat/kernels/rank=3/step=2" ] || fail "-f: not the new tables"
grep -q '"format":"parquet"' "$work/flat/_baton.json" || fail "-f: not the new _baton.json"
find "$work/flat" -type f | sort >"$work/before"
expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 16; exec "$@"' full "$BATON" export --format csv -f -o "$work/flat" "$work/ddp"
find "$work/flat" -type f | sort | cmp -s "$work/before" - || fail "-f that failed changed the earlier export"
for mine in notes.txt kernels/notes.txt kernels/rank=3/part-mine.txt kernels/mine/part-00000.csv; do
	mkdir -p "$(dirname "$work/flat/$mine")"
	echo mine >"$work/flat/$mine"
	expect_status 5 "$BATON" export --format csv -f -o "$work/flat" "$work/ddp"
	expect_says "$work/flat: files are in it already: give a new directory"
	rm "$work/flat/$mine" || fail "$mine is lost"
done
rmdir "$work/flat/kernels/mine"
ln -s "$work/ddp" "$work/flat/kernels/rank=9"
expect_status 5 "$BATON" export --format csv -f -o "$work/flat" "$work/ddp"
rm "$work/flat/kernels/rank=9"
mv "$work/flat/_baton.json" "$work/kept.json"
expect_status 5 "$BATON" export --format csv -f -o "$work/flat" "$work/ddp"
echo '{"schema":"other/0"}' >"$work/flat/_baton.json"
expect_status 5 "$BATON" export --format csv -f -o "$work/flat" "$work/ddp"
mv "$work/kept.json" "$work/flat/_baton.json"
ln -s "$work/flat" "$work/link"
expect_status 0 "$BATON" export --format csv -f --partition none -o "$work/link" "$work/ddp"
expect_status 0 "$PYTHON" tests/cli/tables_check.py "$BATON" "$work/ddp" "$work/flat"
# ... a shell that stands in the directory goes on standing in it: it is not put in another's place.
(cd "$work/flat" && "$BATON" export --format csv -f --partition none -o . "$work/ddp" && ls) >"$work/here" 2>"$work/err" || fail "-f -o .: $(cat "$work/err")"
ls "$work/flat" | cmp -s "$work/here" - && [ -s "$work/here" ] || fail "-f -o . left its shell elsewhere: $(cat "$work/here")"
# ... old and new tables change places at one moment: who had opened the old ones never meets a new one, and a kill leaves the old.
mkdir "$work/in"
expect_status 0 "$BATON" export --format csv --partition none -o "$work/in/flat" "$work/ddp"
chmod 750 "$work/in/flat"
expect_status 0 "$PYTHON" - "$BATON" "$work" <<'P'
import os, signal, subprocess, sys, time
baton, work = sys.argv[1:]
path = work + "/in/flat"
export = [baton, "export", "--format", "parquet", "-f", "-o", path, work + "/ddp"]
before = os.stat(path)
held = os.open(path, os.O_RDONLY)
for tries in range(20):  # one that is killed while it writes
    killed = subprocess.Popen(export)
    while killed.poll() is None and len(os.listdir(work + "/in")) == 1:
        time.sleep(0.001)
    killed.send_signal(signal.SIGKILL)
    if killed.wait() == -signal.SIGKILL:
        break
assert killed.returncode == -signal.SIGKILL and os.stat(path).st_ino == before.st_ino
assert '"format":"csv"' in open(path + "/_baton.json").read()
writes, looks = subprocess.Popen(export), 0
while writes.poll() is None:
    names = os.listdir(held)  # the old tables, whole, until they are gone as a whole
    looks += 1
    assert all(os.path.exists(f"{path}/{n}") for n in ("kernels", "steps", "_baton.json"))
assert writes.returncode == 0 and looks > 1
now = os.stat(path)
assert now.st_ino != before.st_ino and now.st_mode == before.st_mode, (oct(now.st_mode), oct(before.st_mode))
assert os.listdir(work + "/in") == ["flat"], os.listdir(work + "/in")
P

# Keeps out: half a directory under the final name, and what is left beside it.
mkdir "$work/full"
expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 16; exec "$@"' full "$BATON" export --format csv --partition none -o "$work/full/x" "$work/ddp"
expect_says "$work/full/x: File too large"
expect_nothing_in "$work/full"
expect_status 0 "$sim" -o "$work/long" --workload moe --ranks 4 --steps 40
"$BATON" export --format csv -o "$work/full/long" "$work/long" 2>/dev/null &
pid=$!
while kill -0 "$pid" 2>/dev/null && ! compgen -G "$work/full/long/.importing*/kernels/*" >/dev/null; do :; done
kill -TERM "$pid" 2>/dev/null
wait "$pid"
status=$?
checks=$((checks + 1))
if [ "$status" = 143 ]; then
	expect_nothing_in "$work/full"
else
	[ "$status" = 0 ] || fail "status $status"
fi
finish "$counted; ended by a signal: $status"
