"""What `baton export --format perfetto|chrome` writes beside what `baton dump` prints of the same run.

    export_lines.py BATON RUN FILE [--from NS --to NS]

FILE is read by a reader of its own: of protocol buffers (below, from the numbers in Perfetto's .proto files alone), or
of JSON. Slices are compared one by one (category, name, start, length), with flows from launches and between ranks,
idle time, steps, queue depth and gauges. NS: only rows that begin then, since the first one. The run has one host.
"""
import collections, gzip, json, subprocess, sys


def fields(data):
    """(number, value) of a message: a number, or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 1:
            at += 8
            yield tag >> 3, int.from_bytes(data[at - 8:at], "little")
        elif tag & 7 == 2:
            size = varint()
            at += size
            assert at <= len(data), "a message reaches beyond the one around it"
            yield tag >> 3, data[at - size:at]
        else:
            raise ValueError("wire type %d" % (tag & 7))


def message(data):
    out = collections.defaultdict(list)
    for number, value in fields(data):
        out[number].append(value)
    return out


class Timeline:
    def __init__(self):
        self.slices = []  # (track, category, name, start, dur, facts)
        self.tracks = {}  # uuid: (name, parent)
        self.flows = collections.defaultdict(list)  # id: indexes of slices
        self.counters = collections.defaultdict(list)


def read_perfetto(path):
    out, open_slices = Timeline(), collections.defaultdict(list)
    texts = {1: {}, 2: {}, 3: {}}
    for number, data in fields(open(path, "rb").read()):
        assert number == 1, "a field that is no packet"
        packet = message(data)
        for interned in packet[12]:
            for kind, entry in fields(interned):
                entry = message(entry)
                assert entry[1][0] not in texts[kind], "a number is interned again"
                texts[kind][entry[1][0]] = entry[2][0].decode() if entry[2] else ""
        assert len(packet[12]) <= 1 and packet[10] == [1], packet
        for track in packet[60]:
            track = message(track)
            name = track[2] or message(track[3][0])[6]
            out.tracks[track[1][0]] = (name[0].decode(), track[5][0] if track[5] else None)
        for event in packet[11]:
            event, now = message(event), packet[8][0]
            track = event[11][0]
            if event[9] == [1]:
                facts = {texts[3][f[1][0]]: f[3][0] for f in map(message, event[4])}
                for flow in event[47]:
                    out.flows[flow].append(len(out.slices))
                open_slices[track].append(len(out.slices))
                out.slices.append([track, texts[1][event[3][0]], texts[2][event[10][0]], now, None, facts])
            elif event[9] == [2]:
                ended = out.slices[open_slices[track].pop()]
                ended[4] = now - ended[3]
            else:
                assert event[9] == [4], event
                out.counters[out.tracks[track]].append((now, event[30][0]))
    assert not any(open_slices.values()), "slices that never end"
    return out


def ns(text):
    whole, _, part = text.partition(".")
    assert len(part) == 3, text
    return int(whole) * 1000 + int(part)


def read_chrome(path):
    data = (gzip.open if path.endswith(".gz") else open)(path, "rb").read()
    out, ends = Timeline(), {}
    nested = collections.defaultdict(list)
    for e in json.loads(data, parse_float=str)["traceEvents"]:
        if e["ph"] == "X":
            start, dur = ns(e["ts"]), ns(e["dur"])
            while nested[e["tid"]] and nested[e["tid"]][-1] <= start:
                nested[e["tid"]].pop()
            assert not nested[e["tid"]] or nested[e["tid"]][-1] >= start + dur, "slices of a track that cross"
            nested[e["tid"]].append(start + dur)
            ends.setdefault((e["tid"], start), len(out.slices))
            out.slices.append([e["tid"], e["cat"], e["name"], start, dur, e.get("args", {})])
        elif e["ph"] in "sf":
            out.flows[e["cat"], e["id"]].append(ends[e["tid"], ns(e["ts"])])
        elif e["ph"] == "C":
            out.counters[e["name"], e["pid"]].append((ns(e["ts"]), e["args"]["value"]))
        elif e["name"] == "thread_name":
            out.tracks[e["tid"]] = (e["args"]["name"], e["pid"])
    return out


def dump(baton, run, *options):
    done = subprocess.run([baton, "dump", "--json", *options, run], capture_output=True)
    assert done.returncode in (0, 4), done.stderr  # 4: a file of gauges may have blocks that cannot be read
    return [json.loads(line) for line in done.stdout.splitlines()]


def expected(baton, run, begin, end):
    """Slices by (category, name, start, dur), counted; flows; calls by file; kernels that sent to each other."""
    rows = [r for r in dump(baton, run)]
    timed = [r for r in rows if r["record"] in ("op", "call", "range", "overhead")]
    origin = min(r["start_ns"] for r in timed)
    slices, launches, colls = collections.Counter(), [], collections.defaultdict(set)
    ops, calls, comms, gauges, file = {}, set(), {}, collections.Counter(), None
    ranks, sends = {}, []
    names = {1: "nvtx", 2: "nvtx", 3: "annotation", 4: "operator", 5: "python", 6: "mark", 7: "optimizer"}
    for r in rows:
        kind = r["record"]
        if kind == "file":
            file = r["name"]
        elif kind == "communicator":
            comms[file, r["id"]] = r["hash"]
        elif kind == "process":
            ranks[file] = r["rank"]
        elif kind == "collective" and r["coll"] in (10, 11) and r.get("peer"):
            sends.append((file, r["comm"], r["peer"] - 1, r["coll"] == 11, r["correlation"]))
        if "start_ns" not in r or not begin <= r["start_ns"] - origin < end:
            continue
        what = (r.get("name") or "(unnamed)", r["start_ns"] - origin, r["dur_ns"])
        if kind == "op":
            category = ["", "kernel", "memcpy", "memset", "graph"][r["op_kind"]]
            if category == "memset" and not r["name"]:
                what = ("Memset (Device)", *what[1:])
            elif category == "memcpy" and not r["name"]:
                what = ("Memcpy", *what[1:])
            slices[(category, *what)] += 1
            ops.setdefault((file, r["correlation"]), []).append(what)
        elif kind == "call":
            slices[("cuda api", *what)] += 1
            calls.add((file, r["correlation"]))
        elif kind == "range":
            slices[(names[r["category"]], *what)] += 1
        elif kind == "overhead":
            slices[("overhead", *what)] += 1
        elif kind == "collective" and 1 <= r["coll"] <= 9 and "sequence" in r and (file, r["correlation"]) not in colls:
            colls[file, r["correlation"]] = (comms[file, r["comm"]], r["coll"], r["sequence"])
        elif kind == "gauge":
            gauges[r["start_ns"] - origin, r["value"]] += 1
    launched = sum(len(o) for key, o in ops.items() if key[1] and key in calls)
    met = collections.Counter()
    for key, meeting in colls.items():
        met[meeting] += len(ops.get(key, []))
    for r in dump(baton, run, "--idle"):
        if begin <= r["from_ns"] - origin < end:
            slices["idle", r["leaf"], r["from_ns"] - origin, r["to_ns"] - r["from_ns"]] += 1
    for r in dump(baton, run, "--step-list"):
        if begin <= r["begin_ns"] - origin < end:
            number = r["step"] if r["number"] is None else r["number"]
            slices["step", "step %d" % number, r["window_from_ns"] - origin, r["window_to_ns"] - r["window_from_ns"]] += 1
    return slices, launched, sum(n - 1 for n in met.values() if n > 1), gauges, pairs_of(sends, comms, ranks, ops)


def pairs_of(sends, comms, ranks, ops):
    """Kernels (start, dur) that met, counted: the n-th send of a rank to another one and that one's n-th receive from it."""
    rows = collections.defaultdict(lambda: ([], []))
    for file, comm, peer, receives, correlation in sends:
        own = ranks[file]
        pair = (peer, own) if receives else (own, peer)
        rows[(comms[file, comm], *pair)][receives].append(ops[file, correlation][0][1:])
    assert all(len(a) == len(b) for a, b in rows.values()), "a send without its receive: not for this test"
    return collections.Counter(tuple(sorted(both)) for a, b in rows.values() for both in zip(a, b))


