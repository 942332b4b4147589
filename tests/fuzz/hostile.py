#!/usr/bin/env python3
"""Hostile run directories through every command that reads.

    hostile.py --baton build/release/baton --commands build/release/tests/commands [--seed N] [--count N] [--first N] [--state FILE]

A directory has mutated files of every kind: traces, gauges of its GPUs and a summary (tests/format/mutate.py, every second one with
right checksums), a live file (tests/fuzz/live_seed.c), and beside it a part, a summary that stands for itself (with readings of GPUs and
ranks that are missing), profiles of Kineto (plain and gz), an nsys export, a CSV of nvprof, and timelines. The commands of EVERY run in
each directory, a third of those of SOME. Each command is a process, forked by tests/fuzz/commands.c. A command may end with statuses 0 to 5. What is counted: crashes (a signal, or a sanitizer's words), hangs
(above --seconds of a core, or twelve times that by the clock), and memory above 64 MiB + 64 times the files (not under a sanitizer).
Directory I of a seed depends on the seed and I alone; what failed is kept and named, status 1. With --state a campaign goes on where it
stopped, until it has --count directories, and its last line counts all of them; FILE is written after each directory.
"""

import argparse
import glob
import gzip
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "format"))

import mutate  # noqa: E402
from writer import TraceWriter  # noqa: E402

EVERY = ["check", "dump", "dump --json", "dump --idle", "dump --stacks", "dump --step-list", "reduce", "report", "report --json",
          "report --gaps 3", "report --by line", "report --by range", "report --by op", "report --steps period", "export --folded",
          "whatif",
          "stats -r cuda_gpu_kern_sum,cuda_gpu_sum,cuda_api_sum,cuda_gpu_trace,cuda_api_trace,cuda_kern_exec_sum,nvtx_sum",
          "stats -f csv -r cuda_kern_exec_trace,cuda_gpu_mem_size_sum,nvtx_gpu_proj_sum,nvtx_kern_sum,nccl_sum"]
SOME = ["report --critical run", "report --by stack run", "report --html page.html run", "jitter run", "jitter --html page.html run", "top --once run",
        "top --json run", "metrics -o run.prom run", "report --json alone", "compare alone alone", "merge changed part -o merged",
        "export --format perfetto -o out -f run", "export --format chrome -o out -f run", "export --format kineto -o kineto -f run",
        "export --format parquet -o tables -f run", "export --format csv -o tables -f run", "export --format arrow -o tables -f run",
        "export --format nsys-sqlite -o out -f run", "export --format nvprof-csv -o out -f run", "report --step 1 --gaps 2 run", "report --csv run",
        "dump --json alone", "keep -o copy run",
        # parts
        "report --time 0..0.01 run", "reduce --time 0..0.001 --add -o added run", "dump --device 0 --step 0..1 run", "jitter --device 0 --time ..0.5 run",
        "export --format nsys-sqlite --device 0 --step 0..1 -o out -f run", "export --format nvprof-csv --device 0 --time ..1 -o out -f run",
        "export --folded --device 0 --time ..1 run"]
LEAST_BYTES, FOLD = 64 << 20, 64
WALL = 12  # on a busy machine
SANITIZERS = (b"Sanitizer", b"runtime error:")
EVENT = '{"ph":"X","cat":"%s","name":"%s","pid":%d,"tid":%d,"ts":%d,"dur":%d,"args":{"correlation":%d,"stream":7,"device":0}}'


def run_trace(rank, world=2):
    """A trace of which a report says something: steps, launches, kernels, a collective."""
    out = TraceWriter(None)
    out.process(100 + rank, rank=rank, world_size=world, host="node", source="baton", run_id="run")
    stream, thread = out.stream(out.device(rank, "GPU", "GPU-%d" % rank), 1, 7), out.thread("main", 100, 100)
    comm = out.communicator(2, 77, "comm", str(rank))
    times = [(i, 10**9 + i * 30_000 + i % 7 * 900) for i in range(300)]
    out.rows("range", [{"start_ns": at - 900, "dur_ns": 290_000, "thread": thread, "name": "step %d" % i, "category": 1}
                       for i, at in times[::10]], rows_per_block=100)
    out.rows("call", [{"start_ns": at, "dur_ns": 5000, "thread": thread, "name": "cudaLaunchKernel", "correlation": i + 1}
                      for i, at in times], rows_per_block=100)
    out.rows("op", [{"start_ns": at + 9000, "dur_ns": 15_000 + i, "op_kind": 1, "stream": stream, "correlation": i + 1,
                     "name": "ncclDevKernel_AllReduce" if i % 10 == 9 else "gemm_%d" % (i % 5)} for i, at in times], rows_per_block=100)
    out.rows("collective", [{"start_ns": at + 9000, "dur_ns": 15_000 + i, "correlation": i + 1, "comm": comm, "coll": 1,
                             "bytes": 4096, "sequence": i} for i, at in times[9::10]])
    out.close()
    return out.data()


