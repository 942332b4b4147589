"""The jitter study of docs/JITTER.md with other tools: others.py runs each in a process of its own, in its own venv.

    others_study.py pandas-sqlite|pandas-parquet|duckdb-sqlite|duckdb-parquet|columns|hta SPEC

SPEC is a JSON file: the name of the NVTX range that is a step, how many of these to skip, the ranks, and where the exports
of `baton export` lie. `columns` writes the input of jitter_loop. Each prints one line of JSON: kernels, sums, the seconds
that Python took to start and import. The sums are those that others.py compares:

    D, G, L   durations, gaps, times from launch to start, of all kernels
    T         time to the last kernel before the closing collective, of all steps and ranks
    first ranks, last ranks   sums of the numbers of the first and the last rank of each step

Each study also makes the means and the standard deviations of each kernel and rank, as baton does.
"""

import glob
import json
import os
import sqlite3
import sys
import time

BEGIN = time.perf_counter()


# ---- pandas ----

def load_sqlite(spec, rank):
    """The kernels of a rank with the begins of their launches, and the ranges that are steps."""
    import pandas as pd
    base = sqlite3.connect(f"file:{spec['sqlite']}/rank{rank:03d}.sqlite?mode=ro", uri=True)
    kernels = pd.read_sql_query('select correlationId, start, "end", streamId as stream, demangledName as id '
                                "from CUPTI_ACTIVITY_KIND_KERNEL", base)
    calls = pd.read_sql_query("select correlationId, start as launch from CUPTI_ACTIVITY_KIND_RUNTIME", base)
    names = pd.read_sql_query("select id, value as name from StringIds", base)
    steps = pd.read_sql_query('select start, "end" from NVTX_EVENTS where text = ? order by start', base, params=(spec["range"],))
    base.close()
    kernels["name"] = pd.Categorical.from_codes(names["id"].searchsorted(kernels["id"]), names["name"].fillna(""))
    return kernels.merge(calls, on="correlationId"), steps


def load_parquet(spec, rank):
    """The same. The launch stands in the row of its kernel, so nothing is joined."""
    import pyarrow.parquet as pq
    directory = spec["parquet"]
    kernels = pq.read_table(f"{directory}/kernels/rank={rank}", columns=["start_ns", "dur_ns", "launch_ns", "stream", "kind", "name"],
                            filters=[("kind", "==", "kernel")], read_dictionary=["name"]).to_pandas()
    kernels = kernels[kernels["launch_ns"].notna()].rename(columns={"start_ns": "start", "launch_ns": "launch"})
    kernels["end"] = kernels["start"] + kernels["dur_ns"]
    steps = pq.read_table(f"{directory}/ranges/rank={rank}", columns=["start_ns", "dur_ns", "name"],
                          filters=[("name", "==", spec["range"])]).to_pandas().rename(columns={"start_ns": "start"})
    steps["end"] = steps["start"] + steps["dur_ns"]
    return kernels, steps.sort_values("start")


def in_steps(spec, kernels, steps):
    """The kernels that are launched in the steps, in order of launches, and how many steps there are."""
    import numpy as np
    kernels = kernels.sort_values("launch", kind="stable")
    launch = kernels["launch"].to_numpy(np.int64)
    step = np.searchsorted(steps["start"].to_numpy(), launch, "right") - 1
    kept = (step >= spec["skip"]) & (launch < steps["end"].to_numpy()[step])
    count = np.bincount(step[kept])[spec["skip"]:]
    assert (count == count[0]).all(), "steps have different numbers of kernels"
    return kernels[kept], len(count)


def classes_of(step):
    """m, n or s for each kernel of one step: the main stream has most kernels that are not NCCL's."""
    import numpy as np
    nccl = step["name"].astype(str).str.contains("nccl").to_numpy()
    stream = step["stream"].to_numpy()
    main = step["stream"][~nccl].mode()[0]
    return np.where(nccl, "n", np.where(stream == main, "m", "s"))


