#!/usr/bin/env bash
# `baton check`, `dump` and `report` on trace files that are cut, changed or foreign, and on directories that do not hold one whole
# run. Status 3 of check for any damage; 4 of dump and report when something could be read, 3 when nothing.
. "$(dirname "$0")/lib.sh"

# Directories of small traces in many blocks. RANK.baton each; one device per rank.
PYTHONPATH=tests/format "$PYTHON" - "$work" <<'EOF' || fail "writing the traces"
import os, sys
from writer import TraceWriter

BASE_NS = 1_711_964_646_000_000_000


def trace(directory, name, rank, world, run="run-a", pid=None, base_ns=BASE_NS, cost_ns=None):
    folder = os.path.join(sys.argv[1], directory)
    os.makedirs(folder, exist_ok=True)
    out = TraceWriter(os.path.join(folder, name + ".baton"))
    out.process(pid or 100 + rank, boot_id=bytes(range(16)), rank=rank, world_size=world, host="node",
                source="kineto", source_version="test", run_id=run)
    if cost_ns is not None:
        out.cost("flush", cost_ns)
    device = out.device(rank, "GPU", None)
    stream, thread = out.stream(device, 1, 7), out.thread("main", 100 + rank, 100 + rank)
    for first in range(0, 200, 25):
        times = [(i, base_ns + i * 50_000 + i * i * 7) for i in range(first, first + 25)]
        out.rows("call", [{"start_ns": at, "dur_ns": 5000, "thread": thread, "name": "cudaLaunchKernel",
                           "correlation": i + 1} for i, at in times])
        out.rows("op", [{"start_ns": at + 9000, "dur_ns": 20_000 + i, "op_kind": 1, "stream": stream,
                         "correlation": i + 1, "name": f"gemm_{i % 5}"} for i, at in times])
    out.close()


for rank in range(2):
    trace("good", f"{rank}", rank, 2)
trace("one", "0", 0, 1)
for rank in range(2):
    trace("costly", f"{rank}", rank, 2, cost_ns=2**63 - 9)
for rank in (0, 1, 3):
    trace("missing", f"{rank}", rank, 4)
for rank in range(2):
    trace("runs", f"a{rank}", rank, 2)
trace("runs", "b0", 0, 2, "run-b", 900, BASE_NS + 10**12)
for rank in range(2):
    trace("ranks", f"{rank}", rank, 2)
trace("ranks", "again", 0, 2, pid=900)
EOF

blocks() { # blocks FILE: "offset header_bytes stored_bytes kind" of each
	"$PYTHON" - "$1" <<-'EOF'
		import struct, sys
		data, at = open(sys.argv[1], "rb").read(), 64
		while at < len(data):
		    kind, stored = struct.unpack_from("<4xH10xI", data, at)[0:2]
		    print(at, 64, stored, kind)
		    at += (64 + stored + 7) // 8 * 8
	EOF
}

report() { # report STATUS DIR: whatever it prints adds up, and the summary that it left has the same status
	local again
	rm -f "$2/summary.baton"
	expect_status "$1" "$BATON" report --json "$2"
	again=$?
	cp "$work/err" "$work/first.err"
	if [ -s "$work/out" ]; then
		expect_true "all(sum(x['time_ns'].values()) == x['window_ns'] for x in d['devices'])"
		[ $again != 0 ] || expect_status "$1" "$BATON" report --json "$2"
	fi
	rm -f "$2/summary.baton"
	cp "$work/first.err" "$work/err"
}

