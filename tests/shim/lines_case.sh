#!/usr/bin/env bash
# Every call row carries the Python line of its call, not only launches: what synchronises, copies, allocates, frees, launches a
# graph or calls NCCL can be named. `--stacks off` leaves all of them out.
. tests/cli/lib.sh
case ${BUILD:=build/release} in *san-*) skip "a preloaded library cannot bring a sanitizer's runtime" ;; esac
for needed in libcudart.so.13 libnccl.so.2 libcupti.so.13; do
	[ -e "$BUILD/simgpu/$needed" ] || skip "not built: $BUILD/simgpu/$needed (make doubles simtrain cupti)"
done
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=256

recorded() { # recorded STACKS [off]
	expect_status 0 "$BATON" record -s "$1" -o "$work/$1" -- "$PYTHON" tests/shim/lines.py
	checks=$((checks + 1))
	"$BATON" dump --json "$work/$1" | "$PYTHON" tests/shim/lines_check.py ${2:-} >"$work/why" || fail "$1: $(cat "$work/why")"
}

recorded python
recorded off off
finish
