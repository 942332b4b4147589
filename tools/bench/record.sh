#!/usr/bin/env bash
# What recording costs, printed with this machine's name: the launch path against its floor (stacks off, Python, both),
# process start, bytes on disk, and conservation over 10^8 launches. docs/OVERHEAD.md records it.
#   LAUNCHES=100000000  ROUNDS=200  BEFORE=DIR (a build of another state, in which bench-record was run: the launch path of both, in turn)
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build/release} python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //'), $(nproc) cores, Linux $(uname -r)"

cat >"$work/frames.py" <<'END'
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
def down(n):
    return library.launch_bench(int(sys.argv[3])) if n <= 1 else down(n - 1)
sys.exit(down(int(sys.argv[2])))
END
before=
if [ -n "${BEFORE:-}" ]; then
	before=$(cd "$BEFORE" && pwd)
	for file in bench/libbench.so tests/shim/replay_cupti.so; do
		[ -e "$before/$file" ] || { echo "bench-record: BEFORE: $before/$file is not there: run make bench-record in that tree" >&2 && exit 2; }
	done
fi
launches() { # launches BUILD STACKS FRAMES PROGRAM...: prints the rows of one run
	local out
	out=$(mktemp -d "$work/launches.XXXXXX")
	BATON_STACKS=$2 BATON_OUT=$out BATON_CUPTI=$1/tests/shim/replay_cupti.so "$python" "${@:4}" "$1/bench/libbench.so" "$3" "${ROUNDS:-200}"
	rm -rf "$out"
}
bench() { # bench STACKS FRAMES [made]: the launch path, FRAMES deep in Python; made: in code of no file ("<string>"), as torch.compile's
	local program=("$work/frames.py")
	[ "${3:-}" != made ] || program=(-c "$(cat "$work/frames.py")")
	echo "Launch path, stacks $1, $2 Python frames${3:+, of code that the program made}:"
	launches "$PWD/$build" "$1" "$2" "${program[@]}"
	[ -n "$before" ] || return 0
	for _ in 1 2 3; do
		launches "$before" "$1" "$2" "${program[@]}" >>"$work/before.$1.$2${3:-}"
		launches "$PWD/$build" "$1" "$2" "${program[@]}" >>"$work/after.$1.$2${3:-}"
	done
	echo "  the build before and this one, medians in ns, the least of 3 in turn:"
	"$python" - "$work/before.$1.$2${3:-}" "$work/after.$1.$2${3:-}" <<'END'
import re, sys
def least(path):
    rows = {}
    for line in open(path, encoding="utf-8"):
        found = re.match(r"  (\S.*?)  +(\d+\.\d) ", line)
        if found:
            rows[found[1]] = min(rows.get(found[1], 1e9), float(found[2]))
    return rows
before, after = map(least, sys.argv[1:])
if not before or before.keys() != after.keys():
    sys.exit(f"bench-record: BEFORE has other rows: {sorted(before)}, {sorted(after)}")
for name, ns in after.items():
    print(f"  {name:34} {before[name]:8.1f} {ns:8.1f} {ns / before[name]:9.2f} x")
END
}
bench off 1
bench python 10
bench python 30
bench python 30 made
bench both 30

echo "A node of PyTorch's graph, numbered in the forward and evaluated in the backward, ns (the least of 1,000 batches), at 10 and 30"
echo "  Python frames: without a recorder, recorded"
"${CXX:-g++}" -std=c++17 -O2 -fPIC -shared -pthread -o "$work/nodes.so" tests/shim/fake_autograd.cpp
cat >"$work/nodes.py" <<'END'
import ctypes, sys
nodes = ctypes.CDLL(sys.argv[1])
nodes.node_ns.restype = ctypes.c_double
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
cuda.cuLaunchKernel(*[None] * 11)
def down(n):
    return nodes.node_ns(1000) if n <= 1 else down(n - 1)
print("  %.0f %.0f" % (down(10), down(30)))
END
LD_LIBRARY_PATH=$PWD/$build/simgpu "$python" "$work/nodes.py" "$work/nodes.so"
LD_LIBRARY_PATH=$PWD/$build/simgpu "$build/baton" record -o "$work/nodes" -- "$python" "$work/nodes.py" "$work/nodes.so" 2>"$work/err"

echo "Process start, ms (median of 400, alternating): none, preloaded but off, preloaded with BATON_OUT"
"$python" - "$PWD/$build/libbaton.so" "$work" <<'END'
import os, statistics, subprocess, sys, time
library, out = sys.argv[1:]
ways = [{}, {"LD_PRELOAD": library}, {"LD_PRELOAD": library, "BATON_OUT": out}]
times = [[], [], []]
for _ in range(400):
    for way, extra in enumerate(ways):
        begin = time.perf_counter()
        subprocess.run(["/bin/true"], env={**os.environ, **extra}, check=True)
        times[way].append((time.perf_counter() - begin) * 1e3)
