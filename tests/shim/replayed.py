"""What the shim made of a replayed fixture of the GPU probe, against the fixture itself, read here by the document alone
(tools/probe/FORMAT.md, CUPTI's layouts): replayed.py FIXTURE DUMP, DUMP being `baton dump --json`.

Every complete kernel, copy, memset and launch of a graph is an op with its times, correlation, stream, and what else its kind has,
once; nothing else is; a kernel without an end is lost, once; every record of CUPTI's own work is an overhead; every call of the log
whose callbacks the shim asks for is a call row of its thread's, with the correlation of the outermost call.
"""
import collections
import json
import struct
import sys

KERNEL, COPY, SET, SERIAL_KERNEL, GRAPH, OVERHEAD = 10, 1, 2, 3, 51, 17
PAGEABLE, LOST_KERNELS = 1, 2
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


def expected_kernel(r, names):
    start, end = struct.unpack_from("<QQ", r, 16)
    stream, *shape = struct.unpack_from("<I6III", r, 48)
    correlation, name = struct.unpack_from("<I", r, 92)[0], struct.unpack_from("<Q", r, 104)[0]
    registers = struct.unpack_from("<H", r, 6)[0]
    return start, end, (1, correlation, stream, names.get(name), registers, *shape)


def expected_copy(r, _names):
    way, source, target, size, start, end, _device, _context, stream, correlation = struct.unpack_from("<4xBBBxQQQIIII", r)
    return start, end, (2, correlation, stream, size, way, PAGEABLE in (source, target), source | target << 4)


def expected_set(r, _names):
    size, start, end, _device, _context, stream, correlation = struct.unpack_from("<8xQQQIIII", r)
    return start, end, (3, correlation, stream, size, struct.unpack_from("<H", r, 50)[0] << 4)


def expected_graph(r, _names):
    correlation, start, end, _device, _graph, _context, stream = struct.unpack_from("<4xIQQIIII", r)
    return start, end, (4, correlation, stream)


def expected_ops(names, records):
    """(the ops, how many records of kernels have no end)."""
    kinds = {KERNEL: expected_kernel, SERIAL_KERNEL: expected_kernel, COPY: expected_copy, SET: expected_set, GRAPH: expected_graph}
    ops, lost = collections.Counter(), 0
    for r in records:
        kind = struct.unpack_from("<I", r)[0]
        if kind in kinds:
            start, end, what = kinds[kind](r, names)
            ops[(start, end - start, *what)] += end != 0
            lost += end == 0
    return +ops, lost


def recorded_ops(rows):
    shapes = {r["id"]: r for r in rows if r["record"] == "shape"}
    streams = {r["id"]: r["stream"] for r in rows if r["record"] == "stream"}
    sizes = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "static_shared", "dynamic_shared")
    ops = collections.Counter()
    for r in rows:
        if r["record"] != "op":
            continue
        what = {1: lambda r: (r["name"], *(shapes[r["shape"]][size] for size in ("registers", *sizes))),
                2: lambda r: (r["bytes"], r["copy_dir"], bool(r["pageable"]), r["memory"]),
                3: lambda r: (r["bytes"], r["memory"]), 4: lambda r: ()}[r["op_kind"]](r)
        ops[(r["start_ns"], r["dur_ns"], r["op_kind"], r["correlation"], streams[r["stream"]], *what)] += 1
    return ops


def expected_overheads(records):
    return collections.Counter(struct.unpack_from("<QQ", r, 24) for r in records if struct.unpack_from("<I", r)[0] == OVERHEAD)


def recorded_overheads(rows):
    return collections.Counter((r["start_ns"], r["start_ns"] + r["dur_ns"]) for r in rows
                               if r["record"] == "overhead" and not (r["name"] or "").startswith("baton"))


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


def lost_kernels(rows):
    return sum(r["count"] for r in rows if r["record"] == "loss" and r["kind"] == LOST_KERNELS)


def main(fixture, dump):
    names, records, calls = read(fixture)
    rows = [json.loads(line) for line in open(dump)]
    call_rows = [r for r in rows if r["record"] == "call" and r["name"] != "first"]
    expected, lost = expected_ops(names, records)
    ops = recorded_ops(rows)
    wrong = differences("ops", expected, ops)
    wrong += differences("overheads", expected_overheads(records), recorded_overheads(rows))
    recorded_calls = collections.Counter((r["name"], r["correlation"]) for r in call_rows)
    wrong += differences("calls", expected_calls(calls, {r["name"] for r in call_rows}), recorded_calls)
    if lost_kernels(rows) < lost:
        print(f"{lost} kernels have no end, {lost_kernels(rows)} count as lost")
        wrong += 1
    if calls and any(c[6] == 2 and c[2] == 211 for c in calls) and "call 2.211" not in {r["name"] for r in call_rows}:
        print("cudaLaunchKernel was called and never recorded")
        wrong += 1
    print(f"{sum(ops.values())} ops of {len(records)} records, {len(call_rows)} of {len(calls)} callbacks' calls, {wrong} wrong")
    return wrong > 0 or not rows


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