def ranks_of(spec, load):
    """Of each rank: classes by position, and begins of launches, starts and ends by step and position."""
    import numpy as np
    names = None
    for rank in range(spec["ranks"]):
        kernels, steps = in_steps(spec, *load(spec, rank))
        shape = (steps, len(kernels) // steps)
        if names is None:
            names = kernels["name"].iloc[:shape[1]].astype(str).to_numpy()
            classes = classes_of(kernels.iloc[:shape[1]])
        known = kernels["name"].cat.categories.get_indexer(names)
        assert (kernels["name"].cat.codes.to_numpy().reshape(shape) == known).all(), "ranks launch different kernels"
        yield (classes, *(kernels[c].to_numpy(np.int64).reshape(shape) for c in ("launch", "start", "end")))


def study_pandas(spec, load):
    import numpy as np
    D, G, L, X = [], [], [], []
    for classes, launch, start, end in ranks_of(spec, load):
        main, nccl = np.flatnonzero(classes == "m"), np.flatnonzero(classes == "n")
        gap = np.zeros_like(start)
        gap[:, main[1:]] = start[:, main[1:]] - end[:, main[:-1]]
        D.append(end - start)
        G.append(gap)
        L.append(start - launch)
        X.append(end[:, nccl[-1]] - start[:, main[0]])
    D, G, L, X = (np.stack(all_ranks, -1) for all_ranks in (D, G, L, X))
    G[:, main[0], :] = X.max(1)[:, None] - X
    T = np.cumsum(np.where((classes == "m")[None, :, None], D + G, 0), 1)
    to_end = T[:, main[main < nccl[-1]][-1], :]
    for measure in (D, G, T, L):
        measure.mean(0)
    for measure in (D, G):
        measure.std(0)
    return D.size, {"D": int(D.sum()), "G": int(G.sum()), "T": int(to_end.sum()), "L": int(L.sum()),
                    "first ranks": int(to_end.argmin(1).sum()), "last ranks": int(to_end.argmax(1).sum())}


def write_columns(spec):
    """What jitter_loop reads."""
    import numpy as np
    n = 0
    for rank, (classes, *columns) in enumerate(ranks_of(spec, load_parquet)):
        np.stack([c.ravel() for c in columns], -1).astype("<i8").tofile(f"{spec['columns']}/rank{rank:04d}.i64")
        n += columns[0].size
    with open(f"{spec['columns']}/classes", "w", encoding="ascii") as file:
        file.write("".join(classes))
    return n, {}


# ---- DuckDB ----

# {kernels}: rank, start_ns, end_ns, launch_ns, stream, name. {ranges}: rank, start_ns, end_ns.
STUDY = """
create temp table study as
with ranges as ({ranges}), kernels as ({kernels}),
steps as (select *, row_number() over (partition by rank order by start_ns) - 1 as step from ranges),
inside as (select k.rank, step, k.start_ns, k.end_ns, launch_ns, stream, name like '%nccl%' as nccl
           from kernels k asof join steps s on k.rank = s.rank and launch_ns >= s.start_ns
           where launch_ns < s.end_ns and step >= {skip}),
main as (select rank, mode(stream) as stream from inside where not nccl group by rank),
placed as (select i.*, not nccl and i.stream = m.stream as main,
                  row_number() over (partition by i.rank, step order by launch_ns) - 1 as position
           from inside i join main m on i.rank = m.rank),
before as (select *, case when main then start_ns - lag(end_ns) over (partition by rank, step, main order by position) end as gap
           from placed),
x as (select rank, step, max(position) filter (where nccl) as closing,
             arg_max(end_ns, position) filter (where nccl) - arg_min(start_ns, position) filter (where main) as x
      from placed group by rank, step),
most as (select *, max(x) over (partition by step) as most from x),
measured as (select b.rank, b.step, position, main, closing, end_ns - start_ns as d, start_ns - launch_ns as l,
                    case when not main then 0 else coalesce(gap, most - x) end as g
             from before b join most m on b.rank = m.rank and b.step = m.step)
select *, sum(case when main then d + g else 0 end) over (partition by rank, step order by position) as t from measured"""
TABLES = "select position, rank, avg(d), avg(g), avg(t), avg(l), stddev_pop(d), stddev_pop(g) from study group by all order by all"
SUMS = """
with ends as (select rank, step, arg_max(t, position) as t from study where main and position < closing group by rank, step),
series as (select step, sum(t) as t, arg_min(rank, t) as first, arg_max(rank, t) as last from ends group by step)
select (select count(*) from study), (select sum(d) from study), (select sum(g) from study), (select sum(t) from series),
       (select sum(l) from study), (select sum(first) from series), (select sum(last) from series)"""


def study_duckdb(spec, base, kernels, ranges):
    base.execute(f"set temp_directory = '{spec['work']}/duckdb'")
    base.execute(STUDY.format(kernels=kernels, ranges=ranges, skip=spec["skip"]))
    base.execute(TABLES).fetchnumpy()
    n, *sums = base.execute(SUMS).fetchone()
    return n, dict(zip(("D", "G", "T", "L", "first ranks", "last ranks"), map(int, sums)))


def duckdb_parquet(spec):
    import duckdb
    table = f"read_parquet('{spec['parquet']}/%s/*/*.parquet', hive_partitioning = true)"
    return study_duckdb(
        spec, duckdb.connect(),
        f"select rank, start_ns, start_ns + dur_ns as end_ns, launch_ns, stream, name from {table % 'kernels'} where kind = 'kernel'",
        f"select rank, start_ns, start_ns + dur_ns as end_ns from {table % 'ranges'} where name = '{spec['range']}'")


def duckdb_sqlite(spec):
    import duckdb
    import duckdb_ext
    base = duckdb.connect()
    extensions = os.path.join(list(duckdb_ext.__path__)[0], "extensions")
    base.execute(f"load '{glob.glob(extensions + '/*/*/sqlite_scanner.duckdb_extension')[0]}'")
    kernels, ranges = [], []
    for rank in range(spec["ranks"]):
        base.execute(f"attach '{spec['sqlite']}/rank{rank:03d}.sqlite' as r{rank} (type sqlite, read_only)")
        kernels.append(f'select {rank} as rank, k.start as start_ns, k."end" as end_ns, c.start as launch_ns, streamId as stream, '
                       f"value as name from r{rank}.CUPTI_ACTIVITY_KIND_KERNEL k join r{rank}.CUPTI_ACTIVITY_KIND_RUNTIME c "
                       f"on k.correlationId = c.correlationId join r{rank}.StringIds s on s.id = k.demangledName")
        ranges.append(f'select {rank} as rank, start as start_ns, "end" as end_ns from r{rank}.NVTX_EVENTS '
                      f"where text = '{spec['range']}'")
    return study_duckdb(spec, base, " union all ".join(kernels), " union all ".join(ranges))


# ---- HolisticTraceAnalysis ----

def study_hta(spec):
    """Its own analyses of the timeline: it has no jitter study. It rounds times to microseconds unless it is told not to."""
    os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
    from hta.trace_analysis import TraceAnalysis
    started = time.perf_counter()
    os.chdir(spec["kineto"])
    files = {}
    for path in sorted(glob.glob("*.json")):
        with open(path, encoding="utf-8") as file:
            files[json.load(file)["distributedInfo"]["rank"]] = "./" + path
    begin, cpu = time.perf_counter(), sum(os.times()[:4])
    analysis = TraceAnalysis(trace_files=files, trace_dir=".", include_last_profiler_step=True)
    analysis.get_temporal_breakdown(visualize=False)
    analysis.get_idle_time_breakdown(ranks=sorted(files), visualize=False)
    analysis.get_gpu_kernel_breakdown(visualize=False)
    wall, cpu = time.perf_counter() - begin, sum(os.times()[:4]) - cpu
    kernel = analysis.t.symbol_table.get_sym_id_map()["kernel"]
    traces = [analysis.t.get_trace(rank) for rank in files]
    kernels = [trace[trace["cat"] == kernel] for trace in traces]
    return {"kernels": sum(map(len, kernels)), "wall": wall, "cpu": cpu, "start": started - BEGIN,
            "sums": {"D": sum(round(float(k["dur"].sum()) * 1000) for k in kernels)}}


def main():
    what, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        spec = json.load(file)
    if what == "hta":
        print(json.dumps(study_hta(spec)))
        return
    imports = {"pandas": ("pandas", "pyarrow.parquet"), "columns": ("pandas", "pyarrow.parquet"), "duckdb": ("duckdb", "numpy")}
    for module in imports[what.split("-")[0]]:
        __import__(module)
    start = time.perf_counter() - BEGIN
    how = {"pandas-sqlite": lambda: study_pandas(spec, load_sqlite), "pandas-parquet": lambda: study_pandas(spec, load_parquet),
           "duckdb-sqlite": lambda: duckdb_sqlite(spec), "duckdb-parquet": lambda: duckdb_parquet(spec),
           "columns": lambda: write_columns(spec)}
    n, sums = how[what]()
    print(json.dumps({"kernels": n, "sums": sums, "start": start}))


if __name__ == "__main__":
    main()
