#!/usr/bin/env bash
# baton export --format nsys-sqlite: every row read back by Python's sqlite3 (export_nsys_check.py), the round trip through `import`
# (export_nsys_round.py), the study's queries, several hosts, hostile names, memory, files that are there, full disks, signals.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

nsys_export() { # nsys_export RUN FILE|DIR [OPTION...]
	local run=$1 to=$2
	shift 2
	expect_status 0 "$BATON" export --format nsys-sqlite -o "$to" "$@" "$run"
}

# Keeps out: a row, a cell or a number of another process that is not what the run has, in one file or in one for each rank.
expect_status 0 "$sim" -o "$work/ddp" --workload ddp --ranks 4 --steps 4
nsys_export "$work/ddp" "$work/ddp.sqlite"
expect_says "4 processes, "
expect_status 0 "$PYTHON" tests/cli/export_nsys_check.py "$BATON" "$work/ddp" "$work/ddp.sqlite"
rows=$(cat "$work/out")
nsys_export "$work/ddp" "$work/ranks" --one-per-rank
[ "$(ls -A "$work/ranks" | tr '\n' ' ')" = "rank000.sqlite rank001.sqlite rank002.sqlite rank003.sqlite " ] || fail "files: $(ls -A "$work/ranks")"
for rank in 0 3; do
	expect_status 0 "$PYTHON" tests/cli/export_nsys_check.py "$BATON" "$work/ddp" "$work/ranks/rank00$rank.sqlite" $rank
done

# Keeps out: a file that the study of 960 GPUs could not have been made from.
expect_status 0 "$PYTHON" tests/cli/export_nsys_round.py study "$BATON" "$work/ddp" "$work/ranks" zimi
study=$(cat "$work/out")

# Keeps out: figures that change on the way. Of a recording what the format carries; the first step of imports is no warm-up.
expect_status 0 "$sim" -o "$work/resnet" --workload resnet --ranks 2 --steps 3
nsys_export "$work/resnet" "$work/resnet.sqlite"
nsys_export "$work/resnet" "$work/resnet.ranks" --one-per-rank
imported "$work/resnet.sqlite" "$work/resnet.back"
imported "$work/resnet.ranks" "$work/resnet.ranks.back"
for back in back ranks.back; do
	expect_status 0 "$PYTHON" tests/cli/export_nsys_round.py leaves "$BATON" "$work/resnet" "$work/resnet.$back"
done
# Arguments of NCCL calls: of sends and receives, all-to-alls, groups of calls in one kernel.
for workload in pipeline moe fsdp; do
	expect_status 0 "$sim" -o "$work/$workload" --workload $workload --ranks 4 --steps 4 --kernels 100
	nsys_export "$work/$workload" "$work/$workload.sqlite"
	expect_status 0 "$PYTHON" tests/cli/export_nsys_check.py "$BATON" "$work/$workload" "$work/$workload.sqlite"
	expect_prints "payloads of NCCL"
	imported "$work/$workload.sqlite" "$work/$workload.back"
	expect_status 0 "$PYTHON" tests/cli/export_nsys_round.py nccl "$BATON" "$work/$workload" "$work/$workload.back"
	expect_status 0 "$PYTHON" tests/cli/export_nsys_round.py streams "$BATON" "$work/$workload" "$work/$workload.back"
done
# nsys writes priorities as unsigned numbers.
"$PYTHON" -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("UPDATE TARGET_INFO_CUDA_STREAM SET priority = 4294967294")' "$work/fsdp.sqlite" || fail "no table of streams"
rm -rf "$work/fsdp.back" && imported "$work/fsdp.sqlite" "$work/fsdp.back"
expect_status 0 "$BATON" dump --json "$work/fsdp.back"
expect_prints '"priority":-2,"kind":2}'
# Of an import all of it.
round() { # round NAME FILE STATUS: import with this status, export, import again
	expect_status "$3" "$BATON" import "$2" -o "$work/$1.run"
	nsys_export "$work/$1.run" "$work/$1.export.sqlite"
	expect_status 0 "$PYTHON" tests/cli/export_nsys_check.py "$BATON" "$work/$1.run" "$work/$1.export.sqlite"
	imported "$work/$1.export.sqlite" "$work/$1.again"
	expect_status 0 "$PYTHON" tests/cli/export_nsys_round.py all "$BATON" "$work/$1.run" "$work/$1.again"
}
for kind in 2023 2026 two graphs overhead; do
	nsys $kind "$work/$kind.sqlite"
	round $kind "$work/$kind.sqlite" 0
