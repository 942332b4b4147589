#!/usr/bin/env bash
# Jobs that use CUDA and leave no trace: the line at the end says so. Keeps out: "the job made no CUDA call" of a job that made some.
. tests/cli/lib.sh
preloads simtrain simgpu/libcuda.so.1
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu
cat >"$work/deep.c" <<'C' # a driver that binds its symbols to itself: no wrapper sees its launches
#define _GNU_SOURCE
#include <dlfcn.h>
int main(void)
{
	void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_DEEPBIND);
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(cuda, "cuInit");
	return init ? init(0) : 9;
}
C
${CC:-gcc} -Wall -o "$work/deep" "$work/deep.c" -ldl || fail "the program"

expect_status 0 env BATON_CUPTI=none "$BATON" record -o "$work/deep.run" -- "$work/deep"
expect_says "launches are recorded, GPU work is not" "nothing recorded: 1 process used CUDA and could not be recorded (see above)"
expect_nothing_in "$work/deep.run"
expect_status 0 "$BATON" record -o "$work/limit" -- bash -c "ulimit -f 3000; $BUILD/simtrain --steps 2; $BUILD/simtrain --steps 2"
expect_says "is not recorded" "nothing recorded: 2 processes used CUDA and could not be recorded (see above)"
expect_nothing_in "$work/limit"
expect_status 0 "$BATON" record -o "$work/none" -- true
expect_says "nothing recorded: the job made no CUDA call"
finish
