#!/usr/bin/env bash
# nsys-ai on what `export --format nsys-sqlite` writes: the kernels of each device; idle, compute, NCCL and overlap of device 0, beside
# plain sums over the file (tests/tools/nsys_ai.py). It takes 300 MB, so it is installed only with BATON_NSYS_AI=1.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -e build/tools/nsys-ai/installed ] || [ "${BATON_NSYS_AI:-}" = 1 ] || skip "nsys-ai is not here: BATON_NSYS_AI=1 installs it (300 MB)"
sh tests/tools/install_tools.sh nsys-ai >"$work/why" || skip "$(tail -n 1 "$work/why")"
beside() { expect_status "$1" "$PYTHON" tests/tools/nsys_ai.py build/tools/nsys-ai/bin/nsys-ai "$2"; }

expect_status 0 "$sim" -o "$work/run" --workload ddp --ranks 2 --steps 4
expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/run.sqlite" "$work/run"
beside 0 "$work/run.sqlite"
said=$(head -n 1 "$work/out")
# The same of a real file, through baton.
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	imported "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" "$work/h100"
	expect_status '0|4' "$BATON" export --format nsys-sqlite -o "$work/h100.sqlite" "$work/h100"
	beside 0 "$work/h100.sqlite"
fi
finish "$said"
