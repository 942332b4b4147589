"""top.py BUILD: what `baton top` costs the job that it shows, and after how much of a run it names a slow GPU.

A recorded job of 8 simulated GPUs, the kernels of one four times as long, by turns alone and with the live screen on a terminal beside it: CPU time of the job, its
step, CPU time of the screen and its looks. Then runs of a few steps: which rank the first look names. Last the live screen from the
first data on disk on. ROUNDS=5, STEPS=400.
"""

import json
import os
import pty
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

build = sys.argv[1]
baton, sim, slow = os.path.join(build, "baton"), os.path.join(build, "baton-sim"), 2
rounds, steps = int(os.environ.get("ROUNDS", 5)), int(os.environ.get("STEPS", 400))
job = [os.path.join(build, "simlaunch"), "-n", "8", "--", os.path.join(build, "simtrain"), "--layers", "2"]
env = dict(os.environ, LD_LIBRARY_PATH=os.path.abspath(os.path.join(build, "simgpu")), SIMGPU_DEVICES="8", SIMGPU_SLOW="%d=4" % slow, SIMGPU_MEMORY_MB="128", TERM="xterm")
named = re.compile(rb"\*\s+(\d+) \S+ +(?:runs|ended)")


class Top:
    """The live screen on a terminal of its own, until it is closed."""

    def __init__(self, directory):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.pop("LD_LIBRARY_PATH", None)
            os.environ.update(TERM="xterm", COLUMNS="132", LINES="30")
            os.execv(baton, [baton, "top", directory])
        self.named_at, self.ended, self.raw = None, False, b""
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                return
            self.raw = (self.raw + data)[-20000:]
            found = named.findall(re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b" ", self.raw))
            if not self.named_at and found and int(found[-1]) == slow:
                self.named_at = time.monotonic()

    def close(self):
        """CPU seconds of it and of its looks."""
        os.write(self.fd, b"q")
        used = os.wait4(self.pid, 0)[2]
        os.close(self.fd)
        self.thread.join()
        return used.ru_utime + used.ru_stime


def record(directory, with_top):
    """CPU seconds of the job, ms of a step, CPU seconds of top, seconds in all."""
    began = time.monotonic()
    recorded = subprocess.Popen([baton, "record", "-o", directory, "--", *job, "--steps", str(steps)], env=env, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
    top = None
    while with_top and not top:
        if os.path.isdir(directory):
            top = Top(directory)
        time.sleep(0.02)
    used = os.wait4(recorded.pid, 0)[2]
    took = time.monotonic() - began
    cost = top.close() if top else 0
    report = json.loads(subprocess.run([baton, "report", "--json", directory], capture_output=True, check=True).stdout)
    return used.ru_utime + used.ru_stime, statistics.mean(d["step_ns"]["mean"] for d in report["devices"]) / 1e6, cost, took


def cost(work):
    print("8 simulated GPUs, %d steps, %d rounds by turns: CPU s of the job, ms a step; CPU of top in %% of a core" % (steps, rounds))
    rows = {False: [], True: []}
    for i in range(rounds):
        for with_top in (False, True) if i % 2 == 0 else (True, False):
            rows[with_top].append(record(os.path.join(work, "%d.%d" % (i, with_top)), with_top))
    for with_top, of in rows.items():
        cpu, step, top_cpu, took = (statistics.median(column) for column in zip(*of))
        print("  %-9s %7.2f  %7.2f  %s" % ("with top" if with_top else "alone", cpu, step, "%.1f" % (100 * top_cpu / took) if with_top else "-"))
    for what, column in (("CPU of the job", 0), ("step", 1)):
        ratios = [100 * (b[column] / a[column] - 1) for a, b in zip(rows[False], rows[True])]
        print("  %s, with top against alone, pair by pair: median %+.1f %%, from %+.1f to %+.1f" % (what, statistics.median(ratios), min(ratios), max(ratios)))


def soon(work):
    print("Steps on disk, and the rank that the first look names (rank %d of 8 is 10 %% slower):" % slow)
    for workload in ("ddp", "resnet", "fsdp", "tensor"):
        line = []
        for n in (1, 2, 3, 4):
            run = os.path.join(work, "%s.%d" % (workload, n))
            subprocess.run([sim, "-o", run, "--workload", workload, "--ranks", "8", "--steps", str(n), "--fault", "slow_gpu@%d" % slow],
                           check=True, capture_output=True)
            view = json.loads(subprocess.run([baton, "top", "--json", run], capture_output=True, check=True).stdout)
            ranks = [row["rank"] for row in view["rows"] if row["slowest"]]
            line.append("%d: %s" % (n, ", ".join(map(str, ranks)) or "none"))
        print("  %-9s %s" % (workload, "   ".join(line)))


def live(work):
    waits = []
    for i in range(rounds):
        run = os.path.join(work, "live%d" % i)
        recorded = subprocess.Popen([baton, "record", "-o", run, "--", *job, "--steps", "100000"], env=env, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        while not os.path.isdir(run):
            time.sleep(0.01)
        top, first = Top(run), None
        until = time.monotonic() + 60
        while not top.named_at and time.monotonic() < until:
            traces = [entry for entry in os.scandir(run) if entry.name.endswith(".baton") and not entry.name.startswith("gpus.")]
            if not first and len(traces) == 8:
                first = time.monotonic()
            time.sleep(0.01)
        waits.append(top.named_at - first if top.named_at and first else float('inf'))
        top.close()
        recorded.send_signal(signal.SIGTERM)
        recorded.wait()
    print("Live: s from the moment that all ranks have a file until the screen names it: median %.1f, from %.1f to %.1f" %
          (statistics.median(waits), min(waits), max(waits)))


with tempfile.TemporaryDirectory() as folder:
    model = next(line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    print("%s, %d cores" % (model, os.cpu_count()))
    cost(folder)
    soon(folder)
    live(folder)
