#!/usr/bin/env bash
# `baton import` of nsys exports (SQLite) that are damaged, foreign or odd, and of one whose processes use the same correlation ids.
. "$(dirname "$0")/lib.sh"

import() { # import STATUS FILE... : into $out, new each time
	local status=$1
	shift
	n=$((${n:-0} + 1)) out=$work/out.$n
	expect_status "$status" "$BATON" import "$@" -o "$out"
}

expect_intact() { # expect_intact N: that many traces, without damage
	checks=$((checks + 1))
	[ "$(find "$out" -name '*.baton' 2>&1 | wc -l)" = "$1" ] || fail "expected $1 traces: $(ls -A "$out" 2>&1 | tr '\n' ' ')"
	"$BATON" check "$out" >"$work/checked" 2>&1 || fail "check: $(head -n 3 "$work/checked")"
}

# Keeps out: that the rows before a cut are lost (SQLite by itself reads nothing of such a file), or that the cut is not told.
nsys 2023 "$work/whole.sqlite" --steps 1000
for keep in 90 60 30; do
	cut=$work/cut-$keep.sqlite
	size=$(($(stat -c %s "$work/whole.sqlite") * keep / 100))
	head -c $size "$work/whole.sqlite" >"$cut"
	import 4 "$cut"
	expect_says "$cut: offset 0x$(printf %x $size): the file ends here"
	expect_intact 1
	expect_status 0 "$BATON" dump --json "$out"
	expect_true "any(x['record'] == 'loss' and x['kind'] == 4 and x['count'] > 0 for x in lines)"
done
head -c 50 "$work/whole.sqlite" >"$work/head.sqlite"
import 3 "$work/head.sqlite"
expect_says "$work/head.sqlite: " "nothing was imported"
expect_nothing_in "$out"

# Keeps out: one bad page that ends the import of all tables.
nsys corrupt "$work/corrupt.sqlite"
import 4 "$work/corrupt.sqlite"
expect_says "$work/corrupt.sqlite: table CUPTI_ACTIVITY_KIND_RUNTIME: " "those are used"
expect_intact 1
expect_status 0 "$BATON" dump --json "$out"
expect_true "count('op') == 200 * 4 and count('call') > 0"

# Keeps out: half of a write that is taken for the whole export. (SQLite asks for no lock and no journal of a file that is opened as it is
# here; the write is by another process each time, as SQLite's locks do not hold within one.)
"$PYTHON" - "$BATON" "$work" <<'EOF' || fail "files that are being written"
import os, shutil, sqlite3, subprocess, sys
baton, work = sys.argv[1:]


def imported(path, status, *says):
    got = subprocess.run([baton, "import", path, "-o", path + ".run"], capture_output=True, text=True)
    assert got.returncode == status and all(word in got.stderr for word in says), (path, got.returncode, got.stderr)


def copied(name):
    shutil.copy(f"{work}/whole.sqlite", f"{work}/{name}.sqlite")
    return f"{work}/{name}.sqlite"


for begin in ("IMMEDIATE", "EXCLUSIVE"):
    path = copied(begin.lower())
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN " + begin)
    imported(path, 4, "another program is writing it", "1 process, 2,000 kernels")
    db.execute("ROLLBACK")
    shutil.rmtree(path + ".run")
    imported(path, 0)
path = copied("killed")
child = os.fork()
if child == 0:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA cache_size=2")
    db.execute("BEGIN")
    db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 1")
    os._exit(0)
os.waitpid(child, 0)
assert os.path.getsize(path + "-journal") > 0
imported(path, 4, "a write to it was cut off", "-journal")
path = copied("wal")
db = sqlite3.connect(path, isolation_level=None)
db.execute("PRAGMA journal_mode=WAL")
db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start + 1")
imported(path, 4, "is not read", "wal_checkpoint(TRUNCATE)")
os.symlink(path, f"{work}/link.sqlite")  # what belongs to the file lies beside that, not beside the link
imported(f"{work}/link.sqlite", 4, "is not read", "wal.sqlite-wal")
db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
shutil.rmtree(path + ".run")
imported(path, 0)
EOF
checks=$((checks + 1))

# Keeps out: a crash on pages that lie. Each bit flipped is of another page; what comes in must be a trace without damage.
pages=$(($(stat -c %s "$work/whole.sqlite") / 4096))
for page in $(seq 0 $((pages / 12)) $((pages - 1))); do
	cp "$work/whole.sqlite" "$work/flipped.sqlite"
	flip_bit "$work/flipped.sqlite" $((page * 4096 + 107)) 6
	import '0|3|4' "$work/flipped.sqlite"
	[ ! -d "$out" ] || expect_intact 1
done

# Keeps out: limits that no line counts: frames of call stacks, their depth, allocations, domains of ranges.
nsys 2023 "$work/many.sqlite" --steps 10
"$PYTHON" - "$work/many.sqlite" <<'EOF' || fail "many rows"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for rule in ("synchronous=OFF", "journal_mode=OFF"):
    db.execute("PRAGMA " + rule)
