#!/usr/bin/env python3
"""Writes what nvprof prints in each of its forms, from rows of known times, and compares an import with them.

    nvprof_forms.py write FORM FILE     the file of a form
    nvprof_forms.py check BATON WORK    every form: each op and call of `baton dump` beside the row it was written from

The names of the columns, their order and the units are those of files that nvprof of CUDA 8 to 12 wrote.
"""

import gzip
import json
import random
import subprocess
import sys

UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
SIZES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
NAMES = ["void at::native::vectorized_elementwise_kernel<int=4, at::native::AddFunctor<float>>(int, float)",
         "volta_sgemm_128x64_nn", "ncclAllReduceRingLLKernel_sum_f32(ncclColl)"]
SHAPE = ["Grid X", "Grid Y", "Grid Z", "Block X", "Block Y", "Block Z", "Registers Per Thread", "Static SMem", "Dynamic SMem"]


class Form:
    """start, duration, size: their units. tail: correlation after the name, as CUDA 8 prints it."""

    def __init__(self, start="s", duration="us", size="KB", tail=False, memory=True, peers=False, calls=False, apart=False,
                 quoted=True, remarks=True, newline="\n", devices=1, packed=False):
        self.__dict__.update(locals())


FORMS = {
    "cuda8": Form(tail=True, memory=False),
    "cuda9": Form("s", "ms", "MB"),
    "peers": Form("ms", "us", "B", tail=True, memory=False, peers=True, devices=2),
    "nano": Form("ns", "ns", "B", remarks=False),
    "calls": Form("us", "us", "KB", calls=True),
    "apart": Form("us", "us", "KB", calls=True, apart=True),
    "bare": Form("ms", "ms", "GB", quoted=False, remarks=False, newline="\r\n"),
    "gz": Form("ms", "us", packed=True),
}


