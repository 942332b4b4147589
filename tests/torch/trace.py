"""What a run directory of baton holds, launch by launch (read through `baton dump --json`), and the same out of a trace of torch.profiler."""
import collections
import functools
import json
import os
import re
import subprocess

BATON = os.environ.get("BATON", "build/release/baton")
KERNEL = 1  # an op's kind


class Process:
    """One process: its ops as (start_ns, dur_ns, kernel name or None, stream number, correlation) and the calls that launched them."""

    def __init__(self):
        self.pid = self.rank = None
        self.tids, self.threads, self.codes, self.stacks, self.streams = {}, {}, {}, {}, {}
        self.ops, self.calls = [], {}

    def read(self, r):
        kind = r["record"]
        if kind == "process":
            self.pid, self.rank = r["pid"], r["rank"]
        elif kind == "thread":
            self.tids[r["id"]], self.threads[r["id"]] = r["tid"], r["name"]
        elif kind == "stream":
            self.streams[r["id"]] = r["stream"]
        elif kind == "code":
            self.codes[r["id"]] = r
        elif kind == "stack":
            self.stacks[r["id"]] = r["frames"]
        elif kind == "op":
            self.ops.append((r["start_ns"], r["dur_ns"], r["name"] if r["op_kind"] == KERNEL else None, r["stream"], r.get("correlation", 0)))
        elif kind == "call" and r.get("correlation") and r["correlation"] not in self.calls:
            self.calls[r["correlation"]] = r

    def frames(self, stack):
        """The Python frames of a stack, innermost first, as (file, function, first line of the function, line)."""
        for frame in self.stacks.get(stack, []):
            if frame["kind"] == 1 and frame["of"] in self.codes:
                code = self.codes[frame["of"]]
                yield code["file"], code["function"], code["first_line"], line_of(code["line_table"], code["first_line"], frame["offset"])

    def launches(self):
        """(kernel, on the main thread?, Python frames) of each kernel op that has a launch."""
        for _, _, name, _, correlation in self.ops:
            call = self.calls.get(correlation)
            if name and call:
                yield name, self.tids.get(call["thread"]) == self.pid, list(self.frames(call.get("stack", 0)))


@functools.lru_cache(maxsize=None)
def lines_of(table, first_line):
    """CPython's own reader of its line tables (the interpreter that recorded them must be of our version)."""
    return list((lambda: 0).__code__.replace(co_linetable=bytes.fromhex(table), co_firstlineno=first_line).co_lines())


def line_of(table, first_line, offset):
    for begin, end, line in lines_of(table, first_line):
        if begin <= offset < end:
            return line
    return None


def read_run(directory):
    processes = []
    with subprocess.Popen([BATON, "dump", "--json", directory], stdout=subprocess.PIPE, text=True) as dump:
        for line in dump.stdout:
            r = json.loads(line)
            if r["record"] == "file":
                processes.append(Process())
            elif processes:
                processes[-1].read(r)
    return processes


def demangled(names):
    """{mangled: as torch.profiler prints it}"""
    names = sorted(names)
    plain = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(zip(names, plain))


class Kineto:
    """A trace of torch.profiler: GPU work with the Python functions that were open when it was launched."""

    def __init__(self, path):
        data = json.load(open(path))
        self.base_ns = data.get("baseTimeNanoseconds", 0)
        events = [e for e in data["traceEvents"] if e.get("ph") == "X"]
        self.ops = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
        self.calls = {e["args"]["correlation"]: e for e in events
                      if e.get("cat") in ("cuda_runtime", "cuda_driver") and "correlation" in e.get("args", {})}
        self.functions = collections.defaultdict(list)
        for e in events:
            found = re.fullmatch(r"(.*)\((\d+)\): (.*)", e["name"]) if e.get("cat") == "python_function" else None
            if found:
                self.functions[e["tid"]].append((e["ts"], e["ts"] + e["dur"], found[1], int(found[2]), found[3]))
        self.main = max(self.functions, key=lambda tid: len(self.functions[tid])) if self.functions else None

    def start_ns(self, op):
        return self.base_ns + round(op["ts"] * 1000)

    def innermost(self):
        """{kernel: {(file, first line, function)}} of launches on the main thread."""
        begins = sorted((self.calls[op["args"]["correlation"]]["ts"], op["name"]) for op in self.ops
                        if op["cat"] == "kernel" and self.calls.get(op["args"].get("correlation"), {}).get("tid") == self.main)
        functions, at, open_ones = sorted(self.functions[self.main]), 0, []
        found = collections.defaultdict(set)
        for ts, name in begins:
            while at < len(functions) and functions[at][0] <= ts:
                open_ones.append(functions[at])
                at += 1
            open_ones = [f for f in open_ones if f[1] >= ts]
            if open_ones:
                found[name].add(open_ones[-1][2:5])
        return found