# What the three commands say about DIR/0.baton, the only file there.
damaged() { # damaged DUMP_STATUS REPORT_STATUS DIR
	local file=$3/0.baton place
	expect_status 3 "$BATON" check "$3"
	expect_says "$file: offset 0x"
	expect_status "$1" "$BATON" dump --json "$3"
	expect_says "$file: offset 0x"
	if [ "$1" = 4 ]; then
		place=$("$PYTHON" -c "import json, sys
print('%x' % min((x['offset'] for x in map(json.loads, open(sys.argv[1])) if x['record'] == 'damage'), default=-1))" "$work/out")
		expect_says "$file: offset 0x$place: "
		expect_true "lines[-1]['verdict'] == 'damaged'"
	fi
	report "$2" "$3"
	expect_says "$file: offset 0x"
}

# Keeps out: damage where there is none.
expect_status 0 "$BATON" check "$work/good" "$work/one/0.baton"
expect_prints "$work/good/0.baton: ok: " "$work/one/0.baton: ok: "
expect_status 0 "$BATON" dump "$work/good"
report 0 "$work/good"
expect_true "[x['ranks'] for x in d['devices']] == [[0], [1]] and d['quality']['missing_ranks'] == []"

# Keeps out: sums of what files say that overflow, and a summary with one, which nobody can load.
expect_status 0 "$BATON" reduce -o "$work/costly.baseline" "$work/costly"
expect_status 0 "$BATON" report --json "$work/costly.baseline"

# Keeps out: a cut file that counts as whole, or whose whole blocks are lost.
whole=$work/one/0.baton size=$(stat -c %s "$work/one/0.baton")
cut_at() { # cut_at BYTES DUMP_STATUS REPORT_STATUS
	rm -rf "$work/cut" && mkdir "$work/cut"
	head -c "$1" "$whole" >"$work/cut/0.baton"
	damaged "$2" "$3" "$work/cut"
}
for bytes in 0 1 10 63; do
	cut_at $bytes 3 3
done
first_op=$(blocks "$whole" | awk '$4 == 16 { print $1 + 64 + $3; exit }')
for bytes in 65 100 $((first_op - 1)); do
	cut_at "$bytes" 4 3
done
for bytes in $((first_op + 8)) $((size / 3)) $((size / 2)) $((size - 72)) $((size - 40)) $((size - 1)); do
	cut_at "$bytes" 4 4
done

# Keeps out: a changed byte that nobody notices, and one block that spoils the others.
flipped() { # flipped OFFSET DUMP_STATUS REPORT_STATUS
	rm -rf "$work/flipped" && mkdir "$work/flipped"
	cp "$whole" "$work/flipped/0.baton" && flip_bit "$work/flipped/0.baton" "$1" $(($1 % 8))
	damaged "$2" "$3" "$work/flipped"
}
for at in 0 8 12 16 20 31 55 63; do
	flipped $at 3 3
done
blocks "$whole" | awk 'NR % 3 == 1' >"$work/blocks"
while read -r at header stored kind; do
	lost='4' # with its dictionary a trace may lose all meaning
	[ "$kind" != 2 ] || lost='3|4'
	flipped $((at + kind % 7 * 9)) 4 "$lost"
	flipped $((at + header + stored / 2)) 4 "$lost"
done <"$work/blocks"

# Keeps out: foreign files under our name.
mkdir "$work/foreign" "$work/beside"
printf 'not a trace, but long enough for a header of sixty-four bytes, and more than that' >"$work/foreign/0.baton"
damaged 3 3 "$work/foreign"
cp "$work/one/0.baton" "$work/beside/0.baton" && cp "$work/foreign/0.baton" "$work/beside/picture.baton"
mkdir "$work/beside/folder.baton"
expect_status 3 "$BATON" check "$work/beside"
expect_status 4 "$BATON" dump "$work/beside"
expect_says "$work/beside/picture.baton: offset 0x0: "
report 4 "$work/beside"
expect_says "$work/beside/picture.baton: offset 0x0: " "$work/beside/folder.baton: "

# Keeps out: bytes after the end, of a file that was written into by another process.
mkdir "$work/longer"
{ cat "$whole" && printf 'more bytes'; } >"$work/longer/0.baton"
damaged 4 4 "$work/longer"

# Keeps out: an answer from some ranks that looks like one from all.
report 4 "$work/missing"
expect_says "$work/missing: rank 2 of 4 has no file" "3 ranks"
expect_true "d['quality']['missing_ranks'] == [2] and len(d['devices']) == 3"
expect_status 0 "$BATON" check "$work/missing"

# Keeps out: two runs added up as one.
report 4 "$work/runs"
expect_says "more than one run" "run-a"
expect_true "[x['kernels'] for x in d['devices']] == [200, 200]"

# Keeps out: a rank that counts twice in silence.
report 4 "$work/ranks"
expect_says "rank 0 was written by two processes" "$work/ranks/0.baton" "$work/ranks/again.baton"
mkdir "$work/copies"
cp "$whole" "$work/copies/0.baton" && cp "$whole" "$work/copies/copy.baton"
report 4 "$work/copies"
expect_says "$work/copies/copy.baton"

# Keeps out: a directory without traces, or a wrong name, taken for a run in which nothing happened.
mkdir "$work/hollow" && touch "$work/hollow/notes.txt"
for command in check dump report; do
	expect_status 3 "$BATON" $command "$work/hollow"
	expect_says "$work/hollow: no trace files"
	expect_status 3 "$BATON" $command "$work/absent"
	expect_says "$work/absent: No such file"
done
expect_status 4 "$BATON" dump "$whole" "$work/absent"
expect_says "$work/absent: No such file"

# Keeps out: gigabytes of memory for a few kilobytes, blocks of a million equal rows that all overlap in time.
PYTHONPATH=tests/format "$PYTHON" - "$work/swollen" <<'EOF' || fail "writing the swollen trace"
import os, sys
from writer import KINDS, TABLES, TraceWriter, column, column_payload

os.makedirs(sys.argv[1])
out = TraceWriter(os.path.join(sys.argv[1], "0.baton"))
out.process(100, boot_id=bytes(16), rank=0, world_size=1, host="node", source="kineto", source_version="test", run_id="run")
stream, thread = out.stream(out.device(0, "GPU", None), 1, 7), out.thread("main", 100, 100)
out.rows("call", [{"start_ns": 1000, "dur_ns": 5000, "thread": thread, "name": "cudaLaunchKernel", "correlation": 1}])
out.rows("op", [{"start_ns": 9000, "dur_ns": 100, "op_kind": 1, "stream": stream, "correlation": 1, "name": "gemm"}])
values = {"start_ns": 1000, "dur_ns": 100, "thread": thread, "name": out.string("aten::mm"), "category": 4}
table = TABLES[KINDS["range"]]
payload = column_payload([column(number, [values[name]], 0) for number, (name, _) in table.columns.items() if name in values])
for _ in range(64):
    out.block(KINDS["range"], payload, 1 << 20, span_ns=(1000, 1100))
out.close()
EOF
expect_status 3 "$BATON" check "$work/swollen"
limit=$(ulimit -Sv)
case ${BUILD:-} in
*san-*) ;; # a sanitizer takes terabytes of addresses
*) ulimit -Sv 600000 ;;
esac
report 4 "$work/swollen"
ulimit -Sv "$limit"
expect_says "0.baton: offset 0x" ": too-large"

