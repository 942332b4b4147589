#!/usr/bin/env bash
# The doubles of cuBLAS, cuBLASLt, cuDNN, cuFFT and NVRTC: kernels by name and count, workspaces, statuses (libraries.c); every exported
# function refuses to be called with nothing; names are what a demangler can read.
set -u
lib=$PWD/$BUILD/simgpu
[ -e "$lib/libcublas.so.13" ] || { echo "no doubles built" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Itools/simgpu -o "$work/libraries" tests/double/libraries*.c \
	-L"$lib" -l:libcuda.so.1 -ldl -pthread || exit 1
export LD_LIBRARY_PATH=$lib SIMGPU_KERNEL_NS=2000
bad=0
for major in 12 13; do
	for capability in 80 90; do
		NAMES=$work/kernels SIMGPU_CAPABILITY=$capability timeout 60 "$work/libraries" $major || { echo "CUDA $major, $capability: status $?"; bad=1; }
	done
done
c++filt <"$work/kernels" | grep "^_Z" && { echo "names that no demangler reads"; bad=1; }
[ "$(sort -u "$work/kernels" | wc -l)" -gt 30 ] || { echo "too few kernels"; bad=1; }
for name in libcublas.so.12 libcublas.so.13 libcublasLt.so.12 libcublasLt.so.13 libcudnn.so.9 libcufft.so.11 libcufft.so.12 libnvrtc.so.12 libnvrtc.so.13; do
	nm -D --defined-only "$lib/$name" | awk '$2 == "T" {sub("@.*", "", $3); print $3}' >"$work/names"
	timeout 60 "$work/libraries" $name zeros <"$work/names" 2>"$work/said" || { echo "$name with zeros: status $?"; tail -n 3 "$work/said"; bad=1; }
done
exit $bad
