"""What the shim made of a replayed fixture of the GPU probe, against the fixture itself, read here by the document alone
(tools/probe/FORMAT.md, CUPTI's layouts): replayed.py FIXTURE DUMP, DUMP being `baton dump --json`.

Every complete kernel, copy and memset is an op with its times, correlation and name or size, once; nothing else is; every call of
the log whose callbacks the shim asks for is a call row of its thread's, with the correlation of the outermost call.
"""
import collections
import json
import struct
import sys

KERNEL, COPY, SET, PEER_COPY, SERIAL_KERNEL, GRAPH = 10, 1, 2, 22, 3, 50
NAME, BUFFER, CALLS, END = 2, 3, 4, 255


def chunks(data):
    if data[:8] != b"BTNFIX\r\n":
        sys.exit("not a fixture")
    at = 32
    while True:
        kind, _, size = struct.unpack_from("<IIQ", data, at)
        at += 16
        yield kind, data[at:at + size]
        at += size
        if kind == END:
            return


def read(path):
    names, records, calls = {}, [], []
    for kind, body in chunks(open(path, "rb").read()):
        if kind == NAME:
            pointer, length = struct.unpack_from("<QI", body)
            names[pointer] = body[16:16 + length].decode()
        elif kind == BUFFER:
            valid, count = struct.unpack_from("<16xQ12xI", body)[0], struct.unpack_from("<36xI", body)[0]
            offsets = struct.unpack_from(f"<{count}I", body, 48)
            start = 48 + (4 * count + 7) // 8 * 8
            bounds = [*offsets, valid]
            records += [body[start + bounds[i]:start + bounds[i + 1]] for i in range(count)]
        elif kind == CALLS:
            count = struct.unpack_from("<I", body)[0]
            calls = [struct.unpack_from("<qQIIIIBB6x", body, 8 + 40 * i) for i in range(count)]
    return names, records, calls


def expected_ops(names, records):
    ops = collections.Counter()
    for r in records:
        kind = struct.unpack_from("<I", r)[0]
        if kind in (KERNEL, SERIAL_KERNEL):
            start, end = struct.unpack_from("<QQ", r, 16)
            correlation, name = struct.unpack_from("<I", r, 92)[0], struct.unpack_from("<Q", r, 104)[0]
            what = (1, start, end - start, correlation, names.get(name))
        elif kind in (COPY, SET):
            size, start, end = struct.unpack_from("<QQQ", r, 8)
            what = (2 if kind == COPY else 3, start, end - start, struct.unpack_from("<I", r, 44)[0], size)
        else:
            continue
        if end:
            ops[what] += 1
    return ops


def recorded_ops(rows):
    ops = collections.Counter()
    for r in rows:
        if r["record"] == "op" and r["op_kind"] != 4:
            detail = r["name"] if r["op_kind"] == 1 else r["bytes"]
            ops[(r["op_kind"], r["start_ns"], r["dur_ns"], r["correlation"], detail)] += 1
    return ops


def expected_calls(calls, recorded_names):
    """Outermost calls (a runtime call's driver calls share its correlation id) of the kinds that were recorded at all."""
    open_on, found = {}, collections.Counter()
    for _ns, _data, cbid, correlation, tid, _context, domain, site in calls:
        name = f"call {domain}.{cbid}"
        if domain not in (1, 2) or name not in recorded_names:
            continue
        if site == 0 and open_on.get(tid) != correlation:
            open_on[tid] = correlation
            found[(name, correlation)] += 1
        elif site == 1 and (name, correlation) in found:
            open_on.pop(tid, None)
    return found


def differences(what, expected, recorded):
    wrong = [f"missing {k} x {n}" for k, n in (expected - recorded).items()] + [f"too many {k} x {n}" for k, n in (recorded - expected).items()]
    for line in wrong[:5]:
        print(f"{what}: {line}")
    return len(wrong)


names, records, calls = read(sys.argv[1])
rows = [json.loads(line) for line in open(sys.argv[2])]
ops, call_rows = recorded_ops(rows), [r for r in rows if r["record"] == "call" and r["name"] != "first"]
wrong = differences("ops", expected_ops(names, records), ops)
recorded_calls = collections.Counter((r["name"], r["correlation"]) for r in call_rows)
wrong += differences("calls", expected_calls(calls, {r["name"] for r in call_rows}), recorded_calls)
if calls and any(c[6] == 2 and c[2] == 211 for c in calls) and "call 2.211" not in {r["name"] for r in call_rows}:
    print("cudaLaunchKernel was called and never recorded")
    wrong += 1
print(f"{sum(ops.values())} ops of {len(records)} records, {len(call_rows)} of {len(calls)} callbacks' calls, {wrong} wrong")
sys.exit(wrong > 0 or not rows)
