#!/bin/sh
# `make bench-page`: the pages of a run of PAGE_RANKS ranks (960) x 903 kernels x 50 steps: bytes, first paint, how long an interaction
# takes until the next frame is drawn; docs/PAGE.md records its figures. PAGE_RUN=DIR: that run instead of a simulated one.
set -eu
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build/release}
sh tests/page/install.sh >/dev/null || { sh tests/page/install.sh | tail -n 1; exit 1; }
chromium=$(sh tests/page/install.sh | tail -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run=${PAGE_RUN:-}
if [ -z "$run" ]; then
	run=$work/run
	"$build/baton-sim" -o "$run" --ranks "${PAGE_RANKS:-960}" --steps 50 --kernels 903 --nvtx on --threads "$(nproc)" --fault slow_gpu=20@17
fi
"$build/baton" report "$run" --html "$work/report.html" >/dev/null
"$build/baton" compare "$run" "$run" --html "$work/compare.html" >/dev/null
"$build/baton" jitter "$run" --html "$work/jitter.html" >/dev/null
grep -m 1 'model name' /proc/cpuinfo | sed 's/.*: //; s/$/, '"$(nproc)"' cores/'
node tools/bench/page.mjs "$PWD/build/page-tests/node_modules" "$chromium" "$work"/report.html "$work"/compare.html "$work"/jitter.html
"${PYTHON:-python3}" tools/bench/page_others.py "$build" "$work"
