"""Row 9: GPU records with times that cannot be (zero, an end before the start, a start before the launch, near 2^63, twice the same
correlation). What a GPU probe recorded is played to the recorder with some records spoilt (tests/shim/replay.c): the others come out
exactly, those without a duration are left out, and a report of the trace still adds up."""
import collections
import glob
import gzip
import json
import os
import random
import struct

import row

NUMBER, NAME, VERSION = 9, "bad GPU times", 2
TARGET, UNIT = 2_000, "spoilt recordings"
NOTE = ""
BUFFER, KERNEL = 3, 10
START_AT, END_AT, CORRELATION_AT = 16, 24, 92
HOW = ["zero", "end first", "before the launch", "wraps", "same correlation", "long"]
known = {}


def fixtures(bench, releases):
    """The probe's recordings of kernels, made here over the doubles of these CUPTIs."""
    for release in releases:
        out = os.path.join(bench.work, "probe" + release)
        bench.run(os.path.join(row.BUILD, "probe/probe"), out, "--driver", os.path.join(row.SIMGPU, "libcuda.so.1"), "--cupti",
                  os.path.join(row.SIMGPU, "libcupti.so." + release), "--quick", seconds=120)
        folder = os.path.join(out, "fixtures")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            data = open(os.path.join(folder, name), "rb").read()
            if len(list(kernels(data))) >= 8:
                yield release + "/" + name, data


def real():
    """What real GPUs gave."""
    for path in sorted(glob.glob("tests/gpu/fixtures/*/*.fixture.gz")):
        with gzip.open(path) as packed:
            data = packed.read()
        if len(list(kernels(data))) >= 8:
            yield path.split("/", 3)[3], data


def kernels(data):
    """Where each kernel record begins."""
    at = 32
    while at + 16 <= len(data):
        kind, _, size = struct.unpack_from("<IIQ", data, at)
        at += 16
        if kind == BUFFER:
            valid, count = struct.unpack_from("<16xQ12xI", data, at)[0], struct.unpack_from("<36xI", data, at)[0]
            first = at + 48 + (4 * count + 7) // 8 * 8
            for offset in struct.unpack_from("<%dI" % count, data, at + 48):
                if struct.unpack_from("<I", data, first + offset)[0] == KERNEL and offset + 112 <= valid:
                    yield first + offset
        at += size


def spoil(rng, data, places):
    """Some kernels spoilt; (start, duration, correlation) of all that have a duration, and how many have none."""
    data, chosen = bytearray(data), rng.sample(places, rng.randint(1, max(1, len(places) // 2)))
    for at in chosen:
        start, end = struct.unpack_from("<QQ", data, at + START_AT)
        how = rng.choice(HOW)
        times = {"zero": (0, 0), "end first": (end, start), "before the launch": (max(start - 10**9, 0), max(end - 10**9, 0)),
                 "wraps": (2**62, 2**62 + rng.randint(1, 10**6)), "long": (start, start + 10**15)}.get(how, (start, end))
        struct.pack_into("<QQ", data, at + START_AT, *times)
        if how == "same correlation":
            struct.pack_into("<I", data, at + CORRELATION_AT, struct.unpack_from("<I", data, places[0] + CORRELATION_AT)[0])
    rows, without = collections.Counter(), 0
    for at in places:
        start, end = struct.unpack_from("<QQ", data, at + START_AT)
        if end == 0 or end < start:
            without += 1
        else:
            rows[start, end - start, struct.unpack_from("<I", data, at + CORRELATION_AT)[0]] += 1
    return bytes(data), rows, without


def case(bench, number):
    rng = random.Random(number)
    name, data = known["fixtures"][number % len(known["fixtures"])]
    data, wanted, without = spoil(rng, data, list(kernels(data)))
    path, run = os.path.join(bench.work, "case.fixture"), bench.fresh()
    open(path, "wb").write(data)
    what = "case %d, %s" % (number, name)
    status, _, err = bench.preloaded(run, os.path.join(row.BUILD, "tests/shim/replay"), path, BATON_STACKS="off",
                                     BATON_CUPTI=os.path.join(row.BUILD, "tests/shim/replay_cupti.so"))
    bench.expect(status == 0, "%s: status %s: %s" % (what, status, err.decode()[-300:]))
    status, out, _ = bench.run(row.BATON, "dump", "--json", run)
    found = collections.Counter()
    for line in out.splitlines():
        r = json.loads(line)
        if r["record"] == "op" and r["op_kind"] == 1:
            found[r["start_ns"], r["dur_ns"], r["correlation"]] += 1
    bench.expect(status == 0 and found == wanted, "%s: %d kernels missing, %d too many" %
                 (what, sum((wanted - found).values()), sum((found - wanted).values())))
    status, out, err = bench.run(row.BATON, "report", "--json", run)
    bench.expect(status in (0, 3, 4), "%s: report ends with %s: %s" % (what, status, err.decode()[-300:]))
    if out:
        devices = json.loads(out)["devices"]
        bench.expect(all(sum(d["time_ns"].values()) == d["window_ns"] for d in devices), "%s: the leaves do not add up" % what)
    bench.add(kernels=sum(wanted.values()), left_out=without)


def piece(bench, first, most):
    row.needs(os.path.join(row.BUILD, "probe/probe"), os.path.join(row.BUILD, "tests/shim/replay"))
    if not known:
        known["fixtures"] = [*fixtures(bench, ("11.8", "12", "13") if most > 100 else ("13",)), *real()]
        if not known["fixtures"]:
            raise row.Skip("the probe made no recordings")
    n = min(most, 8)
    for number in range(first, first + n):
        case(bench, number)
    return n


if __name__ == "__main__":
    row.main(globals())