def running_idle(got):
    """By GPU: the values that steps and idle time of the file itself give."""
    rows = collections.defaultdict(lambda: ([], []))
    for track, category, _, start, dur, _ in got.slices:
        if category in ("step", "idle"):
            name, process = got.tracks[track]
            gpu = " ".join(name.split()[:2])
            rows[gpu, process][category == "idle"].append((start, start + dur))
    out = {}
    for (gpu, process), (steps, idle) in rows.items():
        values = []
        for begin, end in sorted(steps):
            inside = sorted(x for x in idle if begin <= x[0] < min(end, x[1]))
            edges = {begin} | {x[0] for x in inside} | {x[1] for x in inside}
            for ns in sorted(edges - ({x[0] for x in inside} & {x[1] for x in inside})):
                known = sum(min(to, ns) - start for start, to in inside if start < ns)
                percent = int(100.0 * known / (ns - begin) + 0.5) if ns > begin else 0
                if not values or values[-1][1] != percent:
                    values.append((ns, percent))
        if values:
            out[gpu + " running idle %", process] = values
    return out


def check(got, want):
    slices, launched, met, gauges, pairs = want
    seen = collections.Counter((c, "Memcpy" if c == "memcpy" and n.startswith("Memcpy ") else n, s, d)
                               for _, c, n, s, d, _ in got.slices)
    missing, extra = slices - seen, seen - slices
    assert not missing and not extra, (sum(missing.values()), list(missing)[:3], sum(extra.values()), list(extra)[:3])
    links, sent = [0, 0], collections.Counter()
    for flow, members in got.flows.items():
        kinds = [got.slices[i][1] for i in members]
        if flow[0] == "send" if isinstance(flow, tuple) else flow >> 62 == 3:
            sent[tuple(sorted(tuple(got.slices[i][3:5]) for i in members))] += 1
            continue
        collective = flow[0] == "collective" if isinstance(flow, tuple) else flow >> 63
        links[bool(collective)] += len(members) - 1
        if collective:
            assert len({got.slices[i][5].get("sequence") for i in members}) == 1, "a flow between two collectives"
        else:
            assert len({got.slices[i][5]["correlation"] for i in members}) == 1, "a flow to another launch's kernel"
            assert len(members) == 1 or "cuda api" in kinds, kinds
    assert links == [launched, met], (links, launched, met)
    assert sent == pairs, ("sends", sum(sent.values()), sum(pairs.values()), list((sent - pairs).items())[:2], list((pairs - sent).items())[:2])
    queues = {c: values for c, values in got.counters.items() if "queue depth" in c[0]}
    depth = [v for values in queues.values() for _, v in values]
    assert (not launched) == (not depth) and all(v >= 0 for v in depth), depth[:9]
    assert all(values[-1][1] == 0 for values in queues.values())
    running = {c: values for c, values in got.counters.items() if "running idle" in c[0]}
    again = running_idle(got)
    assert running == again, ("running idle share", [(c, running.get(c, [])[:3], again.get(c, [])[:3])
                                                     for c in running.keys() | again.keys() if running.get(c) != again.get(c)][:1])
    assert not any(c == "step" for c, *_ in slices) or any(v > 0 for values in running.values() for _, v in values)
    read = collections.Counter((s, v) for c, values in got.counters.items() if c not in queues and c not in running for s, v in values)
    assert read == gauges, ("gauges", len(read), len(gauges))
    return "%d slices, %d + %d + %d links, %d readings" % (len(got.slices), *links, sum(sent.values()), sum(read.values()))


def main():
    baton, run, path = sys.argv[1:4]
    options = dict(zip(sys.argv[4::2], map(int, sys.argv[5::2])))
    got = read_perfetto(path) if path.endswith(".pftrace") else read_chrome(path)
    print(check(got, expected(baton, run, options.get("--from", 0), options.get("--to", 1 << 62))))


if __name__ == "__main__":
    main()
