#!/bin/sh
# Real PyTorch under baton record, on 1, 2 and 4 simulated GPUs (docs/SIMGPU.md): a small GPT-2, data-parallel, by the real torchrun. In the run
# on 4, rank 2 sleeps 40 ms a step. Three screens: where a step goes, which lines of the script it goes to, why 4 GPUs are not 4 times one.
# Kernels compute nothing here, so every loss printed is 0. PyTorch is installed without CUDA (1.3 GB under build/torch) when it is not there.
set -eu
cd "$(dirname "$0")/.."
export BATON_PAGER=cat # one command follows the other
build=${BUILD:-build/release} python=${PYTHON:-python3} release=${TORCH_RELEASE:-2.15.0}
runs=build/demo/torch
rm -rf "$runs"
mkdir -p "$runs"
[ -d "build/torch/$release" ] || echo "PyTorch $release is not in build/torch: installing it there (PyTorch alone, no CUDA libraries; some minutes)"
sh tests/torch/install.sh "$release" >"$runs/install" 2>&1 ||
	{ tail -n 3 "$runs/install" && echo "demo-torch: PyTorch $release could not be installed" && exit 77; }
export LD_LIBRARY_PATH="$PWD/$build/simgpu" PYTHONPATH="$PWD/build/torch/$release" SIMGPU_DEVICES=4 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1

show() {
	printf '\n$ baton'
	for word in "$@"; do printf ' %s' "$word"; done
	printf '\n'
	"$build/baton" "$@"
}

job() { # job GPUS OPTION...
	gpus=$1
	shift
	printf '\n$ baton record -o %s -- torchrun --standalone --nproc-per-node=%s gpt2.py%s\n' "$runs/${gpus}gpu" "$gpus" "${*:+ $*}"
	"$build/baton" record -o "$runs/${gpus}gpu" -- "$python" -m torch.distributed.run --standalone --nproc-per-node="$gpus" \
		tests/torch/programs/gpt2.py --steps 24 "$@"
}

job 1
job 2
job 4 --slow-rank 2=40
echo
echo "---- 1: where a step goes"
show report "$runs/4gpu"
echo
echo "---- 2: which lines it goes to"
if "$build/baton" report --help | grep -q -- '--by '; then
	show report --by line "$runs/4gpu"
else
	echo "(this baton has no report --by line)"
fi
echo
echo "---- 3: why 4 GPUs are not 4 times one"
show compare "$runs/1gpu" "$runs/2gpu" "$runs/4gpu"
first=$("$build/baton" report --json "$runs/4gpu" | "$python" -c 'import json, sys
found = json.load(sys.stdin)["findings"]
print(found[0]["id"] if found else "none")')
echo
echo "Planted: rank 2 of 4 sleeps 40 ms a step. First finding: $first."
[ "$first" = late_rank ]