row = db.execute("SELECT globalTid, max(domainId) FROM NVTX_EVENTS").fetchone()
db.execute("CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (globalPid INTEGER, correlationId INTEGER, bytes INTEGER, memKind INTEGER)")
db.execute("CREATE TABLE CUDA_CALLCHAINS (id INTEGER, stackDepth INTEGER, symbol INTEGER, module INTEGER, originalIP INTEGER)")
numbers = "WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM c WHERE x < ?) "
db.execute("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS " + numbers + "SELECT 1, 1000000 + x, 512, 2 FROM c", [(1 << 20) + 7 - 1])
db.execute("INSERT INTO CUDA_CALLCHAINS " + numbers + "SELECT x / 256, x % 256, NULL, NULL, x FROM c", [(8 << 20) - 300 - 1])
db.execute("INSERT INTO CUDA_CALLCHAINS " + numbers + "SELECT 1000000, x, NULL, NULL, x FROM c", [305 - 1])
db.execute("INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) " + numbers + "SELECT 0, 75, 'domain', ?, 100 + x FROM c", [1030 - 1, row[0]])
db.commit()
EOF
import 4 "$work/many.sqlite"
expect_says "5 rows left out: they are frames of call stacks beyond the first 8,388,608" \
	"44 rows left out: they are frames of call stacks beyond their innermost 256" \
	"7 rows left out: they are allocations beyond the first 1,048,576" "rows left out: they name NVTX domains beyond the first 1,024"
expect_intact 1
rm "$work/many.sqlite"

# Keeps out: a status of 0 for files that hold nothing of a GPU, and output left behind for them.
nsys not-nsys "$work/songs.sqlite"
nsys not-sqlite "$work/magic.sqlite"
nsys empty "$work/empty.sqlite"
"$PYTHON" -c "import random, sys; sys.stdout.buffer.write(random.Random(1).randbytes(50000))" >"$work/random.sqlite"
: >"$work/nothing.sqlite"
{ printf 'SQLite format 3\0' && cat "$work/random.sqlite"; } >"$work/random-magic.sqlite"
for name in songs magic empty random nothing random-magic; do
	import 3 "$work/$name.sqlite"
	expect_says "$work/$name.sqlite: " "nothing was imported"
	expect_nothing_in "$out"
done
import 3 "$work/songs.sqlite"
expect_says "not an nsys export"
import 4 "$work/whole.sqlite" "$work/songs.sqlite"
expect_intact 1

# Keeps out: NULL, text or a blob read as the number 0, and times that overflow.
nsys bad-values "$work/values.sqlite"
import 4 "$work/values.sqlite"
expect_says "do not say their process" "have no start or no end" "do not say their device" "their times are impossible" "unknown kind"
expect_intact 1
expect_status 0 "$BATON" dump --json "$out"
expect_true "all(10**6 <= x['start_ns'] - 17 * 10**17 <= 10**10 and x['dur_ns'] <= 10**9 for x in lines if x['record'] == 'op')"

# Keeps out: a column or table that this version of nsys lacks taken for damage.
for kind in 2021 2023 2026 no-strings loose calls-only; do
	nsys "$kind" "$work/$kind.sqlite"
	import 0 "$work/$kind.sqlite"
	expect_intact 1
done

# Keeps out: kernels joined with the launches of another process. Both processes have the ids 100, 101, ...; a third has no work.
nsys two "$work/two.sqlite" --steps 30
import 0 "$work/two.sqlite"
expect_says "2 processes, 120 kernels, 300 calls, 0 refused"
expect_intact 2
expect_status 0 "$BATON" report --json "$out"
expect_true "len(d['devices']) == 2 and d['quality']['unmatched_ops'] == 0 and d['quality']['missing_ranks'] == []"
expect_true "[(x['kernels'], x['launches'], x['ranks']) for x in d['devices']] == [(60, 60, [0]), (60, 60, [1])]"

# Keeps out: two processes on one GPU (MPS) reported as two GPUs.
nsys shared "$work/shared.sqlite"
import 0 "$work/shared.sqlite"
expect_intact 2
expect_status 0 "$BATON" report --json "$out"
expect_true "len(d['devices']) == 1 and len(d['devices'][0]['pids']) == 2 and d['devices'][0]['kernels'] == 16"

# Many processes in one file, each with a device of its own. Keeps out: ranks above the 64th left out; rows that are lost or doubled where
# the processes share the memory for rows (one process after the other: the first ones have taken more than their share by then).
cat >"$work/many.py" <<'P'
import sqlite3, sys
path, processes, rows = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
db = sqlite3.connect(path)
db.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
db.execute("INSERT INTO StringIds VALUES (1, 'kernel')")
db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, "
           "correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER)")
db.execute("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT ?2) INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
           "SELECT i % ?1 * 10, i % ?1 * 10 + 1 + i % 7, i / ?1 % 8, 1, 7, i, (1 << 48) | (1000 + i / ?1) << 24, 1, 1, 1 FROM n",
           (rows, processes * rows))
