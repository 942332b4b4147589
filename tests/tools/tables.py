"""What other tools read in the tables of `baton export`.

tables.py same CSV_DIR DIR         every cell of DIR (parquet or arrow) by pyarrow is that of CSV_DIR; no column is unsigned
tables.py queries BATON RUN DIR    runs every query of docs/NOTEBOOKS.md over DIR, and compares with `baton report --json`, but those for Spark
tables.py spark BATON RUN DIR      these, and the types and numbers of rows that Spark sees in each table
tables.py package BATON RUN CSV_DIR DIR...   the Python package: its tables are alike by every library, and are those of CSV_DIR

Run by the Python of build/tools/tables, in the root of the project. Prints what was compared.
"""

import ast
import collections
import csv
import gc
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

csv.field_size_limit(1 << 30)
NODE = os.path.abspath("build/tools/tables")


def csv_rows(directory, table, columns):
    """Rows as tuples of int, str and None, in the order of `columns` (name -> type)."""
    for path in glob.glob(f"{directory}/{table}/**/*.csv", recursive=True):
        part = dict(p.split("=") for p in os.path.relpath(path, directory).split("/") if "=" in p)
        with open(path, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                row = {**row, **part}
                yield tuple(None if row[c] == "" else row[c] if t == "text" else int(row[c]) for c, t in columns.items())


def order(row):
    return tuple((v is not None, v) for v in row)


def same(csv_dir, directory):
    import pyarrow as pa
    import pyarrow.dataset as ds

    about = json.load(open(f"{directory}/_baton.json", encoding="utf-8"))
    wanted = {"int32": pa.int32(), "int64": pa.int64(), "text": pa.string()}
    cells = 0
    for table, of in about["tables"].items():
        columns = of["columns"]
        files = glob.glob(f"{directory}/{table}/**/*.{about['format']}", recursive=True)
        assert len(files) == of["files"], (table, len(files), of["files"])
        parts = ds.partitioning(pa.schema([(p, wanted[columns[p]]) for p in about["partition"] if p in columns]), flavor="hive")
        got = ds.dataset(files, format=about["format"], partitioning=parts, partition_base_dir=f"{directory}/{table}").to_table()
        got.validate(full=True)
        for field in got.schema:
            kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            assert kind == wanted[columns[field.name]], (table, field)
        rows = list(zip(*(got[c].to_pylist() for c in columns))) if got.num_rows else []
        want = list(csv_rows(csv_dir, table, columns))
        assert len(rows) == of["rows"], (table, len(rows), of["rows"])
        assert sorted(rows, key=order) == sorted(want, key=order), table
        cells += len(rows) * len(columns)
    print(f"{cells} cells of {len(about['tables'])} tables")
    assert cells > 1000


# ---- the queries of the page ----


def blocks(path):
    """(heading, label, language, code) of every fenced block with a language."""
    heading = label = None
    lines = iter(open(path, encoding="utf-8").read().splitlines())
    for line in lines:
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("```") and len(line) > 3:
            code = []
            for inner in lines:
                if inner == "```":
                    break
                code.append(inner)
            yield heading, label, line[3:], "\n".join(code)
        elif line.endswith(":"):
            label = line[:-1]


def run_python(code):
    """The value of the last expression."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value)
    names = {}
    exec(compile(tree, "docs/NOTEBOOKS.md", "exec"), names)
    return eval(compile(last, "docs/NOTEBOOKS.md", "eval"), names)


def plain(value):
    import pandas

    if pandas.isna(value):
        return None
    return value if isinstance(value, str) else int(value)


def rows_of(value):
    """A result of any of the libraries as a set of rows."""
    if hasattr(value, "fetchall"):
        rows = value.fetchall()
    elif hasattr(value, "reset_index"):
        rows = value.reset_index().itertuples(index=False, name=None)
    elif hasattr(value, "rows"):
        rows = value.rows()
    else:
        rows = value
    return collections.Counter(tuple(plain(v) for v in row) for row in rows)


def run_js(code, directory):
    """The lines that it prints, JSON each."""
    at = os.path.join(NODE, f"query-{os.getpid()}.mjs")
    with open(at, "w", encoding="utf-8") as f:
        f.write(code)
    try:
        out = subprocess.run(["node", at], cwd=directory, capture_output=True, text=True, check=True).stdout
    finally:
        os.unlink(at)
    return [json.loads(line) for line in out.splitlines()]


def wanted(doc):
    """What the queries under each heading give."""
    devices = doc["devices"]
    return {
        "Busy time by group": [(d["device"], g, ns) for d in devices for g, ns in d["busy_ns"].items() if ns],
        "Idle time by leaf": [(d["device"], leaf, ns) for d in devices for leaf, ns in d["time_ns"].items()
                              if ns and leaf.startswith("idle.")],
        "Kernels": [(k["name"], k["class"], k["count"], k["total_ns"], k["min_ns"], k["max_ns"]) for k in doc["kernels"]],
        "NCCL": [(n["op"], n["comm"], n["ranks"] or None, n["bytes"], n["count"], n["transfer_ns"], n["wait_ns"], n["unsplit_ns"])
                 for n in doc["nccl"]],
        "Copies": [(c["device"], c["direction"], int(c["pageable"]), c["count"], c["total_ns"], c["bytes"]) for c in doc["copies"]],
        "Steps": [(d["device"], d["steps"], d["step_ns"]["max"], d["window_ns"]) for d in devices],
    }


def queries(baton, run, directory, spark=False):
    doc = json.loads(subprocess.run([baton, "report", "--json", run], capture_output=True, check=True).stdout)
    want = {heading: collections.Counter(rows) for heading, rows in wanted(doc).items()}
    assert all(want.values()), {h: len(r) for h, r in want.items()}
    root = os.path.dirname(os.path.abspath(directory))
    assert os.path.basename(directory) == "tables", directory
    page, seen = os.path.abspath("docs/NOTEBOOKS.md"), collections.defaultdict(set)
    sys.path.insert(0, os.path.abspath("tools/python"))
    os.chdir(root)
    for heading, label, language, code in blocks(page):
        if (label == "Spark") != spark:
            continue
        got = rows_of(run_js(code, root) if language == "js" else run_python(code))
        assert got == want[heading], (heading, label, list((got - want[heading]).items())[:3], list((want[heading] - got).items())[:3])
        seen[heading].add(label)
    if spark:
        assert seen == {"Busy time by group": {"Spark"}}, seen
        spark_types(os.path.basename(directory))
        return
    assert set(seen) == set(want), set(seen) ^ set(want)
    every = {"DuckDB", "pandas", "Polars", "Dask", "The package", "hyparquet, in JavaScript"}
    assert seen["Busy time by group"] == every, seen
    lack = [heading for heading, labels in seen.items() if not {"DuckDB", "Dask"} <= {label.split(" (")[0] for label in labels}]
    assert not lack, lack
    print(f"{sum(map(len, seen.values()))} queries")


def spark_types(directory):
    """Spark's types of the columns that are in the files (those of directory names it guesses), and its numbers of rows."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.getOrCreate()
    about = json.load(open(f"{directory}/_baton.json", encoding="utf-8"))
    wanted = {"int32": "int", "int64": "bigint", "text": "string"}
    for table, of in about["tables"].items():
        frame = session.read.parquet(f"{directory}/{table}")
        got = {name: kind for name, kind in frame.dtypes if name not in about["partition"]}
        assert got == {c: wanted[t] for c, t in of["columns"].items() if c not in about["partition"]}, (table, got)
        assert frame.count() == of["rows"], (table, frame.count(), of["rows"])
    print(f"Spark: {len(about['tables'])} tables")


def spark(baton, run, directory):
    queries(baton, run, directory, spark=True)


# ---- the package ----


def package(baton, run, csv_dir, *directories):
    sys.path.insert(0, os.path.abspath("tools/python"))
    import baton as tables

    compared = 0
    for opened in [tables.open(d) for d in (csv_dir, *directories)] + [tables.open(run, command=baton)]:
        for name, table in opened.tables.items():
            want = sorted(csv_rows(csv_dir, name, table.columns), key=order)
            forms = {"arrow": table.arrow().to_pylist(), "pandas": table.pandas(), "duckdb": table.duckdb(), "polars": table.polars()}
            for form, value in forms.items():
                got = taken(value, list(table.columns))
                assert sorted(got, key=order) == want, (opened.path, name, form, got[:1], want[:1])
                compared += 1
            assert table.rows == len(want)
    for directory in directories:
        odd_name(tables, directory)
    try:
        tables.open(csv_dir).kernels.dask()
    except ValueError as error:
        assert "--format parquet" in str(error), error
    else:
        raise AssertionError("Dask takes CSV for Parquet")
    # Keeps out: files that are gone when only a lazy frame is left of a run.
    late = tables.open(run, command=baton).kernels.dataset()
    gc.collect()
    assert late.count_rows() == tables.open(directories[0]).kernels.rows
    try:
        tables.open(os.path.dirname(csv_dir))
    except FileNotFoundError:
        print(f"{compared} tables")
        return
    raise AssertionError("opened a directory without tables")


def odd_name(tables, directory):
    """Keeps out: no rows, or those of another directory, where the path holds what globs and SQL read as their own."""
    with tempfile.TemporaryDirectory() as work:
        odd = os.path.join(work, "it's [1] *")
        shutil.copytree(directory, odd)
        run = tables.open(odd)
        table = run.kernels
        counts = [len(f) for f in (table.arrow(), table.pandas(), table.duckdb().fetchall(), table.polars().collect())]
        counts += run.sql("select count(*) from kernels").fetchall()[0]
        assert counts == [table.rows] * 5 and table.rows > 0, (directory, counts)


def taken(value, columns):
    if hasattr(value, "fetchall"):
        assert value.columns == columns, value.columns
        rows = value.fetchall()
    elif hasattr(value, "collect"):
        rows = value.collect().select(columns).rows()
    elif hasattr(value, "itertuples"):
        assert list(value.columns) == columns
        rows = value.itertuples(index=False, name=None)
    else:
        rows = [tuple(r[c] for c in columns) for r in value]
    return [tuple(plain(v) for v in row) for row in rows]


if __name__ == "__main__":
    {"same": same, "queries": queries, "spark": spark, "package": package}[sys.argv[1]](*sys.argv[2:])