done
nsys nvtx "$work/nvtx.sqlite" # one of its rows is refused
round nvtx "$work/nvtx.sqlite" 4
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	round h100 "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" 0
	rows="$rows; of an nsys export: $(cat "$work/out")"
fi
# Keeps out: call stacks of another call, or cut.
"$PYTHON" tests/cli/words_traces.py framework "$work/stacks" || fail words_traces.py
mkdir "$work/chains"
expect_status 0 "$PYTHON" tests/cli/export_nsys_chains.py "$BATON" "$work/stacks" "$work/chains"
rows="$rows; $(cat "$work/out")"
# ... and back: the import of the file has them, those of native frames too, whatever the order of the rows.
sqlite() { "$PYTHON" -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.executescript(sys.argv[2])' "$@" || fail "sqlite: $2"; }
sqlite "$work/chains/chains.sqlite" "INSERT INTO StringIds VALUES (900001, 'at::native::add(at::Tensor const&)'), (900002, '/opt/lib/libtorch.so'), (900003, '[backward]');
	INSERT INTO CUDA_CALLCHAINS (id, symbol, module, originalIP, stackDepth) SELECT 900001, 900001, 900002, 4660, 1;
	INSERT INTO CUDA_CALLCHAINS (id, symbol, module, stackDepth) SELECT 900001, 900003, 900002, 0;
	UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 900001 WHERE rowid = 5;
	UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 77777777 WHERE rowid = 6"
imported "$work/chains/chains.sqlite" "$work/chains/run"
expect_status 0 "$PYTHON" tests/cli/nsys_chains.py "$BATON" "$work/chains/chains.sqlite" "$work/chains/run"
rows="$rows; of an import: $(cat "$work/out")"
expect_status 0 "$BATON" report --by line "$work/chains/run"
expect_prints "fit.py:18 (main) > accelerate/data.py:80 (send)"
expect_status 0 "$BATON" report --by stack "$work/chains/run"
expect_prints "/home/u/fit.py:18 main"
kineto extras "$work/extras"
expect_status 0 "$BATON" import "$work/extras" -o "$work/extras.run"
nsys_export "$work/extras.run" "$work/extras.sqlite"
expect_status 0 "$PYTHON" tests/cli/export_nsys_check.py "$BATON" "$work/extras.run" "$work/extras.sqlite"

# Keeps out: two hosts' GPUs and processes that readers take for one.
expect_status 0 "$sim" -o "$work/hosts" --workload ddp --ranks 4 --per-host 2 --steps 2
nsys_export "$work/hosts" "$work/hosts.sqlite"
cat >"$work/hosts.py" <<'P'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
one = lambda sql: db.execute(sql).fetchall()
assert one("SELECT id FROM TARGET_INFO_GPU ORDER BY id") == [(0,), (1,), (2,), (3,)]
assert one("SELECT count(DISTINCT vmId) FROM TARGET_INFO_GPU") == [(2,)]
assert one("SELECT count(DISTINCT globalPid), count(DISTINCT deviceId) FROM CUPTI_ACTIVITY_KIND_KERNEL") == [(4, 4)]
assert one("SELECT count(*), count(DISTINCT globalPid || ' ' || correlationId), count(DISTINCT correlationId) > 0 FROM CUPTI_ACTIVITY_KIND_KERNEL")[0][2] == 1
assert len(one("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname' GROUP BY value")) == 2
# A join by the correlation id alone finds each kernel's own process.
crossed = one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)"
              " WHERE k.globalPid <> r.globalTid & ~0xffffff")
assert crossed == [(0,)], crossed
joined = one("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON k.correlationId = r.correlationId"
             " AND k.globalPid = r.globalTid & ~0xffffff")
