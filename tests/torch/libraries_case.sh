# Every PyTorch under build/torch on the doubles of cuBLAS, cuDNN and NVRTC, as on an A100 and as on an H100. Installs nothing.
set -u
ls -d build/torch/*/torch >/dev/null 2>&1 || { echo "no PyTorch in build/torch: sh tests/torch/install.sh" && exit 77; }
! readelf -d "$PWD/$BUILD/simgpu/libcupti.so.13" | grep -Eq 'lib[at]san' || { echo "the CUPTI double is built with a sanitizer, Python is not" && exit 77; }
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu OMP_NUM_THREADS=1 PYTHONNOUSERSITE=1
err=$(mktemp)
trap 'rm -f "$err"' EXIT
bad=0
for site in build/torch/*/torch/; do # not build/torch/libraries
	site=${site%torch/}
	for capability in 80 90; do
		SIMGPU_CAPABILITY=$capability PYTHONPATH=$site timeout 200 "$PYTHON" tests/torch/libraries_check.py $capability 2>"$err" && continue
		echo "$site, capability $capability, status $?:"
		tail -n 12 "$err"
		bad=1
	done
done
exit $bad
