"""Does `baton stats` count the rows of a part of a run, and `baton dump` print them?

    part_check.py BATON RUN RANKS DEVICE FROM TO OPTION...

Reads all rows by `baton dump --json FILE` and keeps those of the ranks (a list, or -), of the device (HOST/ORDINAL, or -) that begin in
[FROM, TO) ns since the run's first event (or -: --step A, the window that `dump --step-list` prints). Kernels, copies, calls and ranges by name
must be those of `baton stats OPTION...`, and without a device the rows those of `baton dump OPTION...`.
"""
import collections, csv, glob, json, subprocess, sys

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
    rows += [(process, streams.get(x.get("stream")) if x["record"] == "op" else None, x) for x in got if "start_ns" in x]
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
    return process["host"] == host and (on == int(ordinal) if row["record"] == "op" else int(ordinal) in drives)


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
if host is None:
    same = lambda row: json.dumps(row, sort_keys=True)
    assert sorted(map(same, mine)) == sorted(same(x) for x in lines("dump", "--json", *options, run) if "start_ns" in x)
print(len(mine), "of", len(rows), "rows")
assert 0 < len(mine) < len(rows) or not options
