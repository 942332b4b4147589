#!/bin/sh
# Installs what `make bench-scale` runs beside baton, pinned, under build/tools: HolisticTraceAnalysis (hta, 500 MB), and DuckDB
# with its extension for SQLite, which is not there for the newest DuckDB (duckdb-sqlite). What is there already is kept. Wants
# network. install_tables.sh has the rest. HTA 0.5.0 fails with pandas 3 on more than 32,767 events.
#   sh tests/tools/install_others.sh hta|duckdb-sqlite
# Status: 0 it is there, 1 it cannot be had, 2 usage.
set -u
cd "$(dirname "$0")/../.." || exit 1
PYTHON=${PYTHON:-python3}
case ${1:-} in
hta) packages="HolisticTraceAnalysis==0.5.0 pandas==2.3.3 numpy==2.3.5" ;;
duckdb-sqlite) packages="duckdb==1.4.4 duckdb-ext-sqlite==1.4.4.20260205 numpy==2.4.6" ;;
*) echo "usage: install_others.sh hta|duckdb-sqlite" && exit 2 ;;
esac
to=build/tools/$1
[ "$(cat "$to/installed" 2>/dev/null)" = "$packages" ] && exit 0
rm -rf "$to"
mkdir -p build/tools
if "$PYTHON" -m venv "$to" >/dev/null 2>&1 &&
	"$to/bin/pip" install --quiet --disable-pip-version-check --no-input --retries 1 --timeout 20 $packages >"$to.log" 2>&1; then
	echo "$packages" >"$to/installed"
	exit 0
fi
rm -rf "$to"
echo "cannot have $packages: no venv, no network, or no such wheel for this Python"
exit 1
