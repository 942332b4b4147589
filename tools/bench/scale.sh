#!/bin/sh
# `make bench-scale`: a run of BENCH_RANKS ranks (960) made, reduced, measured; then other tools on a run of BENCH_OTHERS ranks (48;
# 0: none). docs/OVERHEAD.md records its figures.
set -eu
cd "$(dirname "$0")/../.."
exec "${PYTHON:-python3}" tools/bench/scale.py --build "${BUILD:-build/release}" --ranks "${BENCH_RANKS:-960}" \
	--others "${BENCH_OTHERS:-48}" "$@"