def rows(form):
    """Ops and calls in ns; a stream has one op at a time, and the last one of a launch ends where the next begins."""
    rng = random.Random(7)
    ops, calls, now = [], [], 1_183_779_000
    for i in range(60):
        launch, dur = now, rng.randrange(900, 250_000)
        start = launch + (4_000 if i % 3 else 0)
        kind = i % 5
        copy = kind == 4
        ops.append({"start": start, "dur": dur, "corr": i + 1, "device": i % form.devices, "stream": 7 + 13 * (i % 2),
                    "name": ["[CUDA memcpy HtoD]", "[CUDA memcpy DtoH]", "[CUDA memset]"][i // 5 % 3] if copy else NAMES[kind % 3],
                    "bytes": rng.randrange(1, 1 << 22) if copy else None,
                    "memory": ("Pageable", "Device") if copy and i // 5 % 3 == 0 else ("Device", "Pinned") if copy else ("", "")})
        calls.append({"start": launch - 3_000, "dur": 2_000, "corr": i + 1, "name": "cudaMemcpyAsync" if copy else "cudaLaunchKernel"})
        if i % 10 == 0:
            calls.append({"start": launch - 2_500, "dur": 1_000, "corr": i + 1000, "name": "cuLaunchKernel"})
        if i % 10 == 5:
            calls.append({"start": launch - 2_500, "dur": dur + 5_000, "corr": i + 2000, "name": "cudaStreamSynchronize"})
        now = start + dur + (0 if i % 4 else 10_000)
    return ops, calls


def text(form, value, quote=True):
    value = str(value)
    return '"%s"' % value if value and (form.quoted and quote or "," in value) else value


def columns(form):
    names = ["Start", "Duration"] + SHAPE + ["Size", "Throughput"]
    names += ["SrcMemType", "DstMemType"] if form.memory else []
    names += ["Device", "Context", "Stream"]
    names += ["Src Dev", "Src Ctx", "Dst Dev", "Dst Ctx"] if form.peers else []
    return names + ["Name"] + ([] if form.tail else ["Correlation_ID"])


def unit(form, column):
    times = {"Start": form.start, "Duration": form.duration, "Size": form.size, "Throughput": "GB/s"}
    return times.get(column, "B" if "SMem" in column else "")


def op_cells(form, op):
    copy = op["bytes"] is not None
    cells = {"Device": text(form, "Tesla V100-SXM2-16GB (%d)" % op["device"]), "Context": text(form, 1), "Stream": text(form, op["stream"]),
             "Start": "%f" % (op["start"] / UNITS[form.start]), "Duration": "%f" % (op["dur"] / UNITS[form.duration]),
             "Name": text(form, op["name"] + (" [%d]" % op["corr"] if form.tail else "")), "Correlation_ID": str(op["corr"])}
    if copy:
        cells["Size"] = "%f" % (op["bytes"] / SIZES[form.size])
        cells["Throughput"] = "%f" % (op["bytes"] / op["dur"] * 1e9 / 2**30)
        cells["SrcMemType"], cells["DstMemType"] = (text(form, m) for m in op["memory"])
    else:
        cells.update({n: str(v) for n, v in zip(SHAPE, [80, 2, 1, 128, 1, 1, 32, 512, 1024])})
    return cells


def call_cells(form, call):
    return {"Start": "%f" % (call["start"] / UNITS[form.start]), "Duration": "%f" % (call["dur"] / UNITS[form.duration]),
            "Name": text(form, call["name"]), "Correlation_ID": str(call["corr"])}


def table(form, names, lines):
    out = [",".join(text(form, n) for n in names), ",".join(unit(form, n) for n in names)]
    return out + [",".join(cells.get(n, "") for n in names) for cells in lines]


def written(form):
    ops, calls = rows(form)
    gpu, api = [(o["start"], op_cells(form, o)) for o in ops], [(c["start"], call_cells(form, c)) for c in calls]
    lines = ["step 1 of 2, loss 0.25", "==77== NVPROF is profiling process 77, command: python train.py", "==77== Profiling result:"] if form.remarks else []
    if form.apart:
        lines += table(form, columns(form), [cells for _, cells in gpu])
        lines += table(form, ["Start", "Duration", "Name", "Correlation_ID"], [cells for _, cells in sorted(api, key=lambda x: x[0])])
    else:
        lines += table(form, columns(form), [cells for _, cells in sorted(gpu + (api if form.calls else []), key=lambda x: x[0])])
    data = form.newline.join(lines + [""]).encode()
    return gzip.compress(data) if form.packed else data


def dumped(baton, run):
    out = subprocess.run([baton, "dump", "--json", run], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def check(baton, work, name, form):
    path, run = "%s/%s.csv" % (work, name), "%s/%s.run" % (work, name)
    with open(path, "wb") as file:
        file.write(written(form))
    subprocess.run([baton, "import", path, "-f", "-o", run], check=True, capture_output=True)
    ops, calls = rows(form)
    lines = dumped(baton, run)
    streams = {x["id"]: x for x in lines if x["record"] == "stream"}
    ordinals = {x["id"]: x["ordinal"] for x in lines if x["record"] == "device"}
    shapes = {x["id"]: x for x in lines if x["record"] == "shape"}
    got = {x["correlation"]: x for x in lines if x["record"] == "op"}
    assert sorted(got) == sorted(o["corr"] for o in ops), name
    digit = max(1, UNITS[form.start] // 10**6)
    last = {}
    for op in ops:
        x = got[op["corr"]]
        assert x["dur_ns"] == op["dur"] and x["name"] == op["name"], (name, op, x)
        assert abs(x["start_ns"] - op["start"]) <= digit / 2 + (digit > 1), (name, op, x)
        place = streams[x["stream"]]
        assert (ordinals[place["device"]], place["context"], place["stream"]) == (op["device"], 1, op["stream"]), (name, op, x)
        # no digit that is missing makes work of one stream overlap
        assert x["start_ns"] >= last.get(x["stream"], 0), (name, op, x)
        last[x["stream"]] = x["start_ns"] + x["dur_ns"]
        if op["bytes"] is None:
            shape = shapes[x["shape"]]
            assert [shape[k] for k in ("grid_x", "grid_y", "block_x", "registers", "static_shared", "dynamic_shared")] == [80, 2, 128, 32, 512, 1024], shape
            assert x["op_kind"] == 1
            continue
        assert abs(x["bytes"] - op["bytes"]) <= SIZES[form.size] / 2e6 + 0.5, (name, op, x)
        assert (x["op_kind"], x["copy_dir"]) == {"[CUDA memcpy HtoD]": (2, 1), "[CUDA memcpy DtoH]": (2, 2), "[CUDA memset]": (3, 0)}[op["name"]], x
        if form.memory and x["op_kind"] == 2:
            assert (x["pageable"], x["memory"]) == ((1, 0x31) if op["memory"][0] == "Pageable" else (0, 0x23)), x
    threads = {}
    got = [x for x in lines if x["record"] == "call"]
    assert len(got) == (len(calls) if form.calls else 0), name
    for x in got:
        call = next(c for c in calls if c["corr"] == x["correlation"] and c["name"] == x["name"])
        assert (x["start_ns"], x["dur_ns"]) == (call["start"], call["dur"]), (name, call, x)
        threads.setdefault(x["thread"], []).append(x)
    for rows_of in threads.values():  # on a thread, only a call of the driver lies inside another
        for a in rows_of:
            for b in rows_of:
                inside = a is not b and a["start_ns"] <= b["start_ns"] < a["start_ns"] + a["dur_ns"]
                assert not inside or b["name"].startswith("cuL"), (a, b)
    assert len(threads) == (2 if form.calls else 0), (name, len(threads))
    report = json.loads(subprocess.run([baton, "report", "--json", run], capture_output=True, check=True).stdout)
    assert report["run"]["source"] == "nvprof"
    for device in report["devices"]:
        mine = [o for o in ops if o["device"] == int(device["device"].split("/")[1])]
        spans, busy, end = sorted((o["start"], o["start"] + o["dur"]) for o in mine), 0, 0
        for a, b in spans:
            busy += max(0, b - max(a, end))
            end = max(end, b)
        found = device["hull_ns"] - device["hull_idle_ns"]
        assert abs(found - busy) <= digit * len(mine), (name, found, busy)
        assert form.calls or {k for k in device["time_ns"] if k.startswith("idle.")} <= {
            "idle.unknown.unmatched", "idle.unknown.unrecorded", "idle.unknown.unexplained"}, device["time_ns"]


if __name__ == "__main__":
    if sys.argv[1] == "write":
        with open(sys.argv[3], "wb") as file:
            file.write(written(FORMS[sys.argv[2]]))
    else:
        for form_name, one in FORMS.items():
            check(sys.argv[2], sys.argv[3], form_name, one)
        print("%d forms" % len(FORMS))