print("  " + "  ".join(f"{statistics.median(t):.3f}" for t in times))
END

echo "All cores busy, twice as many loops as cores: simtrain, 40 steps, ms (median of 7, alternating), plain and recorded; then what of the"
echo "  idle time of a job that waits for its loader is told as input (of 7: least, median)"
busy=()
for _ in $(seq $((2 * $(nproc)))); do
	while :; do :; done &
	busy+=($!)
done
LD_LIBRARY_PATH=$PWD/$build/simgpu "$python" - "$build" "$work/busy" <<'END'
import json, os, statistics, subprocess, sys, time
build, out = sys.argv[1:]
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
job = [build + "/simtrain", "--steps", "40", "--layers", "4", "--host-ns", "20000"]
record = [build + "/baton", "record", "-f", "-o", out, "--"]
times, shares = [[], []], []
for _ in range(7):
    for way, command in enumerate((job, record + job)):
        begin = time.perf_counter()
        subprocess.run(command, check=True, **quiet)
        times[way].append((time.perf_counter() - begin) * 1e3)
    subprocess.run(record + [sys.executable, "tests/shim/steps.py", "loads_in_workers"], check=True,
                   env={**os.environ, "PYTHONPATH": "tests/shim/faketorch"}, **quiet)
    leaves = json.loads(subprocess.run([build + "/baton", "report", "--json", out], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL).stdout)["devices"][0]["time_ns"]
    shares.append(leaves.get("idle.host.input", 0) / sum(ns for leaf, ns in leaves.items() if leaf.startswith("idle")))
print("  " + "  ".join(f"{statistics.median(t):.0f}" for t in times), f"  {min(shares):.0%}  {statistics.median(shares):.0%}")
END
kill "${busy[@]}"
wait "${busy[@]}" 2>/dev/null || true

echo "Disk: simtrain, 1 GPU, 400 steps"
"$build/baton" record -o "$work/disk" -- "$build/simlaunch" -n 1 -- "$build/simtrain" --steps 400 >"$work/out" 2>"$work/err"
"$build/baton" report --json "$work/disk" >"$work/report.json"
"$python" - "$work/report.json" "$work/disk" <<'END'
import json, os, sys
report = json.load(open(sys.argv[1]))
size = sum(os.path.getsize(os.path.join(sys.argv[2], f)) for f in os.listdir(sys.argv[2]) if f != "summary.baton" and f.endswith(".baton"))
kernels = sum(kernel["count"] for kernel in report["kernels"])
print(f"  {size} bytes, {kernels} kernels in whole steps: {size / kernels:.1f} bytes a kernel (launch, all calls and NVTX included)")
END

n=${LAUNCHES:-100000000}
echo "Conservation: $n launches of zero-length kernels, 4 threads"
export SIMGPU_KERNEL_NS=0 SIMGPU_DURATIONS= SIMGPU_GAP_NS=0 SIMGPU_LATENCY_NS=0
begin=$(date +%s%N)
LD_PRELOAD=$PWD/$build/simgpu/libcount.so SIMGPU_COUNTS=$work/counts "$build/baton" record -o "$work/many" -- \
	"$build/simtrain" --host-ns 0 --launches $((n / 4)) --threads 4 >"$work/out" 2>"$work/err"
end=$(date +%s%N)
"$build/baton" dump "$work/many" 2>"$work/err2" | awk -v counts="$work/counts" -v ns=$((end - begin)) '
	BEGIN { while ((getline line < counts) > 0) { split(line, w, " "); if (w[2] == "launches") made += w[4]; if (w[2] == "ops") ran += w[5] } }
	$1 == "call" && /name="cudaLaunchKernel"/ { calls++ }
	$1 == "op" { ops++ }
	/^loss kind=1 what="launches/ { split($NF, v, "="); lost += v[2] }
	/^loss kind=1 what="GPU records"/ { split($NF, v, "="); lost_ops += v[2] }
	/^loss kind=2/ { split($NF, v, "="); in_flight += v[2] }
	END {
		printf "  launched %d = recorded %d + dropped %d: %s\n", made, calls, lost, made == calls + lost ? "exact" : "NOT EXACT"
		printf "  ran %d = recorded %d + dropped %d + in flight %d: %s\n", ran, ops, lost_ops, in_flight, ran == ops + lost_ops + in_flight ? "exact" : "NOT EXACT"
		printf "  %.1f s, %.0f ns a launch, all in\n", ns / 1e9, ns / made
		exit made != calls + lost || ran != ops + lost_ops + in_flight
	}'
