#!/usr/bin/env bash
# NVIDIA's own `nsys stats` on files that baton exports: every report gives rows, and each cell equals that of `baton stats` of the run
# that was exported (nsys_stats.py; docs/COMPATIBILITY.md). NSYS: the program; it is never part of this repository.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
nsys=${NSYS:-$(type -P nsys)} || skip "no nsys here (2023.4 of nsight-systems-target is enough); NSYS=PATH names one"
"$nsys" --version >"$work/version" 2>&1 || skip "$nsys does not run"
told=$(grep -o '[0-9]\{4\}\.[0-9.]*' "$work/version" | head -n 1)
case $told in
2023.4*) ;;
*) skip "nsys ${told:-of an unknown version}: how its tables differ from ours is known of 2023.4 only" ;;
esac

beside() { # beside RUN FILE
	expect_status 0 "$PYTHON" tests/cli/nsys_stats.py "$nsys" "$BATON" "$1" "$2"
	cat "$work/out"
	expect_prints "reports of nsys with rows: 17 of 17"
}
without_added() { # without_added FILE: the ranges of NCCL that an export adds to a recording, which the recording has not
	"$PYTHON" -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    n = db.execute("DELETE FROM NVTX_EVENTS WHERE category = 1650553967").rowcount
sys.exit(n == 0)' "$1" || fail "no ranges of NCCL in $1"
}
for workload in ddp resnet; do
	expect_status 0 "$sim" -o "$work/$workload" --workload $workload --ranks 2 --steps 3
	expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/$workload.sqlite" "$work/$workload"
	without_added "$work/$workload.sqlite"
	beside "$work/$workload" "$work/$workload.sqlite"
done
# One rank alone: no correlation id is moved.
mkdir "$work/first"
cp "$(ls "$work"/ddp/*.baton | head -n 1)" "$work/first"
expect_status 0 "$BATON" export --format nsys-sqlite --one-per-rank -o "$work/ranks" "$work/first"
without_added "$work/ranks/rank000.sqlite"
beside "$work/first" "$work/ranks/rank000.sqlite"
expect_prints_not "ids of later processes"
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	expect_status 0 "$BATON" import "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" -o "$work/h100"
	expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/h100.sqlite" "$work/h100"
	beside "$work/h100" "$work/h100.sqlite"
fi
finish "nsys $told"
