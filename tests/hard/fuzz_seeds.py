"""Inputs for row 12 written by hand: what libFuzzer does not come to by itself, because a whole word, a column or a checksum must be right."""
import gzip
import os
import random
import sqlite3
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "format"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz"))
import hostile  # noqa: E402
import mutate  # noqa: E402

SLOT_BYTES, SLOTS, TAKEN = 32, 1024, 100  # of tests/fuzz/live_seed.c checkpoint=100
CALL, RANGE, COLLECTIVE, OVERHEAD, SCHED, FRAME, HOST_FUNC, EVENT, HOLDER = range(1, 10)


def rules():
    kinds = b"^gemm matmul.gemm\ncudaMemcpy.* call:sync\ndata\t range:input\ntrain\\.py frame:input\nname with blanks  other\n"
    return [kinds, b"# text\n\n \t\r\n" + kinds, b"x call:nosuch\n", b"x nosuch\n", b"x range:nosuch\n", b"alone\n", b"( other\n", b"[a other\n",
            b"a{2,1} other\n", b"*x\\ other", b"gemm_([0-9]+)x\\1 matmul.gemm\n", b"nothing other\n" * 40]


CSV = b"step,dp_rank,stage,chunk,microbatch,type,start_ns,end_ns\n"
ROWS = b"".join(b"%d,0,%d,0,%d,%s,%d,%d\n" % (i // 8, i % 2, i % 4, kind, 100 * i, 100 * i + 90) for i, kind in
                enumerate([b"forward-compute", b"forward-send", b"forward-recv", b"backward-compute", b"backward-send", b"backward-recv",
                           b"params-all-gather", b"grads-reduce-scatter"] * 3))
OBJECT = b'{"step":%d,"dp_rank":0,"stage":0,"type":"forward-compute","start_us":%d,"duration_us":9.5}'
EVENT_TEXT = b'{"ph":"X","name":"forward-compute","pid":%d,"tid":%d,"ts":%d.5,"dur":9,"args":{"step":0,"microbatch":0%s}}'
NAME = b'{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"%s"}}'


def timeline():
    events = [EVENT_TEXT % (pid, 1, 10 * pid, b"") for pid in range(3)]
    names = [NAME % (pid, 1, b"PP rank %d, compute" % pid) for pid in range(3)]
    stage = EVENT_TEXT % (0, 0, 0, b',"stage":1,"rank":2,"chunk":0,"model_chunk":1,"mb_id":2,"dp_rank":1')
    def chrome(*texts):
        return b'{"traceEvents":[' + b",".join(texts) + b"]}"
    made = [CSV + ROWS, b"\xef\xbb\xbf" + CSV + ROWS, b"# text\n\n" + CSV + ROWS + b"# end", CSV + b"1,0,0\n", CSV + b"1,0,0,0,0,nothing,1,2\n",
            CSV + b"x,0,0,0,0,forward-compute,1,2\n", CSV + b"1,0,0,0,0,forward-compute,5,2\n", b"step,step\n", b"step,dp,dp_rank\n", b"a," * 300,
            b"step,dp,stage,type,start_s,duration_ms\n0,0,0,forward-compute,1.000000001,1e3\n", CSV.replace(b"step", b"other"),
            CSV + b'"1","0","0","0","0","forward-compute","1","2"\n', b"step,rank,pp_rank,mc,mb_id,optype,start_ts,end_ts\n0,1,0,0,0,F,0.1,0.2\n",
            gzip.compress(CSV + ROWS, mtime=0), gzip.compress(CSV + ROWS, mtime=0)[:-9], CSV + b'"open\n' + ROWS]
    made += [b"[" + b",".join(OBJECT % (i, 10 * i) for i in range(4)) + b"]", b"\n".join(OBJECT % (i, 10 * i) for i in range(4)),
             b" \n [" + OBJECT % (0, 1) + b", 5, \"x\"]", b"[{\"step\":1}]", b"[" + OBJECT % (0, 1) + b",{", b"[{\"step\":01x}]",
             (b"[" + OBJECT % (0, 1) + b"]").replace(b'"step":0', b'"step":-1'), b"[" + (OBJECT % (0, 1)).replace(b"forward", b"other") + b"]",
             b"{" + b"[" * 100, b"[1,2,3]", b"{}", b"[]", b"["]
    made += [chrome(*names, *events), chrome(*events, *names[:2]), chrome(*events), chrome(stage), chrome(names[0], names[0], *events[:1]),
             chrome(NAME % (0, 1, b"PP rank x"), NAME % (0, 1, b"PP rank 99999"), NAME % (0, 1, b"other"), *events[:1]),
             chrome(b'{"ph":"M","name":"thread_name","pid":"x","tid":1,"args":{"name":"PP rank 0"}}', *events[:1]),
             chrome(b'{"ph":"X","name":"forward-compute","ts":1,"dur":2,"args":{"step":0,"dp_rank":0}}'), chrome(b'{"ph":"B"}', b"{}", *names),
             chrome(b'{"ph":"X","pid":0,"tid":"t","name":"forward-compute","ts":1,"dur":2,"args":{"step":0,"dp_rank":0,"microbatch":0}}')]
    return made


def word(at, value):
    return struct.pack("<I", at) + (value & 2**64 - 1).to_bytes(8, "little")


def slot(live_bytes, number, kind, aux=0, **fields):
    """The words that make slot `number` of the first lane one of this kind."""
    at = live_bytes - SLOTS * SLOT_BYTES + (TAKEN + number) * SLOT_BYTES
    name, flags = fields.get("name", 1), fields.get("flags", 0)
    made = word(at + 16, name | aux << 32 | kind << 48 | flags << 56)
    made += word(at + 24, fields.get("correlation", number + 1) | fields.get("stack", 0) << 32)
    if "begin" in fields:
        made += word(at, fields["begin"])
    return made


def live(live_bytes, offsets):
    """`offsets`: of the fields of the header, by name (fuzz.c's image is live_seed.c's)."""
    def one(number, kind, **fields):
        return slot(live_bytes, number, kind, **fields)
    every = b"".join(one(10 * kind, kind, aux=1) for kind in range(1, 10)) + one(199, 77)
    pairs = one(5, HOLDER, begin=20000 * 6, stack=3) + one(6, SCHED, begin=20000 * 6, aux=1, correlation=10, stack=5)
    joined = one(7, COLLECTIVE, correlation=3) + one(8, COLLECTIVE, correlation=900) + one(9, COLLECTIVE, correlation=0)
    late = b"".join(one(20 + i, COLLECTIVE, correlation=7000) for i in range(66))
    odd = one(11, RANGE, aux=300) + one(12, RANGE, stack=2) + one(13, COLLECTIVE, aux=300) + one(14, OVERHEAD, aux=999)
    event = one(15, EVENT, name=7, aux=1, stack=4) + one(16, EVENT, name=2**32 - 1) + one(17, EVENT, name=9, aux=9)
    header = [word(offsets[name], value) for name, value in
              [("layout", 99), ("file_bytes", 5), ("lanes_offset", 2**63), ("lanes_offset", live_bytes), ("dictionary_offset", 2**62),
               ("dictionary_bytes", 2**40), ("dictionary_reserved", 2**40), ("gpu_recorded", 1), ("unwritable", 1 | 1 << 32), ("unwritable", 1),
               ("gpu_kernels", 2**50), ("gpu_unwritten", 9), ("unheard_launches", 3), ("dropped_strings", 4), ("pid", 2**40)]]
    lane = [word(offsets["lane"] + 8 * i, value) for i in range(6) for value in (0, 7, 1000, 2**40, 2**64 - 1)]
    return [every, pairs, joined, late, odd, event, word(offsets["gpu_recorded"], 1) + word(offsets["unwritable"], 1), *header, *lane,
            every + word(offsets["gpu_recorded"], 1)]


def message(sent):
    """Messages like those of `sent`, the seeds by number: of proposals with some in them, from another device, cut short."""
    made = []
    for number, data in enumerate(sent):
        made += [data[:k] for k in (1, 5, 9, 12, 17, len(data) // 2, len(data) - 1)]
        made += [bytes([number]) + struct.pack("<q", error) for error in (-5, 5, -2**40, -125)]
        if len(data) == 25:  # a proposal or the word about the run
            steps = struct.pack("<IIQq", 2, 900, 0, 3 * 10**9) + struct.pack("<qq", 10**9, 2 * 10**9)
            made += [data[:17] + struct.pack("<Q", many) + steps * 2 for many in (1, 2, 3, 2**60)]
            made += [data[:17] + struct.pack("<Q", 1) + struct.pack("<IIQq", 2**31, 900, 0, 1) + steps, data[:9] + struct.pack("<Q", 0) + data[17:],
                     data[:17] + struct.pack("<Q", 1) + struct.pack("<IIQq", 1, 900, 0, 2**63 - 1) + struct.pack("<q", 2**63 - 1)]
        if len(data) > 300:
            rng = random.Random(number)
            for _ in range(40):
                changed, at = bytearray(data), rng.randrange(9, len(data) - 8)
                changed[at:at + 8] = (rng.choice(mutate.NUMBERS) & 2**64 - 1).to_bytes(8, "little")
                made.append(bytes(changed))
    return made


def kineto():
    head, tail = b'{"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":1},"deviceProperties":[{"id":0,"name":"G"}],', b"]}"
    event = (b'{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":%s,"dur":20,"args":{"correlation":1,"stream":7,"device":0,'
             b'"graph node id":5,"graph id":2}}')
    def file(*events, before=b""):
        return head + before + b'"traceEvents":[' + b",".join(events) + tail
    good = event % b"1000"
    made = [b"\xef\xbb\xbf" + file(good), b" \n" + file(good), gzip.compress(file(good), mtime=0), gzip.compress(file(good) * 9, mtime=0)[:-9],
            gzip.compress(file(good), mtime=0)[:30] + b"\xff" * 40, gzip.compress(file(*[good] * 4 + [b" " * 100000]), mtime=0)]
    made += [file(good, before=b'"baseTimeNanoseconds":%s,' % base) for base in (b"1700000000000000000", b"9" * 30, b"-1", b'"x"', b"0")]
    made += [file(good, before=b'"pytorch_version":"2.8.0",'), file(good, before=b'"trace_id":"%s",' % (b"x" * 300)), b"[" + good + b"]",
             file(good, b'"text"', b"5", b"[]", good), file(good, b"{" * 70), file(b'{"ph":"X","name":"a\\u00e9\\ud83d\\ude00\\udc00\\q","ts":1}'),
             file(*[event % ts for ts in (b"1e3", b"1.000", b"1.0005", b"1.0000000001", b"-5", b"1e999", b'"7"', b"0.5", b"null")]),
             file(good[:-2]), file(good) + b"rest", file(b'{"name":"open\n"}'), file(b"{]}"), file(b'{"a":[1,{"b":[[[]]]}}'), b'{"traceEvents"', b"{", b"x",
             file(good).replace(b"traceEvents", b"traceEvent"), b'{"x":tru' + file(good), b"{" + b'"k":1,' * 20000 + b'"traceEvents":[' + good + b"]}"]
    made += [file(good.replace(b'"kernel"', b'"%s"' % kind)) for kind in (b"gpu_memcpy", b"gpu_memset", b"overhead", b"cuda_sync", b"python_function", b"ac2g",
                                                                     b"user_annotation", b"gpu_user_annotation", b"cpu_op", b"cuda_driver", b"mtia_ccp_events")]
    names = [b"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", b"void ncclKernel_SendRecv<1>", b"nccl:all_reduce", b"nccl:_all_gather_base", b"nccl:", b"ncclKernel_",
             b"Memcpy HtoD (Pageable -> Device)", b"Memcpy ? (x)", b"Memset (Device)", b"x" * 5000]
    made += [file(good.replace(b'"gemm"', b'"%s"' % name).replace(b'"stream"', b'"Collective name":"allreduce","dtype":"Float","In msg nelems":5,"Out msg nelems":5,'
                                                                b'"Group size":8,"Process Group Name":"0","Process Group Ranks":"[0, 1]","Seq":4,"bytes":9,"stream"'))
             for name in names]
    made += [b"./rank-3.json", b"/a/node_41.1700000000000000000.pt.trace.json", b"node_x.12.pt.trace.json", b"rank99999999999999999999_rank_2", b"a_1_2.3.json"]
    made += [file(good, before=b'"hostName":"h","a":{"traceEvents":5},"baseTimeNanoseconds":1700000000000000000,').replace(b"1000", b"1700000000000000.5"),
             file(*[good] * 700), file(good, b'{"name":"%s"}' % (b"\\u00e9\\u07ff\\u0041\\ud800x\\udfff\\n" * 20)), file(good.replace(b"gemm", b"g\\u00e9\\u0041\\ud800x"))]
    made += [hostile.changed(random.Random(seed), hostile.kineto()) for seed in range(150)]
    return made


def kineto_operators():
    """Operators with the shapes of their inputs, on a forward and a backward thread that their numbers and flows join."""
    operator = (b'{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":9,"tid":%d,"ts":%d,"dur":5,"args":{"Sequence number":%d,"Fwd thread id":%d,'
                b'"Input Dims":%s,"Input type":%s}}')
    flow = b'{"ph":"%s","cat":"fwdbwd","name":"fwdbwd","id":%s,"pid":9,"tid":%d,"ts":%d,"bp":"e"}'
    def file(*events):
        return b'{"schemaVersion":1,"distributedInfo":{"rank":0},"traceEvents":[' + b",".join(events) + b"]}"
    both = [operator % (tid, 100 * n + tid, n, tid - 9, b"[[2, 3], [], [3,\n4]]", b'["float", "", "a \\" b"]') for n in range(5) for tid in (9, 10)]
    flows = [flow % (kind, b"%d" % n, tid, 100 * n + tid) for n in range(5) for kind, tid in ((b"s", 9), (b"f", 10))]
    many = [operator % (9 + n, n, n // 2, n % 2, b"[]", b"[]") for n in range(300)]
    odd = [operator % (9, 1, -1, -1, shapes, types) for shapes, types in ((b"5", b'"x"'), (b"[[", b"[]"), (b"{}", b"null"), (b"[" + b"7," * 9000 + b"7]", b"[]"))]
    return [file(*both), file(*flows, *both), file(*many), file(*odd), file(*[flow % (b"s", n, 9, 1) for n in (b"-1", b'"x"', b"1e9", b"null")], *both[:1])]


def nsys(data):
    """An export of nsys with call chains, memory that allocations took, inputs of operators, and payloads as hex."""
    made = []

    def change(*statements, rows=()):
        db = sqlite3.connect(":memory:")
        db.deserialize(data)
        for statement in statements:
            db.execute(statement)
        for statement, values in rows:
            db.executemany(statement, values)
        db.commit()
        made.append(db.serialize())

    texts = ["train.py", "train.py:12 step", "train.py:99999999999 x", "train.py:7", "[backward]", "libtorch.so+0x1f0", "/lib/libtorch.so", "main"]
    strings = ("INSERT INTO StringIds VALUES (?, ?)", [(900 + i, text) for i, text in enumerate(texts)])
    pairs = [(901, 900), (902, 900), (903, 900), (904, None), (905, 906), (907, 906), (907, None), (None, None), (5555, 5555)]
    chains = "CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, originalIP INTEGER, stackDepth INTEGER)"
    frame = "INSERT INTO CUDA_CALLCHAINS VALUES (?, ?, ?, ?, ?)"
    column = "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INTEGER"
    change(chains, column, "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = rowid % 4",
           rows=(strings, (frame, [(1 + i % 3, *pair, 4096 + i, i) for i, pair in enumerate(pairs * 2)])))
    change(chains, column, "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET callchainId = 1", rows=(strings, (frame, [(1, 907, 906, i, i) for i in range(300)])))
    used = "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (globalPid INTEGER, correlationId INTEGER, bytes INTEGER, memKind INTEGER)"
    calls = "SELECT globalTid & ~0xffffff, correlationId, %s FROM CUPTI_ACTIVITY_KIND_RUNTIME"
    change(used, "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS " + calls % "1 << correlationId % 40, 2",
           "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS " + calls % "-5, 99")
    inputs = ['{"Input Dims":"[[2,3],[]]","Input type":"[\\"float\\",\\"\\"]"}', '{"Input Dims":"[[2]]"}', '{"Input Dims":"[[2]', '{"Input Dims":"\\', "{}"]
    change(*["UPDATE NVTX_EVENTS SET jsonText = '%s' WHERE rowid %% 5 = %d" % (text.replace("'", "''"), i) for i, text in enumerate(inputs)])
    change("UPDATE NVTX_EVENTS SET binaryData = hex(binaryData)")
    change("UPDATE NVTX_EVENTS SET binaryData = hex(binaryData) || 'g' || substr(hex(binaryData), 2)")
    change("UPDATE NVTX_EVENTS SET eventType = 75, text = 'a domain', domainId = rowid % 3 WHERE rowid % 4 = 0", "UPDATE NVTX_EVENTS SET domainId = rowid % 3")
    change("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9e18 WHERE rowid % 2", "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 1 << 62")
    change("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 99, srcKind = 5", "DELETE FROM TARGET_INFO_GPU", "UPDATE TARGET_INFO_CUDA_DEVICE SET uuid = 'x'")
    return made


def nvprof():
    base = hostile.nvprof().decode()
    names = '"Start","Duration","Size","Device","Context","Stream","Name","Correlation_ID"\n'
    def table(units, *rows, before="==9== NVPROF is profiling process 9, command: a\n"):
        return (before + names + units + "\n" + "\n".join(rows) + "\n").encode()
    row = '1.0,2.0,4,"G (0)","1","7","gemm(int)",5'
    made = [table("s,ms,KB,,,,,", row), table("ns,us,B,,,,,", row), table("x,ms,KB,,,,,", row), table("s,ms,XB,,,,,", row), table("", row),
            table("s,ms,KB,,,,,", row, row, before=""), table("s,ms,KB,,,,,", row[:9]), table("s,ms,KB,,,,,", "x" + row), table("s,ms,KB,,,,,", row.replace("2.0", "-2")),
            table("s,ms,KB,,,,,", row.replace("1.0", "1e300")), table("s,ms,KB,,,,,", row.replace('"gemm(int)"', '"[Unified Memory GPU page faults]"')),
            table("s,ms,KB,,,,,", row.replace('"gemm(int)"', '"[Unified Memory Memcpy HtoD]"')), table("s,ms,KB,,,,,", row.replace('"gemm(int)"', '""')),
            table("s,ms,KB,,,,,", row.replace('"gemm(int)"', '"a ""quoted"" name"')), table("s,ms,KB,,,,,", row.replace('"G (0)"', '"G"')),
            table("s,ms,KB,,,,,", row.replace('"G (0)"', '"G (99999999999)"')), table("s,ms,KB,,,,,", row, "==9== Warning: 3 records have invalid timestamps"),
            table("s,ms,KB,,,,,", row, "==9== Warning: Some profiling data are not recorded", "==9== Warning: other", "== x"), b"\xef\xbb\xbf" + base.encode(),
            base.encode() * 2, (names.replace("\n", ",") * 9 + "\n").encode(), (names.replace('"Size"', '"Start"') + "s,ms,s,,,,,\n" + row + "\n").encode(),
            b'"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"\n,%,ms,,ms,ms,ms,\n"GPU activities",1,2,3,4,5,6,"gemm"\n',
            b'"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n"G (0)","gemm",1,"ipc","x",1,1,1\n',
            gzip.compress(base.encode(), mtime=0), gzip.compress(base.encode() * 4, mtime=0)[:-9], gzip.compress(base.encode(), mtime=0)[:40] + b"\xff" * 30,
            base.replace("process 9", "process 8").encode() + base.encode(), base.replace("0.5", "0,5").encode(), base.encode()[:-20], base.replace("gemm", "x" * 9000).encode(),
            table("s,ms,KB,,,,,", *["%d.0,1.0,4,\"G (0)\",\"1\",\"7\",\"gemm\",%d" % (9 - i, i) for i in range(9)]), b'"' + base.encode()]
    return made + [hostile.changed(random.Random(seed), base.encode()) for seed in range(150)]


def mutated(seeds, number=600):
    """Of files in blocks, whose checksums the fuzzer's target mends."""
    made = [mutate.mutation(12, i, seeds) for i in range(number)]
    return [data for data in made if any(data[:24] == seed[:24] for seed in seeds)]


def records_of(payload):
    """[(first, after)] of its records."""
    spans, at = [], 0
    while at + 8 <= len(payload):
        after = at + max(8, int.from_bytes(payload[at + 4:at + 8], "little"))
        spans.append((at, min(after, len(payload))))
        at = after
    return spans


def summaries(data):
    """Summaries like this one, not compressed: of each type of record the first and the last one, without it, with it twice, cut to its
    head, of no known type, and with each number of it an edge."""
    span = next(iter(mutate.block_spans(data)))
    payload = mutate.raw_payload(data, span[0])
    def file(changed):
        return bytes(mutate.rebuilt(data, span, changed, changed, compression=0, rows=len(records_of(changed))))
    made, ends = [file(payload)], {}
    for first, after in records_of(payload):
        ends.setdefault(payload[first:first + 2], [(first, after)])[1:] = [(first, after)]
    for first, after in sorted({place for places in ends.values() for place in places}):
        record = payload[first:after]
        others = [b"", record * 2, record[:4] + struct.pack("<I", 8), struct.pack("<H", 99) + record[2:]]
        others += [record[:at] + edge + record[at + 8:] for at in range(8, len(record) - 7, 4)
                   for edge in (bytes(8), b"\xff" * 8, b"\xff" * 7 + b"\x7f", b"\1" + bytes(7))]
        made += [file(payload[:first] + other + payload[after:]) for other in others]
    return made
