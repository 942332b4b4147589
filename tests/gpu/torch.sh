#!/bin/sh
# The programs of tests/torch on this machine's GPU: sh tests/gpu/torch.sh OUT_DIR PART...
#   losses  programs of one loss each, with it and without: are finding, line and size right (tests/torch/losses.py)?
#   kinds   35 kinds of program and three libraries, the same with the recorder and without (tests/torch/kinds_check.py)?
#   ways    windows, graphs, a profiler inside, kills, other frameworks (tests/gpu/run/ways.py)
#   cost    what a step takes without, with, and with torch.profiler (tests/gpu/run/cost.py)
# Status 1 when a part says that something is wrong.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# -ge 2 ] || { echo "usage: torch.sh OUT_DIR losses|kinds|ways|cost..." >&2; exit 2; }
mkdir -p "$1" && out=$(cd "$1" && pwd) || exit 5
shift
cd "$here/../.." || exit 1
for baton in "${BATON:-}" build/gpu-carry/baton build/release/baton; do
	[ -n "$baton" ] && "$baton" --help >/dev/null 2>&1 && break
	baton=
done
[ -n "$baton" ] || { echo "torch.sh: no baton that runs here: make, or tests/gpu/carry_baton.sh" >&2; exit 1; }
BATON=$(cd "$(dirname "$baton")" && pwd)/$(basename "$baton") PYTHON=${PYTHON:-python3}
export BATON PYTHON PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1
ask() { # ask PART
	case $1 in
	losses)
		"$PYTHON" tests/torch/losses.py --keep "$out/losses" log_metrics clip_by_hand micro_batches decode_images slow_workers callbacks \
			evaluates replays slow_function gradient_hook collects_garbage augments rare_checkpoint
		status=$?
		WIDTH=2048 ROWS=8192 "$PYTHON" tests/torch/losses.py --keep "$out/losses" prints_loss copies_back times_layers && return "$status" # a busy GPU
		;;
	kinds)
		"$PYTHON" tests/torch/kinds_check.py "$BATON" "$out/kinds" --jobs 8
		status=$?
		"$PYTHON" tests/torch/kinds_check.py "$BATON" "$out/library_kinds" --jobs 3 --of library_kinds.py && return "$status"
		;;
	ways) "$PYTHON" tests/gpu/run/ways.py "$out/ways" ;;
	cost) "$PYTHON" tests/gpu/run/cost.py "$BATON" "$out" ;;
	*) echo "torch.sh: no part $1" >&2 && return 2 ;;
	esac
}
rm -f "$out/wrong"
for part; do
	{ ask "$part" || echo "$part" >>"$out/wrong"; } 2>&1 | tee "$out/$part.txt"
done
[ ! -e "$out/wrong" ]
