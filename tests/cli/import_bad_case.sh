#!/usr/bin/env bash
# `baton import` of Kineto files that are damaged, foreign or of several runs, and into places that cannot take the traces.
. "$(dirname "$0")/lib.sh"

import() { # import STATUS FILE|DIR... : into $out, new each time
	local status=$1
	shift
	n=$((${n:-0} + 1)) out=$work/out.$n
	expect_status "$status" "$BATON" import "$@" -o "$out"
}

traces() { find "$out" -name '*.baton' 2>/dev/null | wc -l; }

expect_traces() { # expect_traces N: that many, each without damage, and nothing else beside them
	checks=$((checks + 1))
	[ "$(traces)" = "$1" ] && [ "$(ls -A "$out" | wc -l)" = "$1" ] ||
		fail "$(traces) traces, expected $1: $(ls -A "$out" | tr '\n' ' ')"
	"$BATON" check "$out" >"$work/checked" 2>&1 || fail "check: $(head -n 3 "$work/checked")"
}

expect_fixture() { # expect_fixture FIXTURE.json: as many rows as it says
	expect_status 0 "$BATON" dump --json "$out"
	expect_true "(lambda f: (count('op'), count('call'), count('range')) == (sum(x['kernels'] + x['copies'] for x in f),
		sum(x['calls'] for x in f), sum(x['ranges'] for x in f)))(json.load(open('$1'))['files'])"
}

kineto plain "$work/plain"
kineto plain "$work/packed" --gz --steps 100
plain=$work/plain/rank-0.json packed=$work/packed/rank-0.json.gz

# Keeps out: that what stands before a cut is thrown away, that the cut is not told, or that it is told without its place.
for keep in 40 70 99; do
	cut=$work/cut-$keep.json
	head -c $(($(stat -c %s "$plain") * keep / 100)) "$plain" >"$cut"
	import 4 "$cut"
	expect_says "$cut: offset 0x" "ends too early"
	expect_traces 1
	expect_status 0 "$BATON" dump --json "$out"
	expect_true "count('op') > 0 and any(x['record'] == 'loss' and x['kind'] == 4 for x in lines)"
done
for keep in 30 60 99; do
	cut=$work/cut-$keep.json.gz
	head -c $(($(stat -c %s "$packed") * keep / 100)) "$packed" >"$cut"
	import 4 "$cut"
	expect_says "$cut: offset 0x$(printf %x "$(stat -c %s "$cut")")" "cut short"
	expect_traces 1
done

# Keeps out: a checksum of the gz that nobody looks at, and a flipped bit that ends the program.
size=$(stat -c %s "$packed")
for at in $((size / 4)) $((size / 2)) $((size * 3 / 4)) -5 -2; do
	flipped=$work/flipped$at.json.gz
	cp "$packed" "$flipped" && flip_bit "$flipped" "$at" 3
	import '3|4' "$flipped"
	expect_says "$flipped: offset 0x"
	[ "$(traces)" = 0 ] || expect_traces 1
done

# Keeps out: a second trace behind the first, or what a rewritten file leaves at its end, passed over in silence.
cat "$plain" "$plain" >"$work/twice.json"
import 4 "$work/twice.json"
expect_says "$work/twice.json: offset 0x$(printf %x "$(stat -c %s "$plain")")"
expect_traces 1
{ cat "$plain" && printf ' \n\n\t\n'; } >"$work/space.json"
import 0 "$work/space.json"

# Keeps out: gz data in several members read to the end of the first only.
{ head -c 9000 "$plain" | gzip && tail -c +9001 "$plain" | gzip; } >"$work/members.json.gz"
import 0 "$work/members.json.gz"
expect_fixture "$work/plain.json"

# Keeps out: a status of 0 for files that hold nothing, and output left behind for them.
: >"$work/nothing.json"
printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\b\2\0\0\0' >"$work/picture.json"
printf 'Dear reader,\nthis is a letter: {"traceEvents"?\n' >"$work/letter.json"
printf '{"songs": [1, 2, 3]}\n' >"$work/other.json"
head -c 100000 /dev/zero >"$work/zeros.json"
printf 'no gz at all' | gzip -c >"$work/packed-letter.json.gz"
head -c 15 "$packed" >"$work/head.json.gz"
for name in nothing.json picture.json letter.json other.json zeros.json packed-letter.json.gz head.json.gz; do
	import 3 "$work/$name"
	expect_says "$work/$name" "nothing was imported"
	expect_nothing_in "$out"