def gauges():
    """What the GPUs of both ranks showed meanwhile: some are held back."""
    out = TraceWriter(None, content=3)
    out.process(99, host="node", source="nvml", run_id="run")
    devices = [out.device(rank, "GPU", "GPU-%d" % rank) for rank in range(2)]
    for look in range(12):
        values = {1: 1700 - 50 * look, 2: 1980, 3: 2619, 4: 640_000, 5: 700_000, 6: 61 + look, 7: 1 << 36, 8: 97, 9: 40, 10: 4 * (look % 2)}
        out.rows("gauge", [{"start_ns": 10**9 + look * 800_000 + device, "dur_ns": 900, "device": device, "gauge": gauge, "value": value}
                           for device in devices for gauge, value in values.items()])
    out.close()
    return out.data()


def kineto():
    events = [EVENT % row for i in range(60) for at in [1000 + 40 * i] for row in
              [("cuda_runtime", "cudaLaunchKernel", 9, 9, at, 5, i + 1), ("kernel", "gemm", 0, 7, at + 9, 20, i + 1),
               ("user_annotation", "ProfilerStep#%d" % i, 9, 9, at - 1, 39, 0)]]
    return ('{"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":1},"deviceProperties":[{"id":0,"name":"G"}],'
            '"traceEvents":[%s]}' % ",\n".join(events)).encode()


def nsys(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1, "gemm"), (2, "cudaLaunchKernel")])
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
               "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER)")
    db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, "
               "nameId INTEGER, returnValue INTEGER)")
    who = 5 << 24
    for i in range(60):
        at = 1000 + 40_000 * i
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,?,?,?,0)", (at, at + 5000, who | 5, i, 2))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,?,1)", (at + 9000, at + 29000, i, who))
    db.commit()
    db.close()


def nvprof():
    rows = ["==9== NVPROF is profiling process 9, command: a", '"Start","Duration","Grid X","Block X","Size","Device","Context","Stream","Name","Correlation_ID"',
            "s,ms,,,KB,,,,,"]
    for i in range(40):
        rows.append('%f,%f,,,,,,,"cudaLaunchKernel",%d' % (1 + i * 1e-3, 0.004, i + 1))
        rows.append('%f,%f,8,128,,"G (0)","1","7","void gemm<%d>(int, float)",%d' % (1 + i * 1e-3 + 5e-6, 0.5, i, i + 1))
        rows.append('%f,%f,,,4.000000,"G (0)","1","7","[CUDA memcpy HtoD]",%d' % (1 + i * 1e-3 + 6e-4, 0.1, i + 100))
    return "\n".join(rows).encode() + b"\n"


def timelines():
    rows = ["step,dp,pp,chunk,microbatch,type,start,end"]
    rows += ["%d,0,0,0,%d,forward-compute,%d,%d" % (s, m, 100 * s + 10 * m, 100 * s + 10 * m + 9) for s in range(6) for m in range(4)]
    return "\n".join(rows).encode() + b"\n"