# Keeps out: gigabytes for the names of a small file, in a frame of zeros; a crash on calls of a thread that no record defines.
PYTHONPATH=tests/format "$PYTHON" - "$work" <<'EOF' || fail "writing the bombs"
import os, sys
from writer import TABLES, TraceWriter, column_payload, string_record, zigzag

for name in ("names", "lost"):
    os.makedirs(os.path.join(sys.argv[1], name))
    out = TraceWriter(os.path.join(sys.argv[1], name, "0.baton"))
    out.process(100, boot_id=bytes(16), rank=0, world_size=1, host="node", source="baton", run_id="run")
    stream = out.stream(out.device(0, "GPU", None), 1, 7)
    if name == "names":
        out.flush()
        for n in range(8):
            out.block(2, string_record(100 + n, bytes([n]) + bytes(60 << 20)), 1)
    out.rows("op", [{"start_ns": 9000 + i * 900, "dur_ns": 100, "op_kind": 1, "stream": stream, "correlation": i,
                     "name": "gemm"} for i in range(400)])
    out.rows("call", [{"start_ns": 9000 + i * 900 - 50, "dur_ns": 900, "thread": 77, "name": "cudaLaunchKernel",
                       "correlation": i} for i in range(400)])
    out.rows("call", [{"start_ns": 9000 + i * 900 - 50, "dur_ns": 900, "thread": 78, "name": "cudaLaunchKernel",
                       "correlation": i} for i in range(400)])
    out.close()
