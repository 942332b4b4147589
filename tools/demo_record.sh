#!/bin/sh
# The main job from its beginning: three training jobs recorded by libbaton.so, reported, compared. The GPUs are simulated
# (docs/SIMGPU.md), all else is real: processes, threads, the preloaded recorder, the trace files. A cause is planted in
# two of the jobs; the report has to name it first, and the comparison has to add up.
set -eu
cd "$(dirname "$0")/.."
export BATON_PAGER=cat # one command follows the other
build=${BUILD:-build/release}
runs=build/demo/recorded
rm -rf "$runs"
mkdir -p "$runs"

show() {
	printf '\n$ baton'
	for word in "$@"; do printf ' %s' "$word"; done
	printf '\n'
	"$build/baton" "$@"
}

job() { # job GPUS SIMTRAIN-OPTION...
	gpus=$1
	shift
	set -- record -o "$runs/${gpus}gpu" -- "$build/simlaunch" -n "$gpus" -- "$build/simtrain" --steps 60 "$@"
	printf '\n$ baton %s\n' "$*"
	"$build/baton" "$@" >"$runs/out" || { tail -n 5 "$runs/out" && exit 1; }
	tail -n 1 "$runs/out"
	show report "$runs/${gpus}gpu" | sed '/^Where a step goes/,$d'
	echo "...and where a step goes, rank by rank, kernel by kernel: $build/baton report $runs/${gpus}gpu"
}

# Is FINDING the first, or what the first says a late rank spends its time in? Each rank has a loader of its own: where
# they run out of phase, one rank waits for its loader and the other for that rank.
first() { # first GPUS FINDING WHAT-WAS-PLANTED
	found=$("$build/baton" report --json "$runs/${1}gpu" | "${PYTHON:-python3}" -c 'import json, sys
first = (json.load(sys.stdin)["findings"] or [{"id": "none", "evidence": ""}])[0]
late_by = first["id"] == "late_rank" and first["evidence"].split(" ")[0] == sys.argv[1]
print(sys.argv[1] if late_by else first["id"])' "$2")
	[ "$found" != no_core ] || echo "demo: other work takes this machine's cores ($(cut -d' ' -f1 /proc/loadavg) processes want $(nproc)): run it again on a quiet one"
	[ "$found" = "$2" ] || { echo "demo: planted $2 in $runs/${1}gpu, the first finding is $found" && exit 1; }
	echo "Planted: $3. First finding: $found."
}

echo "1, 2 and 4 simulated GPUs under baton record. 1: healthy. 2: a slow data loader. 4: rank 2's GPU is slow."
job 1
job 2 --input-stall 60 --stall-range
first 2 input "a loader that needs 60 ms a batch"
job 4 --slow-rank 2=40
first 4 late_rank "rank 2's kernels have 40 % more blocks"
show compare --html "$runs/compare.html" "$runs/1gpu" "$runs/2gpu" "$runs/4gpu"
"$build/baton" compare --json "$runs/1gpu" "$runs/2gpu" "$runs/4gpu" | "${PYTHON:-python3}" -c 'import json, sys
rows = json.load(sys.stdin)["bridge"]
assert rows and all(row["residual_ns"] == 0 and sum(row["terms_ns"].values()) == row["loss_ns"] for row in rows), rows'
echo "The same as a page for a browser, which needs no network: $runs/compare.html"