done
kineto empty "$work/eventless"
import 3 "$work/eventless"
expect_says "$work/eventless/rank-0.json: no CPU or GPU events" "nothing was imported"
expect_nothing_in "$out"

# Keeps out: foreign files that spoil a directory of good ones; a directory is asked for what it has, a file by its name.
cp -r "$work/plain" "$work/mixed" && cp "$work/picture.json" "$work/letter.json" "$work/mixed"
import 0 "$work/mixed"
expect_says "$work/mixed/picture.json: no trace, skipped" "$work/mixed/letter.json: no trace, skipped"
expect_traces 1
import 4 "$plain" "$work/picture.json"
expect_traces 1
mkdir "$work/foreign" && cp "$work/picture.json" "$work/letter.json" "$work/foreign"
import 3 "$work/foreign"
expect_nothing_in "$out"
mkdir "$work/hollow"
import 3 "$work/hollow"
expect_says "nothing to import"

# Keeps out: a missing operand that is passed over in silence.
import 3 "$work/absent.json"
expect_says "$work/absent.json: No such file"
expect_nothing_in "$out"
import 4 "$plain" "$work/absent.json"
expect_says "$work/absent.json: No such file"
expect_traces 1

# Keeps out: one broken event that takes others with it, and a message that points elsewhere.
for damage in quote bracket number garbage; do
	kineto broken "$work/$damage" --damage "$damage"
	broken=$work/$damage/rank-0.json
	import 4 "$work/$damage"
	expect_says "$broken: offset 0x" "1 refused"
	checks=$((checks + 1))
	"$PYTHON" - "$plain" "$broken" "$work/err" <<-'EOF' || fail "the offset is not in the broken event"
		import re, sys
		whole, broken, said = (open(name, "rb").read() for name in sys.argv[1:])
		differs = next(i for i in range(len(broken)) if whole[i] != broken[i])
		offset = int(re.search(rb"offset 0x([0-9a-f]+)", said)[1], 16)
		sys.exit(not broken.rindex(b'{\n    ', 0, differs) <= offset <= differs)
	EOF
	expect_traces 1
	expect_fixture "$work/$damage.json"
done

# Keeps out: recursion over the input, and memory for what nobody needs.
{ printf '{"traceEvents": [' && head -c 2000000 /dev/zero | tr '\0' '['; } >"$work/deep.json"
import '3|4' "$work/deep.json"
expect_says "$work/deep.json"
{ printf '{"schemaVersion": 1, "x": ' && head -c 2000000 /dev/zero | sed 's/\x0/{"a":/g'; } >"$work/deeper.json"
import '3|4' "$work/deeper.json"
expect_says "$work/deeper.json"

# Keeps out: times of another clock, negative ones and negative durations that stretch the hull by days.
hull() {
	expect_status 0 "$BATON" dump --json "$1"
	"$PYTHON" - "$work/out" <<-'EOF'
		import json, sys
		ops = [x for x in map(json.loads, open(sys.argv[1])) if x["record"] == "op"]
		print(min(x["start_ns"] for x in ops), max(x["start_ns"] + x["dur_ns"] for x in ops), len(ops))
	EOF
}
import 0 "$plain"
right=$(hull "$out")
kineto off-times "$work/off"
import 4 "$work/off"
expect_says "$work/off/rank-0.json: 5 events refused" "5 refused, "
expect_traces 1
checks=$((checks + 1))
[ "$(hull "$out")" = "$right" ] || fail "events off by 1e14 ns changed the hull"
event='"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "args": {"device": 0, "stream": 7, "correlation": 0}'
for times in '"ts": -5.000, "dur": 3.000' '"ts": 4458676522690.700, "dur": -3.000' '"ts": 1e30, "dur": 1.000' \
	'"ts": 9223372036854775.807, "dur": 9223372036854775.807'; do
	sed "0,/\"traceEvents\": \[/s//&\n  {$event, $times},/" "$plain" >"$work/times.json"
	import 4 "$work/times.json"
	expect_says "1 refused, "
	checks=$((checks + 1))
	[ "$(hull "$out")" = "$right" ] || fail "an event with $times changed the hull"
