# What PyTorch calls of the driver and the runtime beside what double.c tests (pytorch.c).
set -u
lib=$PWD/$BUILD/simgpu
[ -e "$lib/libcuda.so.1" ] || { echo "no doubles built" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Itools/simgpu -o "$work/pytorch" tests/double/pytorch.c -L"$lib" \
	-l:libcudart.so.13 -l:libcuda.so.1 -Wl,-rpath,"$lib" || exit 1
SIMGPU_DEVICES=2 SIMGPU_MEMORY_MB=64 SIMGPU_ZERO_BYTES=64 timeout 60 "$work/pytorch" 2>"$work/err" || { cat "$work/err" && exit 1; }
# Keeps out: a call that fails without a word.
grep -qx 'simgpu: cuMulticastCreate is not modelled, it fails (801)' "$work/err" || { echo "stderr: $(cat "$work/err")" && exit 1; }
