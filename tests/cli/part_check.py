"""Does `baton stats` count the rows of a part of a run, and `baton dump` print them?

    part_check.py BATON RUN RANKS DEVICE FROM TO OPTION...

Reads all rows by `baton dump --json FILE` and keeps those of the ranks (a list, or -), of the device (HOST/ORDINAL, or -) that begin in
[FROM, TO) ns since the run's first event (or -: --step A, the window that `dump --step-list` prints). Kernels, copies, calls and ranges by name
must be those of `baton stats OPTION...`, the rows those of `baton dump OPTION...`, and their times those of exports for nsys and nvprof.
"""
import collections, csv, glob, json, sqlite3, subprocess, sys, tempfile

baton, run, ranks, device, begin, end, *options = sys.argv[1:]


def lines(*words):
    return [json.loads(x) for x in subprocess.run([baton, *words], stdout=subprocess.PIPE, check=True).stdout.splitlines()]


rows, files = [], []  # rows: (rank, host, ordinal or None, record)
for name in sorted(glob.glob(run + "/*.0.baton")):
    got = lines("dump", "--json", name)
    process = next(x for x in got if x["record"] == "process")
    ordinals = {x["id"]: x["ordinal"] for x in got if x["record"] == "device"}
    streams = {x["id"]: ordinals[x["device"]] for x in got if x["record"] == "stream"}
    files.append((process, set(ordinals.values())))
    rows += [(process, streams.get(x.get("stream")) if x["record"] in ("op", "sync") else None, x) for x in got if "start_ns" in x]
first = min(x["start_ns"] for _, _, x in rows if x["record"] in ("op", "call", "range"))
windows = {p["rank"]: (-1 << 62, 1 << 62) for p, _ in files}
if begin != "-":
    windows = {rank: (first + int(begin), first + int(end)) for rank in windows}
if "--step" in options:
    wanted = options[options.index("--step") + 1].split("..")
    steps = [x for x in lines("dump", "--step-list", "--json", run) if int(wanted[0]) <= (x["number"] if x["number"] is not None else x["step"]) <= int(wanted[-1])]
    of = {f"{p['host']}/{o}": p["rank"] for p, all_ in files for o in all_}
    for rank in windows:
        mine = [s for s in steps if of[s["device"]] == rank]
        windows[rank] = (min(s["begin_ns"] for s in mine), max(s["window_to_ns"] for s in mine))
host, ordinal = device.rsplit("/", 1) if device != "-" else (None, None)


def kept(process, on, row):
    low, high = windows[process["rank"]]
    if ranks != "-" and str(process["rank"]) not in ranks.split(",") or not low <= row["start_ns"] < high:
        return False
    if host is None:
        return True
    drives = next(all_ for p, all_ in files if p is process)
    return process["host"] == host and (on == int(ordinal) if row["record"] == "op" or on is not None else int(ordinal) in drives)


mine = [row for process, on, row in rows if kept(process, on, row)]
for table, take in (("cuda_gpu_kern_sum", lambda r: r["record"] == "op" and r["op_kind"] in (1, "kernel")), ("cuda_api_sum", lambda r: r["record"] == "call"),
                    ("nvtx_pushpop_sum", lambda r: r["record"] == "range" and r["category"] in (1, "nvtx"))):
    text = subprocess.run([baton, "stats", "-r", table, "-f", "csv", *options, run], stdout=subprocess.PIPE, check=True).stdout.decode()
    told = {r[list(r)[-1]]: (int(r[list(r)[2]]), int(r["Total Time (ns)"])) for r in csv.DictReader(text.splitlines())}
    want = collections.defaultdict(lambda: (0, 0))
    for r in filter(take, mine):
        n, ns = want[r["name"]]
        want[r["name"]] = n + 1, ns + r["dur_ns"]
    assert told == dict(want), (table, sorted(told.items())[:2], sorted(want.items())[:2])
same = lambda row: json.dumps(row, sort_keys=True)
assert sorted(map(same, mine)) == sorted(same(x) for x in lines("dump", "--json", *options, run) if "start_ns" in x)

# The same rows in the SQLite file of an export.
with tempfile.TemporaryDirectory() as folder:
    name = folder + "/part.sqlite"
    subprocess.run([baton, "export", "--format", "nsys-sqlite", "-o", name, *options, run], stderr=subprocess.PIPE, check=True)
    db = sqlite3.connect(name)
    tables = {x for x, in db.execute("SELECT name FROM sqlite_master")}
    read = lambda table, what: list(db.execute(f"SELECT {what} FROM {table}")) if table in tables else []
    for table, take in (("CUPTI_ACTIVITY_KIND_KERNEL", lambda r: r["record"] == "op" and r["op_kind"] in (1, "kernel")),
                        ("CUPTI_ACTIVITY_KIND_RUNTIME", lambda r: r["record"] == "call")):
        want = sorted((r["start_ns"] - first, r["start_ns"] - first + r["dur_ns"]) for r in filter(take, mine))
        assert sorted(read(table, "start, end")) == want, (table, len(want))
    called = {x for x, in read("CUPTI_ACTIVITY_KIND_RUNTIME WHERE callchainId NOT NULL", "callchainId")}
    assert {x for x, in read("CUDA_CALLCHAINS", "DISTINCT id")} == called
    db.close()
    name = folder + "/part.csv"
    subprocess.run([baton, "export", "--format", "nvprof-csv", "--print", "gpu-trace,api-trace", "-o", name, *options, run], stderr=subprocess.PIPE, check=True)
    text = [x for x in open(name) if not x.startswith("=")]
    head = next(csv.reader(text[:1]))
    told = sorted(float(r[0]) * 1e6 for r in csv.reader(text) if len(r) == len(head) and r[0] not in ("Start", "ms"))
    want = sorted(r["start_ns"] - first for r in mine if r["record"] in ("op", "call"))
    assert len(told) == len(want) and all(abs(a - b) < 0.5 for a, b in zip(told, want)), (len(told), len(want))
print(len(mine), "of", len(rows), "rows")
assert 0 < len(mine) < len(rows) or not options