done

# Keeps out: a rank that counts twice; two files of it are two runs mixed up, or a copy.
kineto duplicate "$work/duplicate"
import 4 "$work/duplicate"
expect_says "$work/duplicate/rank-9-again.json: left out, rank 0 is already in $work/duplicate/rank-0.json"
expect_traces 2
expect_fixture "$work/duplicate.json"
import 4 "$work/duplicate/rank-0.json" "$work/duplicate/rank-0.json"
expect_says "left out, rank 0 is already in"
expect_traces 1

# Keeps out: a rank without a file that nobody is told of.
kineto missing "$work/missing"
import 0 "$work/missing"
expect_says "rank 2 of 4 has no file"
expect_traces 3

# Keeps out: two runs that become one.
for runs in two-runs days; do
	kineto "$runs" "$work/$runs"
	import 4 "$work/$runs"
	expect_says "another run than" "left out"
	expect_fixture "$work/$runs.json"
done

# Keeps out: a run that is overwritten, mixed with another or half removed.
import 0 "$work/duplicate/rank-0.json"
mine=$out
touch "$mine/notes.txt"
before=$(cd "$mine" && md5sum -- *)
expect_status 2 "$BATON" import "$plain" -o "$mine"
expect_says "$mine: holds 1 trace file already; -f"
checks=$((checks + 1))
[ "$(cd "$mine" && md5sum -- *)" = "$before" ] || fail "$mine was changed without -f"
expect_status 0 "$BATON" import -f "$plain" -o "$mine"
checks=$((checks + 1))
[ -e "$mine/notes.txt" ] && [ "$(find "$mine" -name '*.baton' | wc -l)" = 1 ] || fail "-f: $mine holds $(ls -A "$mine")"

# Keeps out: an output that cannot be written taken for bad input, and traces lost without a word.
touch "$work/file"
for place in "$work/file" "$work/file/under" /proc/baton; do
	expect_status 5 "$BATON" import "$plain" -o "$place"
	expect_says "$place: "
done
if [ "$(id -u)" != 0 ]; then
	mkdir "$work/locked" && chmod 500 "$work/locked"
	expect_status 5 "$BATON" import "$plain" -o "$work/locked"
	expect_says "$work/locked: Permission denied"
fi

# Keeps out: half a trace that looks like a whole one, when the disk is full at the first, a middle or the last byte. The file's
# durations are made uneven: even ones take next to no room.
kineto plain "$work/even" --steps 400 --kernels 20
"$PYTHON" - "$work/even/rank-0.json" "$work/large.json" <<-'EOF'
	import random, re, sys
	rng = random.Random(1)
	text = open(sys.argv[1]).read()
	open(sys.argv[2], "w").write(re.sub(r'"dur": 9\.123', lambda _: '"dur": %.3f' % rng.uniform(1, 9), text))
