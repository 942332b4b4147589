#!/usr/bin/env bash
# Real PyTorch on the doubles of CUDA's libraries: forward lines of what backward launches, the optimizer's steps, a slow data set
# that is input. Needs build/torch/RELEASE (tests/torch/install.sh) and the doubles that PyTorch loads.
. tests/cli/lib.sh
preloads simgpu/libcublasLt.so.13
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=2048 OMP_NUM_THREADS=1
tried=0
for site in build/torch/*/torch/; do # not build/torch/libraries
	site=${site%torch/}
	PYTHONPATH=$PWD/$site timeout 60 "$PYTHON" -c 'import torch; torch.zeros(1).to("cuda")' >"$work/out" 2>"$work/err" || continue
	tried=$((tried + 1))
	rm -rf "$work/trace"
	PYTHONPATH=$PWD/$site expect_status 0 "$BATON" record -o "$work/trace" -- "$PYTHON" tests/shim/torch_job.py
	expect_prints done
	checks=$((checks + 1))
	"$BATON" dump --json "$work/trace" | "$PYTHON" tests/shim/torch_check.py >"$work/why" 2>&1 || fail "$site: $(cat "$work/why")"
	expect_status 0 "$BATON" report --json "$work/trace"
	expect_true 'd["run"]["step_source"] == "optimizer" and d["run"]["steps"] == 9'
	expect_true 'd["devices"][0]["time_ns"]["idle.host.input"] > 0'
done
[ "$tried" -gt 0 ] || skip "no PyTorch under build/torch that runs here"
finish "$tried releases"
