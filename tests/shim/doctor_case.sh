#!/usr/bin/env bash
# What baton doctor says of a machine is what a recording there has: with GPUs, without a driver, without CUPTI, without the recorder,
# without room. It leaves no file.
. tests/cli/lib.sh
preloads simgpu/libcuda.so.1 simgpu/libcupti.so.13 simgpu/libnvidia-ml.so.1
unset BATON_LIB BATON_CUPTI BATON_RING_DIR
export TMPDIR=$work/tmp SIMGPU_MEMORY_MB=256
mkdir "$TMPDIR"
simulated=$PWD/$BUILD/simgpu

expect_line() { # expect_line MARK NAME TEXT: a line of the last output
	checks=$((checks + 1))
	grep -Eq "^$1 +$2 +.*$3" "$work/out" || fail "no line '$1 $2 ... $3' in: $(cat "$work/out")"
}

LD_LIBRARY_PATH=$simulated SIMGPU_DEVICES=3 expect_status 0 "$BATON" doctor
expect_line ok recorder "$PWD/$BUILD/libbaton.so"
expect_line ok driver "CUDA 1[0-9]\\.[0-9], 3 GPUs: Simulated GPU"
expect_line ok recording "a small job was recorded"
expect_line ok "GPU work" "of 3 of 3 GPUs"
expect_line ok "a launch" "takes [0-9.]+ us, recorded [0-9.]+ us: [0-9.]+ us more, without stacks of Python"
expect_line ok "GPU readings" "NVML shows 3 GPUs, driver"
expect_line "(ok|note)" "ring buffers" "MiB free in /dev/shm"
expect_line "(ok|note)" waits ""
expect_line "(ok|note)" "Python lines" ""
expect_line "(ok|note)" cores "for this process"
expect_nothing_in "$TMPDIR"

# Keeps out: a machine on which a limit leaves little, called fine.
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fno-builtin -fPIC -shared -o "$work/fake.so" tests/shim/limits_fake.c || fail "the fake"
LD_LIBRARY_PATH=$simulated FAKE_ROOM=$((4 << 20)) LD_PRELOAD=$work/fake.so expect_status 0 "$BATON" doctor
expect_line note recording "the room in /dev/shm.* leaves the recorder little; .* is recorded with smaller rings"

LD_LIBRARY_PATH=$simulated BATON_CUPTI=none expect_status 4 "$BATON" doctor
expect_line ok recording "a small job was recorded"
expect_line lacks "GPU work" "of 0 of 1 GPUs: CUPTI: BATON_CUPTI=none"

mkdir "$work/alone"
for library in libcuda.so.1 libnvidia-ml.so.1; do
	ln -s "$simulated/$library" "$work/alone"
done
LD_LIBRARY_PATH=$work/alone expect_status 4 "$BATON" doctor
expect_line lacks "GPU work" "of 0 of 1 GPUs: CUPTI: no libcupti found.*a job of PyTorch finds the one that its wheels bring"

LD_LIBRARY_PATH=$simulated BATON_LIB=$work/none.so expect_status 3 "$BATON" doctor
expect_line FAILS recorder "libbaton.so"
expect_prints_not "GPU work"

LD_LIBRARY_PATH=$work expect_status 3 "$BATON" doctor
expect_line FAILS driver "no NVIDIA driver here"
expect_line note "GPU readings" "no NVML"
expect_prints_not "GPU work"

# A driver that answers with an error, as without a device file.
cat >"$work/none.c" <<'C'
int cuInit(unsigned flags) { return (int)flags + 100; }
int cuGetErrorName(int error, const char **name) { *name = error == 100 ? "CUDA_ERROR_NO_DEVICE" : "?"; return 0; }
#define ENTRY(name) int name(void) { return 3; }
ENTRY(cuDriverGetVersion) ENTRY(cuDeviceGetCount) ENTRY(cuDeviceGet) ENTRY(cuDeviceGetName) ENTRY(cuDevicePrimaryCtxRetain)
ENTRY(cuDevicePrimaryCtxRelease_v2) ENTRY(cuCtxSetCurrent) ENTRY(cuMemAlloc_v2) ENTRY(cuMemsetD8_v2) ENTRY(cuCtxSynchronize)
ENTRY(cuMemFree_v2) ENTRY(cuModuleLoadData) ENTRY(cuModuleGetFunction) ENTRY(cuLaunchKernel) ENTRY(cuModuleUnload)
C
mkdir "$work/none"
${CC:-cc} -shared -fPIC -o "$work/none/libcuda.so.1" "$work/none.c" || fail "compiling a driver"
LD_LIBRARY_PATH=$work/none expect_status 3 "$BATON" doctor
expect_line FAILS driver "cuInit: CUDA_ERROR_NO_DEVICE"

TMPDIR=$work/nowhere LD_LIBRARY_PATH=$simulated expect_status 5 "$BATON" doctor
expect_says "$work/nowhere: a small job cannot be recorded there"
expect_status 2 "$BATON" doctor somewhere
finish