if len(sys.argv) > 4:  # device 0 of each process is a GPU of its own
    gpus = int(sys.argv[4])
    db.execute("CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT, totalMemory INTEGER, smCount INTEGER, uuid TEXT)")
    db.executemany("INSERT INTO TARGET_INFO_GPU VALUES (1, ?, ?, 8, 80, ?)", ((i, "GPU%d" % i, "uuid-%d" % i) for i in range(gpus)))
    db.execute("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid TEXT, numMultiprocessors INTEGER)")
    db.executemany("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?, 0, ?, '', 80)", ((i, 1000 + i) for i in range(gpus)))
    db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET deviceId = 0")
db.commit()
P
"$PYTHON" "$work/many.py" "$work/many.sqlite" 40 14000 || fail "many.py"
expect_status 0 "$BATON" import "$work/many.sqlite" -o "$work/many"
expect_says "40 processes, 560,000 kernels"
expect_status 0 "$BATON" check "$work/many"
expect_status 0 "$BATON" stats -r cuda_gpu_kern_sum -f csv "$work/many"
expect_prints "100.0,2240000,560000,4.0,4.0,1,7,"
# Keeps out: processes beyond the 256th and GPUs beyond the 256th left out, or GPUs that change places; a limit that is not said; a file with
# fewer processes than the system lets one open that is given up.
"$PYTHON" "$work/many.py" "$work/more.sqlite" 600 2 600 || fail "many.py"
expect_status 0 "$BATON" import "$work/more.sqlite" -o "$work/more"
expect_says "600 processes, 1,200 kernels"
expect_status 0 "$BATON" report --json "$work/more"
expect_true "sorted((x['ranks'], x['name'], x['device'], x['kernels']) for x in d['devices']) == [([i], 'GPU%d' % i, 'local/uuid-%d' % i, 2) for i in range(600)]"
if [ "$(ulimit -Hn)" != unlimited ] && [ "$(ulimit -Hn)" -lt 9000 ]; then
	echo "without the 4,097th process: ulimit -Hn is $(ulimit -Hn)"
elif [[ $BATON != *san-* ]]; then # a sanitizer needs too much memory for 4,096 files
	"$PYTHON" "$work/many.py" "$work/limit.sqlite" 4100 2 || fail "many.py"
	expect_status 4 "$BATON" import "$work/limit.sqlite" -o "$work/limit"
	expect_says "8 rows left out: they are of a process beyond the 4,096th" "4,096 processes, 8,192 kernels"
	rm -rf "$work/limit"
fi
"$PYTHON" "$work/many.py" "$work/gpus.sqlite" 2 2 65540 || fail "many.py"
expect_status 4 "$BATON" import "$work/gpus.sqlite" -o "$work/gpus"
expect_says "8 rows left out: they describe GPUs beyond the first 65,536" "2 processes, 4 kernels"
"$PYTHON" "$work/many.py" "$work/files.sqlite" 300 2 || fail "many.py"
expect_status 4 bash -c 'ulimit -n 100 && exec "$@"' - "$BATON" import "$work/files.sqlite" -o "$work/files"
expect_says "rows left out: they are of processes for which no file can be opened (ulimit -n)"
expect_status 0 "$BATON" check "$work/files"

# The same on a real export: 4,010 kernels, of which 24 have no launch record.
real=$BATON_DATA/nsys/h100_2gpu_nccl.sqlite
[ -e "$real" ] || finish "without $real: not there"
import 0 "$real"
expect_says "2 processes, 4,010 kernels" "0 refused"
expect_intact 2
expect_status 0 "$BATON" dump --json "$out"
checks=$((checks + 1))
"$PYTHON" - "$work/out" <<-'EOF' || fail "kernels of the dump and those of them that have a launch"
	import json, sys
	kernels, calls, file = [], set(), 0
	for row in map(json.loads, open(sys.argv[1])):
	    file += row["record"] == "file"
	    if row["record"] == "call":
	        calls.add((file, row["correlation"]))
	    elif row["record"] == "op" and row["op_kind"] == 1:
	        kernels.append((file, row["correlation"]))
	launched = sum(kernel in calls for kernel in kernels)
	print(f"{len(kernels)} kernels, {launched} with a launch")
	sys.exit((file, len(kernels), len(set(kernels)), launched) != (2, 4010, 4010, 3986))
EOF
expect_status 0 "$BATON" report --json "$out"
# Keeps out: no steps for a profile that marks none though its kernels recur.
expect_true "d['run']['step_source'] == 'periodicity' and [(x['ranks'], x['steps']) for x in d['devices']] == [([0], 16), ([1], 16)]"
expect_true "d['devices'][0]['time_ns']['nccl.unsplit'] == 0 and d['devices'][0]['time_ns']['nccl.wait'] > 0"
expect_status 0 "$BATON" report --json --steps none "$out"
expect_true "[(x['ranks'], x['kernels']) for x in d['devices']] == [([0], 1993), ([1], 2017)]"
expect_true "d['quality']['unmatched_ops'] == 31 and d['quality']['invalid_timestamps'] == 0"
finish
