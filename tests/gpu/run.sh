#!/bin/sh
# baton on this machine's GPU, in one command: sh tests/gpu/run.sh OUT_DIR [--simulated] [--pairs N] [--no-torch]
# Needs a C compiler, Python 3 and an NVIDIA driver; no toolkit, no network. Uses build/release/baton, or what carry_baton.sh packed
# into build/gpu-carry, else builds it. Ten minutes at most. Status 77: there is no GPU here. --simulated proves the harness, nothing else.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
[ $# -ge 1 ] || { echo "usage: run.sh OUT_DIR [--simulated] [--pairs N] [--no-torch]" >&2; exit 2; }
cd "$here/../.." || exit 1
built=$(mktemp -d) || exit 1
trap 'rm -rf "$built"' EXIT
trap 'exit 1' HUP INT TERM
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -Wall -Itools/probe -o "$built/job" "$here"/run/*.c tools/probe/driver.c tools/probe/kernels.c -ldl || exit 1
for baton in "${BATON:-}" build/release/baton build/gpu-carry/baton; do
	[ -n "$baton" ] && "$baton" --help >/dev/null 2>&1 && break
	baton=
done
[ -n "$baton" ] || { make -j2 all >&2 && baton=build/release/baton; } || exit 1
BATON=$(cd "$(dirname "$baton")" && pwd)/$(basename "$baton") GPU_JOB=$built/job
export BATON GPU_JOB PYTHONDONTWRITEBYTECODE=1 NO_COLOR=1
timeout 600 "${PYTHON:-python3}" "$here/run/run.py" "$@"