EOF
expect_status 0 "$BATON" report "$work/lost"
case ${BUILD:-} in
*san-*) ;;
*) ulimit -Sv 600000 ;;
esac
expect_status 3 "$BATON" check "$work/names"
expect_prints 'reason="too-large"'
report 4 "$work/names"
ulimit -Sv "$limit"
expect_says "0.baton: offset 0x" ": too-large"

# Keeps out: a device without a name and UUID, when its strings come some records after it.
PYTHONPATH=tests/format "$PYTHON" - "$work/late" <<'EOF' || fail "writing the trace with late names"
import os, sys
from writer import TraceWriter, known_record, string_record

os.makedirs(sys.argv[1])
out = TraceWriter(os.path.join(sys.argv[1], "0.baton"))
out.process(100, boot_id=bytes(16), rank=0, world_size=1, host="node", source="baton", run_id="run")
out.record(known_record("device", 1, 0, 900, 901, 0, 0))
out.flush()
stream = out.stream(1, 1, 7)
out.rows("op", [{"start_ns": 9000 + i * 900, "dur_ns": 100, "op_kind": 1, "stream": stream, "correlation": 0,
                 "name": "gemm"} for i in range(400)])
out.record(string_record(900, b"NVIDIA H100"))
out.record(string_record(901, b"GPU-0123"))
out.close()
EOF
expect_status 0 "$BATON" report --json "$work/late"
expect_true "[(x['name'], x['device']) for x in d['devices']] == [('NVIDIA H100', 'node/GPU-0123')]"

# Keeps out: a stored summary that is used though it is damaged, or older than the traces beside it.
cp -r "$work/good" "$work/stored"
expect_status 0 "$BATON" report --json "$work/stored"
cp "$work/out" "$work/right"
if [ -e "$work/stored/summary.baton" ]; then
	expect_status 0 "$BATON" check "$work/stored"
	expect_prints "$work/stored/summary.baton: ok"
	cp "$work/stored/summary.baton" "$work/summary"
	for at in 20 100 400 -90; do
		cp "$work/summary" "$work/stored/summary.baton" && flip_bit "$work/stored/summary.baton" $at 2
		expect_status 3 "$BATON" check "$work/stored"
		expect_says "$work/stored/summary.baton: offset 0x"
		expect_status 0 "$BATON" report --json "$work/stored"
		checks=$((checks + 1))
		cmp -s "$work/out" "$work/right" || fail "another report beside a summary with byte $at changed"
	done
	for bytes in 0 63 64 300; do
		head -c $bytes "$work/summary" >"$work/stored/summary.baton"
		expect_status 0 "$BATON" report --json "$work/stored"
		checks=$((checks + 1))
		cmp -s "$work/out" "$work/right" || fail "another report beside a summary cut to $bytes bytes"
	done
	expect_status 0 "$BATON" report --json "$work/stored"
	rm "$work/stored/1.baton"
	expect_status 4 "$BATON" report --json "$work/stored"
	expect_says "rank 1 of 2"
	expect_true "len(d['devices']) == 1"
	finish
fi
finish "no summary was stored: that part was not run"
