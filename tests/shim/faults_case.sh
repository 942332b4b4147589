#!/usr/bin/env bash
# The job never dies of the recorder: the Nth call of every function that libbaton.so makes fails, in every kind of job. All of them
# with FAULTS=all (half an hour); otherwise the first, the last and, of those that a recording begins with, some between.
. tests/cli/lib.sh
preloads simtrain simgpu/libcupti.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu
unset BATON_OUT BATON_TRACE BATON_STACKS BATON_WINDOW BATON_VERBOSE
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fno-builtin -fno-optimize-sibling-calls -fPIC -shared \
	-o "$work/inject.so" tests/shim/inject.c -ldl || fail "the injector"
checks=1
"$PYTHON" tests/shim/faults.py "$BUILD" "$work/inject.so" "$work" ${FAULTS:-some} >"$work/faults" || fail "$(cat "$work/faults")"
finish "$(tail -n 1 "$work/faults")"
