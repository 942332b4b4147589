# Every PyTorch that tests/torch/install.sh has put under build/torch, unmodified, on the doubles: import, copies, kernels
# by name, autograd, optimizers, graphs, allocators. Installs nothing.
set -u
lib=$PWD/$BUILD/simgpu
ls -d build/torch/*/torch >/dev/null 2>&1 || { echo "no PyTorch in build/torch: sh tests/torch/install.sh" && exit 77; }
! readelf -d "$lib/libcupti.so.13" | grep -Eq 'lib[at]san' || { echo "the CUPTI double is built with a sanitizer, Python is not" && exit 77; }
export SIMGPU_DEVICES=2 SIMGPU_MEMORY_MB=4096 LD_LIBRARY_PATH=$lib OMP_NUM_THREADS=1 PYTHONNOUSERSITE=1
err=$(mktemp)
trap 'rm -f "$err"' EXIT
bad=0
check() { # check SITE ALLOCATOR [CHECK]...
	local site=$1
	PYTORCH_CUDA_ALLOC_CONF=$2 PYTHONPATH=$site timeout 120 "$PYTHON" tests/torch/import_check.py "${@:3}" 2>"$err" && return
	echo "$site, allocator '$2', status $?:"
	tail -n 12 "$err"
	bad=1
}
for site in build/torch/*/torch/; do # not build/torch/libraries
	site=${site%torch/}
	check "$site" ""
	check "$site" expandable_segments:True copies memory
	check "$site" backend:cudaMallocAsync copies training
done
exit $bad