assert joined[0][0] > 1000, joined
P
expect_status 0 "$PYTHON" "$work/hosts.py" "$work/hosts.sqlite"

# Keeps out: names that another reader cannot take, and a short name that is none.
cat >"$work/hostile.py" <<'P'
import json, sqlite3, subprocess, sys
baton, work = sys.argv[1:]
names = ["=cmd|' /C calc'!A0", "quote ' and \" and `", "'); DROP TABLE StringIds; --", "two\nlines", "red \x1b[31m", "\u202eabc", "nul\x00l", "\u2028",
         "void a::b::(anonymous namespace)::real_name<float, c::d<4> >(int, float*)", "x" * 30000, "plain", ""]
events = [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
           "args": {"device": 0, "stream": 7, "correlation": i + 1}} for i, n in enumerate(names)]
raw = json.dumps({"deviceProperties": [{"id": 0, "name": "GPU' --"}], "traceEvents": events}).encode()
raw = raw.replace(b'"plain"', b'"bad \xff\xc3( bytes"')
open(f"{work}/hostile.json", "wb").write(raw)
subprocess.run([baton, "import", f"{work}/hostile.json", "-o", f"{work}/hostile"], check=True, capture_output=True)
subprocess.run([baton, "export", "--format", "nsys-sqlite", "-o", f"{work}/hostile.sqlite", f"{work}/hostile"], check=True, capture_output=True)
db = sqlite3.connect(f"{work}/hostile.sqlite")
rows = db.execute("SELECT d.value, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL LEFT JOIN StringIds d ON d.id = demangledName"
                  " LEFT JOIN StringIds s ON s.id = shortName ORDER BY start").fetchall()
assert len(rows) == len(names), rows
for (full, short), name in zip(rows, names):
    if name in ("plain", "nul\x00l"):
        assert "\0" not in full and (name != "plain" or full.startswith("bad ") and full.endswith("( bytes")), full
    else:
        assert full == (name or None), (full, name)
assert rows[8][1] == "real_name", rows[8]
assert rows[9][1] is not None and rows[11] == (None, None), rows[11]
names = db.execute("SELECT name FROM TARGET_INFO_GPU").fetchall()
assert names == [("GPU' --",)], names
P
expect_status 0 "$PYTHON" "$work/hostile.py" "$BATON" "$work"

# Keeps out: memory that grows with the run.
peak() { # peak COMMAND...: the most memory it had, in KiB, in $kib
	checks=$((checks + 1)) last="$*"
	"$PYTHON" -c 'import resource, subprocess, sys
status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open(sys.argv[1], "w"))
sys.exit(status)' "$work/kib" "$@" || fail "status $?"
	kib=$(cat "$work/kib")
}
for steps in 120 480; do # with fewer the tables of the run are still growing to their size
	expect_status 0 "$sim" -o "$work/long$steps" --workload ddp --ranks 1 --steps $steps
	peak "$BATON" export --format nsys-sqlite -o "$work/long$steps.sqlite" "$work/long$steps"
	[ $steps = 120 ] && small=$kib
done
# A sanitizer keeps what was freed for a while.
case $BATON in
*/san-*) ;;
*) [ "$kib" -le $((small * 125 / 100)) ] || fail "$small KiB for 120 steps, $kib KiB for 480" ;;
esac
memory="$small KiB for 120 steps, $kib KiB for 480"

