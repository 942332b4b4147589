#!/bin/sh
# The programs of tests/torch on this machine's GPU: sh tests/gpu/torch.sh OUT_DIR PART...
#   losses  programs of one loss each, with it and without: are finding, line and size right (tests/torch/losses.py)?
#   kinds   36 kinds of program and three libraries, the same with the recorder and without (tests/torch/kinds_check.py)?
#   ways    windows, graphs, a profiler inside, kills, other frameworks (tests/gpu/run/ways.py)
#   cost    what a step takes without, with, and with torch.profiler (tests/gpu/run/cost.py)
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# -ge 2 ] || { echo "usage: torch.sh OUT_DIR losses|kinds|ways|cost..." >&2; exit 2; }
mkdir -p "$1" && out=$(cd "$1" && pwd) || exit 5
shift
cd "$here/../.." || exit 1
for baton in "${BATON:-}" build/gpu-carry/baton build/release/baton; do
	[ -n "$baton" ] && "$baton" --help >/dev/null 2>&1 && break
done
BATON=$(cd "$(dirname "$baton")" && pwd)/$(basename "$baton") PYTHON=${PYTHON:-python3}
export BATON PYTHON PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1
for part; do
	case $part in
	losses)
		"$PYTHON" tests/torch/losses.py --keep "$out/losses" log_metrics clip_by_hand micro_batches decode_images slow_workers callbacks \
			evaluates replays slow_function gradient_hook collects_garbage augments rare_checkpoint
		WIDTH=2048 ROWS=8192 "$PYTHON" tests/torch/losses.py --keep "$out/losses" prints_loss copies_back times_layers # waits for a busy GPU
		;;
	kinds)
		"$PYTHON" tests/torch/kinds_check.py "$BATON" "$out/kinds" --jobs 8
		"$PYTHON" tests/torch/kinds_check.py "$BATON" "$out/library_kinds" --jobs 3 --of library_kinds.py
		;;
	ways) "$PYTHON" tests/gpu/run/ways.py "$out/ways" ;;
	cost) "$PYTHON" tests/gpu/run/cost.py "$BATON" "$out" ;;
	*) echo "torch.sh: no part $part" >&2; exit 2 ;;
	esac 2>&1 | tee "$out/$part.txt"
done
