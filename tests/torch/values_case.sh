# Small values that pass through kernels, and loops that end by them, as every PyTorch under build/torch computes them on the CPU. Installs nothing.
set -u
ls -d build/torch/*/torch >/dev/null 2>&1 || { echo "no PyTorch in build/torch: sh tests/torch/install.sh" && exit 77; }
! readelf -d "$PWD/$BUILD/simgpu/libcupti.so.13" | grep -Eq 'lib[at]san' || { echo "the CUPTI double is built with a sanitizer, Python is not" && exit 77; }
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu OMP_NUM_THREADS=1 PYTHONNOUSERSITE=1
bad=0
for site in build/torch/*/torch/; do # not build/torch/libraries
	site=${site%torch/}
	for check in values random decoding; do
		PYTHONPATH=$site timeout 200 "$PYTHON" tests/torch/${check}_check.py || { echo "$site, $check: status $?" && bad=1; }
	done
done
exit $bad
