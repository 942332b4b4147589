#!/bin/sh
# Installs what reads tables, pinned, under build/tools/tables: DuckDB, pandas, Polars, Dask and pyarrow (500 MB), and hyparquet from npm.
# What is there already is kept. Wants network. With spark: pyspark too (520 MB), which wants Java 17 or later.
#   sh tests/tools/install_tables.sh [spark]
# Status: 0 it is there, 1 it cannot be had, 2 usage.
set -u
cd "$(dirname "$0")/../.." || exit 1
PYTHON=${PYTHON:-python3}
packages="duckdb==2.0.0 pandas==3.1.1 polars==2.1.0 dask[dataframe]==2026.8.0 pyarrow==26.0.1 setuptools==80.9.0 wheel==0.45.1"
modules="hyparquet@1.31.5 hyparquet-compressors@1.1.2"
spark="pyspark==4.3.0"
to=build/tools/tables

pip() { "$to/bin/pip" install --quiet --disable-pip-version-check --no-input --retries 1 --timeout 20 "$@" >>"$to.log" 2>&1; }
node_modules() {
	cd "$to" && echo '{"private":true,"type":"module"}' >package.json &&
		npm install --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries 1 $modules
}
readers() {
	[ "$(cat "$to/installed" 2>/dev/null)" = "$packages $modules" ] && return 0
	rm -rf "$to" "$to.log"
	mkdir -p "$to"
	if "$PYTHON" -m venv "$to" >/dev/null 2>&1 && pip $packages && (node_modules) >>"$to.log" 2>&1; then
		echo "$packages $modules" >"$to/installed"
		return 0
	fi
	rm -rf "$to"
	echo "cannot have $packages $modules: no venv, no network, no npm, or no such wheel for this Python"
	return 1
}
with_spark() {
	java -version 2>&1 | grep -qE 'version "(1[7-9]|[2-9][0-9])' || { echo "no Java 17 or later, in which Spark runs" && return 1; }
	[ "$(cat "$to/spark" 2>/dev/null)" = "$spark" ] && return 0
	pip "$spark" || { echo "cannot have $spark: no network" && return 1; }
	echo "$spark" >"$to/spark"
}

case ${1:-} in
'') readers ;;
spark) readers && with_spark ;;
*) echo "usage: install_tables.sh [spark]" && exit 2 ;;
esac
