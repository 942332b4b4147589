#!/usr/bin/env bash
# The tools for which tables are made (tests/tools/tables.py): pyarrow reads every cell of the Parquet and Arrow files as it is in the CSV files;
# every query of docs/NOTEBOOKS.md (DuckDB, pandas, Polars, Dask, hyparquet) gives what `baton report --json` says; the Python package
# is built, installed, and gives the same by each library. Skipped where they cannot be had. With BATON_SPARK=1 Spark too (520 MB,
# Java 17, a minute).
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
case ${BUILD:-} in *san-*) skip "cli/tables writes the same tables under the sanitizers" ;; esac
command -v node >/dev/null || skip "no node: hyparquet runs in it"
spark=
[ "${BATON_SPARK:-}" = 1 ] && spark=spark
sh tests/tools/install_tables.sh $spark >"$work/why" || skip "$(tail -n 1 "$work/why")"
python=$PWD/build/tools/tables/bin/python
said=

# Keeps out: cells that another reader sees differently, row groups that end early, unsigned columns.
expect_status 0 "$sim" -o "$work/run" --workload ddp --ranks 2 --steps 4
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/run" '*:1:1980:0' || fail "gauges_made.py"
for partition in step rank none; do
	expect_status 0 "$BATON" export --format csv --partition $partition -o "$work/csv.$partition" "$work/run"
	expect_status 0 "$BATON" export --format parquet --partition $partition -o "$work/parquet.$partition" "$work/run"
	expect_status 0 "$python" tests/tools/tables.py same "$work/csv.$partition" "$work/parquet.$partition"
	[ $partition = rank ] && continue
	expect_status 0 "$BATON" export --format arrow --partition $partition -o "$work/arrow.$partition" "$work/run"
	expect_status 0 "$python" tests/tools/tables.py same "$work/csv.$partition" "$work/arrow.$partition"
	said="$said${said:+; }$(cat "$work/out")"
done
if [ -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ]; then
	expect_status 0 "$BATON" import "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" -o "$work/nsys"
	expect_status 0 "$BATON" export --format csv -o "$work/csv.nsys" "$work/nsys"
	expect_status 0 "$BATON" export --format parquet -o "$work/parquet.nsys" "$work/nsys"
	expect_status 0 "$python" tests/tools/tables.py same "$work/csv.nsys" "$work/parquet.nsys"
	said="$said; $(cat "$work/out")"
fi
# The comparison can fail: the tables of another step range.
expect_status 0 "$BATON" export --format csv --steps none -o "$work/csv.other" "$work/run"
expect_status 1 "$python" tests/tools/tables.py same "$work/csv.other" "$work/parquet.step"

# Keeps out: a page whose queries do not run, or answer something else.
mv "$work/parquet.step" "$work/tables"
expect_status 0 "$python" tests/tools/tables.py queries "$BATON" "$work/run" "$work/tables"
said="$said; $(cat "$work/out")"
if [ "$spark" ]; then # it asks the machine's own name for its address, which need not resolve, and divides a sum by 200 unless told
	export SPARK_LOCAL_IP=127.0.0.1
	export PYSPARK_SUBMIT_ARGS="--conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=1 --conf spark.driver.host=127.0.0.1 pyspark-shell"
	expect_status 0 "$python" tests/tools/tables.py spark "$BATON" "$work/run" "$work/tables"
	said="$said; $(tail -n 1 "$work/out")"
fi
expect_status 0 "$sim" -o "$work/fsdp" --workload fsdp --ranks 2 --steps 4 --seed 3
expect_status 1 "$python" tests/tools/tables.py queries "$BATON" "$work/fsdp" "$work/tables"

# The package, as a wheel.
expect_status 0 "$python" tests/tools/tables.py package "$BATON" "$work/run" "$work/csv.step" "$work/tables" "$work/parquet.none" "$work/arrow.step"
said="$said; $(cat "$work/out")"
cp -r tools/python "$work/source"
expect_status 0 "$python" -m pip wheel --quiet --no-deps --no-build-isolation --no-index -w "$work/wheel" "$work/source"
expect_status 0 "$python" -m pip install --quiet --no-deps --no-index --target "$work/site" "$work"/wheel/baton_tables-*.whl
expect_status 0 env PYTHONPATH="$work/site" "$PYTHON" -c 'import sys, baton; print(baton.open(sys.argv[1]).kernels)' "$work/tables"
expect_prints "<baton table kernels: "

# Texts that would break a line, a terminal or a spreadsheet are here as they are. (Of bytes that are no UTF-8 the import makes others.)
cat >"$work/hostile.py" <<'P'
import json, subprocess, sys
sys.path.insert(0, "tools/python")
import baton as tables
baton, work = sys.argv[1:]
names = ['say "hi", you', "two\nlines", "\x1b[31m", "=cmd()", "\u2028", "x" * 20000, "*bad*", "", "a,b"]
events = [{"ph": "X", "cat": "kernel", "name": n, "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
           "args": {"device": 0, "stream": 7, "correlation": i + 1}} for i, n in enumerate(names)]
text = json.dumps({"traceEvents": events}).encode().replace(b"*bad*", b"bad \xff\xc0\x80")
open(f"{work}/hostile.json", "wb").write(text)
for command in (["import", f"{work}/hostile.json", "-o", f"{work}/hostile"],
                ["export", "--format", "parquet", "-o", f"{work}/hostile.tables", f"{work}/hostile"]):
    subprocess.run([baton, *command], check=True, capture_output=True)
got = sorted(tables.open(f"{work}/hostile.tables").kernels.arrow()["name"].to_pylist())
assert [n for n in got if not n.startswith("bad ")] == sorted(n for n in names if n != "*bad*"), got
assert len(got) == len(names)
P
expect_status 0 "$python" "$work/hostile.py" "$BATON" "$work"
finish "$said"
