#!/bin/sh
# Installs what reads tables, pinned, under build/tools/tables: DuckDB, pandas, Polars, Dask and pyarrow (500 MB), and hyparquet from npm.
# What is there already is kept. Wants network.
#   sh tests/tools/install_tables.sh
# Status: 0 it is there, 1 it cannot be had.
set -u
cd "$(dirname "$0")/../.." || exit 1
PYTHON=${PYTHON:-python3}
packages="duckdb==2.0.0 pandas==3.1.1 polars==2.1.0 dask[dataframe]==2026.8.0 pyarrow==26.0.1 setuptools==80.9.0 wheel==0.45.1"
modules="hyparquet@1.31.5 hyparquet-compressors@1.1.2"
to=build/tools/tables
[ "$(cat "$to/installed" 2>/dev/null)" = "$packages $modules" ] && exit 0
rm -rf "$to"
mkdir -p "$to"
if "$PYTHON" -m venv "$to" >/dev/null 2>&1 &&
	"$to/bin/pip" install --quiet --disable-pip-version-check --no-input --retries 1 --timeout 20 $packages >"$to.log" 2>&1 &&
	(cd "$to" && echo '{"private":true,"type":"module"}' >package.json &&
		npm install --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries 1 $modules) >>"$to.log" 2>&1; then
	echo "$packages $modules" >"$to/installed"
	exit 0
fi
rm -rf "$to"
echo "cannot have $packages $modules: no venv, no network, no npm, or no such wheel for this Python"
exit 1
