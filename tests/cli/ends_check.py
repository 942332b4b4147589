"""What ends_case.sh asks of a trace, and the hostile sources that it imports.

    ends_check.py BATON pairs RUN "0>1 1>0" | same RUN OTHER | allocations RUN "NAME:BYTES:KIND ..."
                      | inputs RUN [again] | markers RUN | sums RUN TABLE.json | by-shape RUN OP.json SHAPE.json | same-inputs RUN OTHER | told-inputs RUN OTHER | payloads FILE | strict DIR | write WORK
"""
import collections
import glob
import json
import sqlite3
import subprocess
import sys

DEEP = "[" * 40 + "]" * 40
# Shapes as a source may have them, and what a trace keeps (None: nothing). Those that are lists of numbers and plain words are
# lists in an export to Kineto too; it writes others as a text.
SHAPES = [
    ('[[8, 1024], [1024, 4096], []]', '[[8,1024],[1024,4096],[]]'),
    ('[]', '[]'),
    ('[["a b", 1]]', '[["a b",1]]'),
    ('["\\"] , [", 2]', '["\\"] , [",2]'),
    ('["</script>\\u001b[31m", "=cmd()"]', '["</script>\\u001b[31m","=cmd()"]'),
    ('{"a": [1]}', None),
    ('"[[1]]"', None),
    ('17', None),
    (DEEP, DEEP),
    ('[[%s]]' % ", ".join(["1234567"] * 9000), None),
    ('[1e400, -1, null, true]', '[1e400,-1,null,true]'),
    ('[99999999999999999999999]', '[99999999999999999999999]'),
]

# Texts of emit_nvtx, and the shapes in them.
MARKERS = [
    ("a, seq = 3, sizes = [[8, 3], []], op_id = 5", "[[8,3],[]]"),
    ("b, op_id = 7, sizes = []", "[]"),
    ("c, sizes = [[1, 2], [3", None),
    ("d, sizes = [[(1)]]", None),
    ("e, sizes = [[%s]]" % ", ".join(["123"] * 2000), None),
    ("f", None),
]


def rows(baton, run):
    text = subprocess.run([baton, "dump", "--json", run], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def pairs(baton, run):
    """(source, target, bytes) of the copies that say both, by ordinal, and how many there are of each."""
    found, ordinals = collections.Counter(), {}
    for row in rows(baton, run):
        if row["record"] == "file":
            ordinals = {}
        elif row["record"] == "device":
            ordinals[row["id"]] = row["ordinal"]
        elif row["record"] == "op" and row.get("source") and row.get("target"):
            found[ordinals[row["source"]], ordinals[row["target"]], row["bytes"]] += 1
    return found


def inputs(baton, run):
    known, found = {}, collections.Counter()
    for row in rows(baton, run):
        if row["record"] == "inputs":
            known[row["id"]] = row["shapes"], row["types"]
        elif row["record"] == "range" and row["category"] in (1, 4):
            found[row["name"], known.get(row.get("inputs"))] += 1
    return found


def allocations(baton, run):
    return sorted("%s:%d:%d" % (row["name"], row["bytes"], row["memory"])
                  for row in rows(baton, run) if row["record"] == "call" and row.get("bytes"))


def write_kineto(path):
    gpu = '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":%d,"dur":5,"args":{"device":0,"stream":7,"correlation":%d}}'
    copy = ('{"ph":"X","cat":"gpu_memcpy","name":"Memcpy PtoP (Device -> Device)","pid":0,"tid":7,"ts":%d,"dur":5,"args":'
            '{"fromDevice":%s,"inDevice":0,"toDevice":%s,"stream":7,"correlation":%d,"bytes":64}}')
    op = '{"ph":"X","cat":"cpu_op","name":"op%d","pid":9,"tid":9,"ts":%d,"dur":5,"args":{"Input Dims":%s,"Input type":%s}}'
    ends = [("0", "1"), ("-1", "99999999999999999999"), ('"x"', "[1]"), ("null", "1.5"), ("4294967296", "-0")]
    events = [gpu % (1000 + 10 * n, n + 1) for n in range(20)]
    events += [copy % (2000 + 10 * n, *pair, 100 + n) for n, pair in enumerate(ends)]
    events += [op % (n, 500 + 10 * n, shapes, shapes if shapes[0] == "[" and len(shapes) < 1000 else '["float"]')
               for n, (shapes, _) in enumerate(SHAPES)]
    open(path, "w").write('{"traceEvents":[%s]}' % ",\n".join(events))


HEADS = ["Start", "Duration", "Size", "SrcMemType", "DstMemType", "Device", "Context", "Stream", "Src Dev", "Src Ctx",
         "Dst Dev", "Dst Ctx", "Name", "Correlation_ID"]
HEAD = ["==9== Profiling result:", ",".join('"%s"' % head for head in HEADS), "us,us,B,,,,,,,,,,,"]


def write_slow(path, slow):
    """Four GPUs: 1 MiB between each two in 100 us, between one pair in as many us as `slow` says."""
    lines = list(HEAD)
    for n, (source, target) in enumerate((a, b) for a in range(4) for b in range(4) if a != b):
        lines.append('%d,%d,1048576,"Device","Device","V100 (%d)","1","7","V100 (%d)","1","V100 (%d)","2","[CUDA memcpy PtoP]",%d'
                     % (100 + 1000 * n, slow if (source, target) == (0, 3) else 100, source, source, target, n + 1))
    open(path, "w").write("\n".join(lines) + "\n")


def write_nvprof(path):
    ends = [("V100 (0)", "V100 (1)"), ("", "V100 (x)"), ("(99999999999999)", "(-1)"), ('=cmd()', "V100 (0"), ("V100", "")]
    lines = list(HEAD)
    for n, (source, target) in enumerate(ends):
        lines.append('%d,5,64,"Device","Device","V100 (0)","1","7","%s","1","%s","2","[CUDA memcpy PtoP]",%d'
                     % (100 + 10 * n, source, target, n + 1))
    open(path, "w").write("\n".join(lines) + "\n")


def write_nsys(path):
    db = sqlite3.connect(path)
    db.executescript("""
        CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes,
            copyKind, srcKind, dstKind, srcDeviceId, srcContextId, dstDeviceId, dstContextId);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId, returnValue);
        CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, pc, bytes, memKind,
            memoryOperationType, correlationId);""")
    process = 9 << 24
    ends = [(0, 1), (-1, 10**18), ("x", None), (1.5, b"1"), (2**40, -5)]
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (?,?,0,1,7,?,?,64,10,2,2,?,1,?,2)",
                   [(1000 + 10 * n, 1005 + 10 * n, n + 1, process, *pair) for n, pair in enumerate(ends)])
    names = ["cudaMalloc", "cudaMallocHost", "cudaFree", "cudaStreamSynchronize"]
    db.executemany("INSERT INTO StringIds VALUES (?,?)", list(enumerate(names, 1)))
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,0)",
                   [(100 + 10 * n, 105 + 10 * n, process + 9, 50 + n, n) for n in range(1, 5)])
    db.execute("CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid)")
    db.executemany("INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,?)",
                   [(50 + n, 51 + n, text, process + 9) for n, (text, _) in enumerate(MARKERS)])
    usage = [(51, 1 << 20, 2), (52, 4096, 1), (53, -7, 2), (54, "many", 99), (999, 8, 2)]
    db.executemany("INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1,?,0,1,0,0,?,?,0,?)",
                   [(process, size, kind, correlation) for correlation, size, kind in usage])
    db.commit()