EOF
import 0 "$work/large.json"
kib=$((($(cat "$out"/*.baton | wc -c) - 1) / 1024))
[ "$kib" -ge 16 ] || fail "$kib KiB are too few to fill a disk with"
limited() { # limited STATUS KIB COMMAND...: no file may grow beyond
	local status=$1
	shift
	expect_status "$status" bash -c 'trap "" XFSZ; ulimit -f "$0"; exec "$@"' "$@"
}
for room in 0 1 8 $((kib / 2)) "$kib"; do
	n=$((n + 1)) out=$work/out.$n
	limited 5 "$room" "$BATON" import "$work/large.json" -o "$out"
	[ "$room" = 0 ] || expect_says "File too large"
	expect_nothing_in "$out"
done
disk="no tmpfs to be had: only a limit on the size of files was tried"
mkdir "$work/disk"
if mount -t tmpfs -o size=64k tmpfs "$work/disk" 2>/dev/null; then
	mounted=$work/disk disk="on a full tmpfs too"
	for room in 4 8 $((kib / 2)) $((kib * 3 / 2)); do
		mount -o "remount,size=${room}k" "$work/disk"
		out=$work/disk/run
		expect_status 5 "$BATON" import "$work/large.json" -o "$out"
		expect_says "No space left on device"
		expect_nothing_in "$out"
	done
	mount -o remount,ro "$work/disk"
	expect_status 5 "$BATON" import "$plain" -o "$work/disk/run"
	expect_says "Read-only file system"
fi

# Keeps out: a hidden directory of an import that was stopped, and old traces lost for nothing.
checks=$((checks + 1))
"$PYTHON" - "$BATON" "$work/large.json" "$work/stopped" <<'EOF' || fail "stopped imports"
import os, shutil, signal, subprocess, sys, time
baton, source, out = sys.argv[1:]
stopped = 0
for i in range(60):
    shutil.rmtree(out, ignore_errors=True)
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
    if i % 2:
        os.mkdir(out)
        open(out + "/old.baton", "w").close()
    job = subprocess.Popen([baton, "import", "-f", source, "-o", out], stderr=subprocess.DEVNULL)
    end = time.time() + 10
    while not (os.path.isdir(out) and any(n.startswith(".importing") for n in os.listdir(out))) and job.poll() is None:
        assert time.time() < end, "no staging directory"
    time.sleep(0.002 * (i % 10))
    job.send_signal(number)
    if job.wait() == -number:
        stopped += 1
        assert not os.path.exists(out) or os.listdir(out) == (["old.baton"] if i % 2 else []), (i, os.listdir(out))
    else:
        assert job.returncode == 0 and all(n.endswith(".baton") and n != "old.baton" for n in os.listdir(out)), i
assert stopped > 20, stopped
EOF

# Keeps out: what a killed import has left, for ever; an import that fails because it has the number of the killed one (containers); the
# files of an import that is still at work removed by another one.
"$PYTHON" - "$BATON" "$work/large.json" "$work/killed" <<'EOF' || fail "killed imports"
import os, subprocess, sys, time
baton, source, out = sys.argv[1:]
os.mkdir(out)
def staging():
    return [n for n in os.listdir(out) if n.startswith(".importing")]
for _ in range(50):
    job = subprocess.Popen([baton, "import", "-f", source, "-o", out], stderr=subprocess.DEVNULL)
    while not any(os.listdir(os.path.join(out, n)) for n in staging()) and job.poll() is None:
        pass
    job.kill()
    if job.wait() == -9 and staging():
        break
assert staging(), "none was killed at work"
subprocess.run([baton, "import", "-f", source, "-o", out], stderr=subprocess.DEVNULL, check=True)
assert not staging() and any(n.endswith(".baton") for n in os.listdir(out)), os.listdir(out)
script = 'mkdir "$0/.importing.$$.0" && : >"$0/.importing.$$.0/x" && exec "$@"'
holds = 'import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX); print(); input()'
os.mkdir(out + "/.importing.1.0")
live = subprocess.Popen([sys.executable, "-c", holds, out + "/.importing.1.0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
live.stdout.readline()
subprocess.run(["bash", "-c", script, out, baton, "import", "-f", source, "-o", out], stderr=subprocess.DEVNULL, check=True)
assert staging() == [".importing.1.0"], staging()
live.communicate(b"\n")
EOF

# Keeps out: hours for a gz that is a thousand times as long inside, or for an SQLite file whose texts share one id.
"$PYTHON" - "$work" <<'EOF' || fail "writing the bombs"
import gzip, os, sqlite3, sys
with gzip.open(os.path.join(sys.argv[1], "bomb.json.gz"), "wb", 9) as out:
    event = b'{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%d,"dur":5,"args":{}},\n'
    out.write(b'{"schemaVersion":1,"traceEvents":[' + b"".join(event % (1000 + 10 * i) for i in range(50)))
    for _ in range(400):
        out.write(b" " * (1 << 20))
    out.write(event % 9000 + b"{}]}")
db = sqlite3.connect(os.path.join(sys.argv[1], "bomb.sqlite"))
db.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
db.executemany("INSERT INTO StringIds VALUES (1, ?)", [("name",)] * 6000)
db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
           "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER)")
db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,0,1,1,1)", [(i * 9, i * 9 + 5, i) for i in range(6000)])
db.commit()
EOF
expect_status 4 "$BATON" import "$work/bomb.json.gz" -o "$work/bomb1"
expect_says "$work/bomb.json.gz: offset 0x" "more than 64 MiB + 256 times its size; the part before it is used"
expect_status '3|4' "$BATON" import "$work/bomb.sqlite" -o "$work/bomb2"
expect_says "$work/bomb.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL: interrupted after "

finish "$disk"
