"""The tables of a run that `baton export --format parquet` (or arrow, csv) wrote, or of the run itself.

    import baton
    run = baton.open("tables")           # or the directory of a run: it is exported first
    run.kernels.pandas()                 # a data frame
    run.gaps.polars()                    # a LazyFrame: nothing is read before .collect()
    run.sql('select leaf, sum(dur_ns) from gaps group by leaf')

Nothing is read before a table is asked for, and each library is imported when its method is called: pandas, polars, pyarrow, duckdb and
dask are all optional. docs/TABLES.md of baton describes the tables.
"""

import glob
import json
import os
import subprocess
import tempfile

__all__ = ["Run", "Table", "open"]

ABOUT = "_baton.json"
SCHEMA = "baton.tables/0"


class Table:
    """One table: its name, its columns with their types ("int32", "int64", "text"), and how many rows it has."""

    def __init__(self, run, name, about):
        self.run, self.name = run, name
        self.columns, self.rows = about["columns"], about["rows"]
        self.path = os.path.join(run.path, name)
        self.partition = [c for c in run.partition if c in self.columns and self._find(f"{c}=*")]

    def __repr__(self):
        return f"<baton table {self.name}: {self.rows} rows, {len(self.columns)} columns>"

    def _find(self, name):
        return sorted(glob.glob(os.path.join(glob.escape(self.path), "**", name), recursive=True))

    @property
    def files(self):
        """The paths of its files."""
        return self._find(f"*.{self.run.format}")

    def dataset(self):
        """A pyarrow.dataset.Dataset: nothing is read."""
        import pyarrow as pa
        import pyarrow.dataset as ds

        types = {"int32": pa.int32(), "int64": pa.int64(), "text": pa.string()}
        schema = pa.schema([(c, types[self.columns[c]]) for c in self.partition])
        whole = pa.schema([(c, types[t]) for c, t in self.columns.items()])
        parts = ds.partitioning(schema, flavor="hive") if self.partition else None
        form = self.run.format
        if form == "csv":
            from pyarrow.csv import ConvertOptions

            form = ds.CsvFileFormat(convert_options=ConvertOptions(strings_can_be_null=True, null_values=[""]))
        return ds.dataset(self.files, format=form, schema=whole, partitioning=parts, partition_base_dir=self.path)

    def arrow(self, **options):
        """A pyarrow.Table. Options are those of Dataset.to_table(): columns, filter."""
        return self.dataset().to_table(**options)

    def pandas(self, **options):
        """A pandas.DataFrame, by pyarrow. Integers are pandas' Int32 and Int64, which know null: a float would round them."""
        import pandas as pd
        import pyarrow as pa

        integers = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype()}
        return self.arrow(**options).to_pandas(types_mapper=integers.get)

    def polars(self):
        """A polars.LazyFrame."""
        import polars as pl

        types = {"int32": pl.Int32, "int64": pl.Int64, "text": pl.String}
        of = {c: types[t] for c, t in self.columns.items()}
        if self.run.format == "csv":
            frame = pl.concat([self._read_csv(pl, path, of) for path in self.files])
        else:
            parts = {c: of[c] for c in self.partition}
            scan = pl.scan_ipc if self.run.format == "arrow" else pl.scan_parquet
            frame = scan(self.files, glob=False, hive_partitioning=bool(parts), hive_schema=parts or None)
        return frame.select(list(self.columns))

    def _read_csv(self, pl, path, of):
        own = dict(p.split("=") for p in os.path.relpath(path, self.path).split(os.sep) if "=" in p)
        frame = pl.scan_csv(path, glob=False, schema={c: t for c, t in of.items() if c not in own})
        return frame.with_columns(*(pl.lit(int(v)).cast(of[c]).alias(c) for c, v in own.items()))

    def duckdb(self, connection=None):
        """A DuckDB relation."""
        import duckdb

        if self.run.format == "arrow":
            return (connection or duckdb).from_arrow(self.arrow())
        return (connection or duckdb).sql(self._select())

    def _select(self):
        return "select {} from {}".format(", ".join(f'"{c}"' for c in self.columns), self._scan())

    def _scan(self):
        quoted = glob.escape(self.path).replace("'", "''")
        hive = str(bool(self.partition)).lower()
        types = {"int32": "integer", "int64": "bigint", "text": "varchar"}
        parts = ", ".join(f"'{c}': {types[self.columns[c]]}" for c in self.partition)
        hive += f", hive_types={{{parts}}}" if parts else ""
        if self.run.format == "csv":
            own = ", ".join(f"'{c}': '{types[t]}'" for c, t in self.columns.items() if c not in self.partition)
            return f"read_csv('{quoted}/**/*.csv', columns={{{own}}}, header=true, hive_partitioning={hive})"
        return f"read_parquet('{quoted}/**/*.parquet', hive_partitioning={hive})"

    def dask(self, **options):
        """A dask.dataframe.DataFrame. Of Parquet tables: Dask reads no others from a directory of ranks and steps."""
        if self.run.format != "parquet":
            raise ValueError(f"{self.path}: {self.run.format} tables; for Dask export them with --format parquet")
        import dask.dataframe as dd

        return dd.read_parquet(self.path, **options)


class Run:
    """The tables of one run: run.kernels, run["kernels"], run.tables."""

    def __init__(self, path):
        with _open(os.path.join(path, ABOUT), encoding="utf-8") as f:
            about = json.load(f)
        if about.get("schema") != SCHEMA:
            raise ValueError(f"{path}: {ABOUT} has schema {about.get('schema')!r}, not {SCHEMA!r}")
        self.path, self.about = path, about
        self.format, self.partition = about["format"], about["partition"]
        self.tables = {name: Table(self, name, of) for name, of in about["tables"].items()}

    def __getattr__(self, name):
        try:
            return self.__dict__["tables"][name]
        except KeyError:
            raise AttributeError(f"no table {name}") from None

    def __getitem__(self, name):
        return self.tables[name]

    def __repr__(self):
        return f"<baton run {self.path}: {', '.join(self.tables)}>"

    def sql(self, query):
        """Asks DuckDB; the tables have their names."""
        import duckdb

        connection = duckdb.connect()
        for table in self.tables.values():
            if self.format == "arrow":
                connection.register(table.name, table.arrow())
                continue
            connection.sql(f"create view {table.name} as {table._select()}")
        return connection.sql(query)


_open = open
_kept = []  # temporary directories: relations, frames and data sets read their files after the Run itself is gone


def open(path, command="baton", options=()):  # noqa: A001
    """The tables in a directory, as a Run. The directory of a run (*.baton) is exported by `command` first, into a temporary directory,
    which is removed when Python ends; `options` are further ones of `baton export`, e.g. ["--ranks", "0"]."""
    if os.path.exists(os.path.join(path, ABOUT)):
        return Run(path)
    if not glob.glob(os.path.join(glob.escape(path), "*.baton")):
        raise FileNotFoundError(f"{path}: neither tables ({ABOUT}) nor a run (*.baton)")
    made_in = tempfile.TemporaryDirectory(prefix="baton-tables-")
    made = subprocess.run([command, "export", "--format", "parquet", "-o", made_in.name, *options, path], stderr=subprocess.PIPE, text=True,
                          errors="replace")
    if made.returncode not in (0, 4):
        made_in.cleanup()
        raise RuntimeError(made.stderr.strip() or f"{command} export: status {made.returncode}")
    _kept.append(made_in)
    return Run(made_in.name)