def main(baton, what, run, *more):
    if what == "write":
        write_kineto(run + "/hostile.json")
        write_nvprof(run + "/hostile.csv")
        write_nsys(run + "/hostile.sqlite")
        write_slow(run + "/slow.csv", 300)
        write_slow(run + "/even.csv", 105)
        return True
    if what == "strict":
        for path in glob.glob(run + "/*.json"):
            json.load(open(path, encoding="utf-8"), parse_constant=lambda word: 1 / 0)
        return True
    if what == "pairs":
        found = " ".join(sorted({"%d>%d" % pair[:2] for pair in pairs(baton, run)}))
        print(found)
        return found == more[0]
    if what == "allocations":
        print(allocations(baton, run))
        return allocations(baton, run) == more[0].split()
    if what == "by-shape":  # the rows of an operator by shape add up to its row by op
        tables = [json.load(open(path))["by"]["rows"] for path in more]
        by_op, by_shape = collections.Counter(), collections.Counter()
        for row in tables[0]:
            by_op[row["name"]] += row["gpu_ns"] + row["starved_ns"]["host"]
        for row in tables[1]:
            by_shape[row["name"].split(" [")[0]] += row["gpu_ns"] + row["starved_ns"]["host"]
        print(by_op - by_shape, by_shape - by_op, len(tables[0]), len(tables[1]))
        return by_op == by_shape and len(tables[1]) > len(tables[0])
    if what == "sums":
        want = collections.Counter()
        for row in rows(baton, run):
            if row["record"] == "op" and row["op_kind"] == 2:
                want["count"] += 1
                want["total_ns"] += row["dur_ns"]
                want["bytes"] += row["bytes"]
        found = json.load(open(more[0]))
        got = {key: sum(row[key] for row in found) for key in want}
        print(want, got)
        return got == want and {row["from_gpu"] for row in found} == {None, "node0/0", "node0/1", "node0/2"}
    if what == "markers":
        found = {name: of and of[0] for name, of in inputs(baton, run)}
        print(found)
        return found == {text[0]: shapes for text, shapes in MARKERS}
    if what == "inputs":
        plain = range(3) if more else range(len(SHAPES))
        want = {"op%d" % n: kept if n in plain else None for n, (_, kept) in enumerate(SHAPES)}
        found = {name: of and of[0] for name, of in inputs(baton, run)}
        print([(name, found.get(name), kept) for name, kept in want.items() if found.get(name, 0) != kept])
        return found == want
    if what == "payloads":  # each is JSON, and a range has it
        db = sqlite3.connect(run)
        found = [json.loads(text) for text, in db.execute("SELECT value FROM NVTX_EVENTS JOIN StringIds ON id = jsonTextId")]
        print(len(found))
        return found and all(set(x) <= {"Input Dims", "Input type"} and isinstance(x["Input Dims"], str) for x in found)
    of = pairs if what == "same" else inputs
    mine, other = of(baton, run), of(baton, more[0])
    if what == "told-inputs":  # of those that have some
        mine, other = ({key: n for key, n in x.items() if key[1]} for x in (mine, other))
        print(len(mine), len(other))
        return mine == other and mine
    print(mine - other, other - mine)
    return mine == other and mine


if __name__ == "__main__":
    sys.exit(not main(*sys.argv[1:]))