def changed(rng, data):
    """A text or database with some bytes changed, cut, doubled or exchanged for numbers that are edges."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at, n = rng.randrange(len(data) + 1), rng.choice([1, 1, 2, 4, 8, 64])
        how = rng.randrange(5)
        if how == 0 and data:
            data[at % len(data)] = rng.randrange(256)
        elif how == 1:
            data[at:at + n] = b""
        elif how == 2:
            data[at:at] = data[at:at + n] * rng.choice([1, 2, 50])
        elif how == 3:
            data[at:at + n] = (rng.choice(mutate.NUMBERS) & 2**64 - 1).to_bytes(8, "little")[:n]
        else:
            data[at:at] = rng.choice([b"-9223372036854775808", b"1e999", b"\xff\xfe", b"\0", b'"', b"{", b"[" * 200, b"9" * 30])
        data = data or bytearray(b" ")
    return bytes(data)


class Campaign:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.commands = subprocess.Popen([options.commands], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.maker = os.path.join(work, "live_seed")
        includes = os.path.join(ROOT, "include")
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-I" + includes, "-o", self.maker,
                        os.path.join(HERE, "live_seed.c"), *glob.glob(os.path.join(includes, "codec", "*.c")), "-lzstd", "-lxxhash"],
                       check=True)
        self.traces = [run_trace(0), run_trace(1)]
        golden = glob.glob(os.path.join(HERE, "..", "golden", "format", "good-*.baton"))
        self.seeds = self.traces * 12 + [open(path, "rb").read() for path in sorted(golden) if os.path.getsize(path) < 1 << 16]
        self.gauges = gauges()
        self.summary, _ = self.reduced("whole", self.traces)
        lacking, self.part = self.reduced("lacking", [run_trace(1, 5), self.gauges])
        self.alone = [self.part, lacking]
        nsys(os.path.join(work, "seed.sqlite"))
        self.nsys = open(os.path.join(work, "seed.sqlite"), "rb").read()
        self.counts = dict.fromkeys(("directories", "commands", "crashes", "hangs", "fat"), 0)
        self.worst = (0, ""), (0, "")
        probe = subprocess.run(["strings", "-n", "10", options.baton], capture_output=True).stdout
        self.sanitized = b"AddressSanitizer" in probe or b"__asan_init" in open(options.baton, "rb").read()

    def reduced(self, name, files):
        """The summary of a run of these files, and its part."""
        run, part = os.path.join(self.work, name), os.path.join(self.work, name + ".part")
        os.makedirs(run)
        for i, data in enumerate(files):
            self.write(os.path.join(run, "%d.baton" % i), data)
        for command in (["reduce", run], ["reduce", "--part", "-o", part, run]):
            if subprocess.run([self.options.baton, *command], capture_output=True).returncode not in (0, 4):
                sys.exit("hostile.py: %s does not end well" % " ".join(command))
        return [open(path, "rb").read() for path in (os.path.join(run, "summary.baton"), part)]

    @staticmethod
    def write(path, data):
        with open(path, "wb") as file:
            file.write(data)

    def mutated(self, rng, seeds, n):
        return list(mutate.mutations(rng.getrandbits(30), n, seeds=seeds))

    def live(self, rng, folder):
        path = subprocess.run([self.maker, folder], capture_output=True, text=True, check=True).stdout.strip()
        data = bytearray(open(path, "rb").read())
        for _ in range(rng.choice([0, 1, 1, 2, 6])):
            first, after = rng.choice([(0, 1232), (1100, 1232), (1232, 1232 + 400), (len(data) - 32 * 1024, len(data))])
            at = rng.randrange(first, after) & ~7
            data[at:at + 8] = (rng.choice(mutate.NUMBERS) & 2**64 - 1).to_bytes(8, "little")
        self.write(path, data)

    def make(self, number):
        rng = random.Random("%d-%d" % (self.options.seed, number))
        folder = os.path.join(self.work, "%d-%d" % (self.options.seed, number))
        os.makedirs(os.path.join(folder, "run"))
        run = os.path.join(folder, "run")
        for rank, data in enumerate(self.mutated(rng, self.seeds, rng.choice([1, 2, 3]))):
            self.write(os.path.join(run, "%d.baton" % rank), data)
        if rng.random() < 0.6:
            self.write(os.path.join(run, "whole.baton"), self.traces[0])
        if rng.random() < 0.5:
            self.write(os.path.join(run, "summary.baton"), self.mutated(rng, [self.summary], 1)[0])
        if rng.random() < 0.5:
            self.live(rng, os.path.realpath(run))
        if rng.random() < 0.6:
            self.write(os.path.join(run, "gpus.node.baton"), self.mutated(rng, [self.gauges], 1)[0])
        self.write(os.path.join(folder, "changed"), self.mutated(rng, [self.part], 1)[0])
        self.write(os.path.join(folder, "alone"), self.mutated(rng, self.alone, 1)[0])
        text = changed(rng, kineto())
        self.write(os.path.join(folder, "trace.json"), text)
        self.write(os.path.join(folder, "trace.json.gz"), changed(rng, gzip.compress(text, mtime=0)))
        self.write(os.path.join(folder, "export.sqlite"), changed(rng, self.nsys))
        self.write(os.path.join(folder, "ops.csv"), changed(rng, timelines()))
        self.write(os.path.join(folder, "nvprof.csv"), changed(rng, nvprof()))
        return folder

    def run(self, folder, command):
        """(status, seconds of a core, bytes, what it said on stderr)"""
        err = os.path.join(self.work, "err")
        self.commands.stdin.write("\t".join([folder, str(round(WALL * self.options.seconds)), err, *command]) + "\n")
        self.commands.stdin.flush()
        line = self.commands.stdout.readline()
        if not line:
            sys.exit("hostile.py: %s has ended: %s" % (self.options.commands, self.commands.wait()))
        status, ns, kib = map(int, line.split())
        with open(err, "rb") as file:
            return os.waitstatus_to_exitcode(status), ns / 1e9, kib * 1024, file.read()

    def judge(self, folder, command, limit):
        self.counts["commands"] += 1
        begin = time.monotonic()
        status, busy, bytes_used, said = self.run(folder, command)
        seconds = time.monotonic() - begin
        name = "baton %s (in %s)" % (" ".join(command), os.path.basename(folder))
        self.worst = max(self.worst[0], (busy, name)), max(self.worst[1], (bytes_used, name))
        fault = None
        if busy >= self.options.seconds or status == -signal.SIGALRM or seconds >= WALL * self.options.seconds:
            self.counts["hangs"] += 1
            fault = "takes %.1f s, %.1f s of them of a core" % (seconds, busy)
        elif status not in range(6) or any(word in said for word in SANITIZERS):
            self.counts["crashes"] += 1
            fault = "ends with %d: %s" % (status, said[-400:].decode("utf-8", "replace"))
        elif bytes_used > limit and not self.sanitized:
            self.counts["fat"] += 1
            fault = "takes %d MiB" % (bytes_used >> 20)
        if fault:
            print("%s %s" % (name, fault))
        return fault

    def directory(self, number):
        folder = self.make(number)
        commands = [text.split() + ["run"] for text in EVERY] + [["compare", "run", "run"]]
        commands += [["reduce", "--part", "-o", "part", "run"], ["merge", "part", "-o", "merged"], ["report", "merged"],
                     ["reduce", "--part", "--met", "merged", "-o", "part", "run"]]
        commands += [["report", "alone"], ["report", "changed"], ["merge", "changed", "-o", "merged"],
                     ["reduce", "--part", "--met", "changed", "-o", "part", "run"]]
        commands += [text.split() for text in SOME[number % 3::3]]
        commands += [["import", name, "-f", "-o", "imported"] for name in ("trace.json", "trace.json.gz", "export.sqlite", "nvprof.csv")]
        commands += [["stragglers", name] for name in ("ops.csv", "trace.json")]
        size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
        rest = os.path.join(self.work, "copy")
        shutil.copytree(folder, rest)
        faults = [self.judge(folder, command, LEAST_BYTES + FOLD * size) for command in commands]
        if any(faults):
            os.makedirs(self.options.keep, exist_ok=True)
            shutil.copytree(rest, os.path.join(self.options.keep, os.path.basename(folder)), dirs_exist_ok=True)
        shutil.rmtree(folder)
        shutil.rmtree(rest)
        self.counts["directories"] += 1


def stored(options):
    """What a campaign with this seed has counted so far."""
    try:
        with open(options.state) as file:
            known = json.load(file)
    except (OSError, TypeError, ValueError):
        return {}
    return known["counts"] if known["seed"] == options.seed else {}


def store(options, counts):
    with open(options.state + ".part", "w") as file:
        json.dump({"seed": options.seed, "counts": counts}, file)
    os.replace(options.state + ".part", options.state)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baton", required=True)
    parser.add_argument("--commands", required=True, help="the program of tests/fuzz/commands.c, of the same build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--state", help="where a campaign notes what it has counted")
    parser.add_argument("--keep", default="build/fuzz", help="where directories that failed are kept")
    options = parser.parse_args()
    options.baton, options.keep, options.commands = map(os.path.abspath, (options.baton, options.keep, options.commands))
    os.environ.setdefault("ASAN_OPTIONS", "use_sigaltstack=0")  # clang 14's own fault where a thread ends
    os.environ.update(NO_COLOR="1", BATON_RING_DIR=os.devnull, TMPDIR=os.devnull)
    with tempfile.TemporaryDirectory(dir="/tmp") as work:
        campaign = Campaign(options, work)
        campaign.counts.update(stored(options))
        for number in range(options.first + campaign.counts["directories"], options.first + options.count):
            campaign.directory(number)
            if options.state:
                store(options, campaign.counts)
        campaign.commands.stdin.close()
        campaign.commands.wait()
    counts = campaign.counts
    (seconds, slowest), (bytes_used, largest) = campaign.worst
    print("longest %.2f s of a core: %s; most memory %.1f MiB: %s" % (seconds, slowest, bytes_used / 2**20, largest))
    print("hostile: %d directories, %d commands, %d crashes, %d hangs over %g s, %d above 64 MiB + 64 x the files" %
          (counts["directories"], counts["commands"], counts["crashes"], counts["hangs"], options.seconds, counts["fat"]))
    return 1 if counts["crashes"] or counts["hangs"] or counts["fat"] or not counts["commands"] else 0


if __name__ == "__main__":
    sys.exit(main())
