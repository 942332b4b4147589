# Every PyTorch under build/torch with 2 ranks over the NCCL double; nothing may stay in /dev/shm. Installs nothing.
set -u
ls -d build/torch/*/torch >/dev/null 2>&1 || { echo "no PyTorch in build/torch: sh tests/torch/install.sh" && exit 77; }
! readelf -d "$PWD/$BUILD/simgpu/libcupti.so.13" | grep -Eq 'lib[at]san' || { echo "the CUPTI double is built with a sanitizer, Python is not" && exit 77; }
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu OMP_NUM_THREADS=1 PYTHONNOUSERSITE=1 SIMGPU_DEVICES=2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
. tests/double/boards.sh
before=$(boards)
bad=0
for site in build/torch/*/torch/; do # not build/torch/libraries
	site=${site%torch/}
	PYTHONPATH=$site timeout 300 "$PYTHON" -m torch.distributed.run --standalone --nproc-per-node 2 tests/torch/ranks_check.py >"$log" 2>&1
	status=$?
	grep "^PyTorch .* ranks: collectives" "$log" && [ $status = 0 ] && continue
	echo "$site: status $status"
	grep -v "^ *$" "$log" | tail -n 15
	bad=1
done
no_new_board "$before" || bad=1
exit $bad
