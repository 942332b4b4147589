#!/usr/bin/env bash
# 256 threads that launch at once, more than CUPTI has buffers for: every launch and every GPU record is there or counted as dropped.
# Keeps out: dropped records of CUPTI's own overhead, counted as the job's work.
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13 simgpu/libcount.so
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu
cat >"$work/many.c" <<'C'
#include <pthread.h>
#include <stdlib.h>

int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuCtxSetCurrent(void *), cuCtxSynchronize(void);
int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

static void *context, *function;
static int launches;

static void *launch(void *unused)
{
	cuCtxSetCurrent(context);
	for (int i = 0; i < launches; i++)
		cuLaunchKernel(function, 8, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[256];
	void *module;
	launches = argc > 1 ? atoi(argv[1]) : 1;
	cuInit(0);
	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	cuModuleLoadData(&module, "");
	cuModuleGetFunction(&function, module, "a_kernel");
	for (int i = 0; i < 256; i++)
		pthread_create(&threads[i], NULL, launch, NULL);
	for (int i = 0; i < 256; i++)
		pthread_join(threads[i], NULL);
	return cuCtxSynchronize();
}
C
${CC:-gcc} -O1 -o "$work/many" "$work/many.c" "$BUILD/simgpu/libcuda.so.1" -lpthread || fail "the program"
for launches in 150 300; do
	rm -rf "$work/run" "$work/counts"
	expect_status 0 "$BATON" record -o "$work/run" -- env SIMGPU_COUNTS="$work/counts" \
		bash -c "LD_PRELOAD=\$LD_PRELOAD:$PWD/$BUILD/simgpu/libcount.so exec $work/many $launches"
	checks=$((checks + 1))
	"$BATON" dump --json "$work/run" >"$work/dump"
	# launches may find their rings full on a machine that is busy, or not
	"$PYTHON" tests/shim/conserved.py --ops-may-drop "$work/counts" <"$work/dump" >"$work/why" ||
		"$PYTHON" tests/shim/conserved.py --ops-may-drop --drops "$work/counts" <"$work/dump" >"$work/why" || fail "$(cat "$work/why")"
done
finish "$(cat "$work/why")"