# Keeps out: somebody's profile written over, and half a file under its name.
expect_status 2 "$BATON" export --format nsys-sqlite "$work/ddp"
expect_says "-o is missing"
expect_status 2 "$BATON" export --format sqlite -o "$work/x" "$work/ddp"
expect_says "--format must be nsys-sqlite, nvprof-csv, perfetto, chrome, kineto, parquet, arrow or csv, not 'sqlite'"
expect_status 2 "$BATON" export "$work/ddp"
expect_status 2 "$BATON" export --folded --format nsys-sqlite -o "$work/x" "$work/ddp"
expect_says "leave out --format"
echo theirs >"$work/theirs.sqlite"
expect_status 2 "$BATON" export --format nsys-sqlite -o "$work/theirs.sqlite" "$work/ddp"
expect_says "theirs.sqlite: is there already; -f replaces it"
[ "$(cat "$work/theirs.sqlite")" = theirs ] || fail "the file that was there has changed"
nsys_export "$work/ddp" "$work/theirs.sqlite" -f
cmp -s "$work/theirs.sqlite" "$work/ddp.sqlite" || fail "two exports of a run differ"
expect_status 2 "$BATON" export --format nsys-sqlite --one-per-rank -o "$work/ranks" "$work/ddp"
nsys_export "$work/ddp" "$work/ranks" --one-per-rank --force
expect_status 2 "$BATON" export --format nsys-sqlite -o "$work/ranks" "$work/ddp"
expect_says "is a directory; --one-per-rank"
expect_status 5 "$BATON" export --format nsys-sqlite -o "$work/absent/x.sqlite" "$work/ddp"
expect_says "absent/x.sqlite: No such file or directory"
expect_status 3 "$BATON" export --format nsys-sqlite -o "$work/x.sqlite" "$work/nothing"
mkdir "$work/full"
echo kept >"$work/full/y.sqlite"
for way in x "y -f" "z --one-per-rank"; do
	expect_status 5 bash -c 'trap "" XFSZ; ulimit -f 200; exec "$@"' full "$BATON" export --format nsys-sqlite -o "$work/full/${way%% *}.sqlite" \
		$(echo "$way" | cut -s -d ' ' -f 2) "$work/ddp"
	expect_says "${way%% *}.sqlite: File too large"
	[ "$(ls -A "$work/full")" = y.sqlite ] || fail "left: $(ls -A "$work/full")"
done
[ "$(cat "$work/full/y.sqlite")" = kept ] || fail "the file that was there is gone"
mkdir "$work/disk"
disk="no tmpfs to be had: only a limit on the size of files was tried"
if mount -t tmpfs -o size=512k tmpfs "$work/disk" 2>/dev/null; then
	mounted=$work/disk disk="on a full tmpfs too"
	expect_status 5 "$BATON" export --format nsys-sqlite -o "$work/disk/x.sqlite" "$work/ddp"
	expect_says "x.sqlite: No space left on device"
	expect_nothing_in "$work/disk"
fi

# Keeps out: rows of a damaged trace that vanish in silence.
cp -r "$work/ddp" "$work/damaged"
printf 'x' | dd of="$(ls "$work"/damaged/*.baton | head -n 1)" bs=1 seek=9000 conv=notrunc status=none
expect_status 4 "$BATON" export --format nsys-sqlite -o "$work/damaged.sqlite" "$work/damaged"
expect_says "offset 0x"
[ -s "$work/damaged.sqlite" ] || fail "no file of a damaged run"

# Keeps out: a hidden directory of an export that was stopped, and a file that was there lost for nothing.
checks=$((checks + 1))
"$PYTHON" - "$BATON" "$work/long120" "$work/stopped" <<'P' || fail "stopped exports"
import os, signal, subprocess, sys, time
baton, run, out = sys.argv[1:]
os.mkdir(out)
stopped = 0
for i in range(18):
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
    before = ["old.sqlite"] if i % 2 else []
    for name in os.listdir(out):
        os.unlink(os.path.join(out, name))
    for name in before:
        open(os.path.join(out, name), "w").close()
    job = subprocess.Popen([baton, "export", "--format", "nsys-sqlite", "-f", "-o", f"{out}/old.sqlite", run], stderr=subprocess.DEVNULL)
    end = time.time() + 20
    while not any(n.startswith(".") for n in os.listdir(out)) and job.poll() is None:
        assert time.time() < end, "no staging directory"
    time.sleep(0.002 * (i % 9))
    job.send_signal(number)
    if job.wait() == -number:
        stopped += 1
        assert os.listdir(out) == before and all(os.path.getsize(os.path.join(out, n)) == 0 for n in before), (i, os.listdir(out))
    else:
        assert job.returncode == 0 and os.listdir(out) == ["old.sqlite"], (i, job.returncode, os.listdir(out))
assert stopped > 3, stopped
P
finish "$rows; $study; memory: $memory; $disk"
