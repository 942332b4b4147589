#!/bin/sh
# `make bench`: prints the figures that docs/OVERHEAD.md records.
set -eu
cd "$(dirname "$0")/../.."
exec "${PYTHON:-python3}" tools/bench/bench.py --baton "${BATON:-build/release/baton}" --sim "${SIM:-build/release/baton-sim}" "$@"
