#!/bin/sh
# Measures CUDA and CUPTI on this machine: sh tools/probe/run.sh OUT_DIR [options of the probe]
# Needs a C compiler and an NVIDIA driver, nothing else. Leaves OUT_DIR/probe.json, table.txt, probe.log
# and fixtures.tar.gz. Takes about two minutes, never more than five. Status 77: there is no GPU here.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# -ge 1 ] || { echo "usage: run.sh OUT_DIR [options of the probe]" >&2; exit 2; }
out=$1
shift
mkdir -p "$out" || exit 5
out=$(cd "$out" && pwd) || exit 5
built=$(mktemp -d) || exit 1
trap 'rm -rf "$built"' EXIT
trap 'exit 1' HUP INT TERM
sources=
for source in "$here"/*.c; do
	[ "${source##*/}" = fixture_dump.c ] || sources="$sources $source"
done
# shellcheck disable=SC2086 # a list
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -Wall -pthread -o "$built/probe" $sources -ldl || exit 1

# where Python keeps its wheels, CUPTI's among them
PROBE_PYTHON_PREFIX=${PROBE_PYTHON_PREFIX:-$(python3 -c 'import sys; print(sys.prefix)' 2>/dev/null)}
export PROBE_PYTHON_PREFIX
cd "$here/../.." || exit 1 # build/gpu-carry is found from here
timeout 295 "$built/probe" "$out" "$@"
status=$?
if [ -n "$(ls -A "$out/fixtures" 2>/dev/null)" ]; then
	tar -C "$out" -czf "$out/fixtures.tar.gz" fixtures || exit 5
	[ "$(wc -c <"$out/fixtures.tar.gz")" -le 1000000 ] || echo "run.sh: fixtures.tar.gz is above 1 MB" >&2
	ls -l "$out/fixtures.tar.gz" >&2
fi
rm -rf "$out/fixtures"
exit "$status"
