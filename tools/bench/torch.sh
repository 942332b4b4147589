#!/bin/sh
# What recording costs a PyTorch program on the CPU, per launch and per training step: off, on, on without stacks, torch.profiler; a process each,
# in turn. The GPU is simulated: its side of the cost (CUPTI's own work) is the double's, not NVIDIA's. docs/OVERHEAD.md records it.  PAIRS=20
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build/release} python=${PYTHON:-python3} release=${TORCH_RELEASE:-2.15.0}
sh tests/torch/install.sh "$release" >/dev/null || { echo "bench-torch: PyTorch $release could not be installed" && exit 77; }
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | sed 's/^ //'), $(nproc) cores, Linux $(uname -r), PyTorch $release"
export LD_LIBRARY_PATH="$PWD/$build/simgpu" PYTHONPATH="$PWD/build/torch/$release" OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
"$python" tools/bench/torch_loop.py --compare --pairs "${PAIRS:-20}" --baton "$build/baton"
