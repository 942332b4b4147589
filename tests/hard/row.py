"""What the rows of `make hard` share. A row is a program of its own, NN_NAME.py, with

    NUMBER, NAME     of the row
    TARGET, UNIT     how many cases the table demands, and what a case is
    NOTE             what of the row cannot be tried here; "" when all of it is
    piece(bench, first, most)   runs some cases from number `first` on, at most `most`; returns how many it ran

and ends with `row.main(globals())`. Cases are numbered, so that a row can go on where it stopped: case I is the same case each
time. What is wrong goes to bench.wrong(TEXT); bench.add(launches=5) sums up what else is worth telling.

    NN_NAME.py [--first I] [--most N] [--seconds S]

The last line is a JSON object for hard.py. Status 1 when something was wrong or no case was run, 77 when none can be here.
"""
import argparse
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
os.chdir(ROOT)
BUILD = os.path.abspath(os.environ.get("BUILD", "build/release"))
BATON, SIM, HARD, SIMGPU = (os.path.join(BUILD, name) for name in ("baton", "baton-sim", "tests/hard", "simgpu"))
LIBRARY = os.path.join(BUILD, "libbaton.so")
TALLY = os.path.join(HARD, "tally")
LEAVE_OUT = "BATON_OUT BATON_TRACE BATON_STACKS BATON_WINDOW BATON_VERBOSE BATON_RING_DIR BATON_RUN_ID LD_PRELOAD".split()


class Skip(Exception):
    """Nothing of this row can be tried here; the reason."""


class Bench:
    """Where a row works: a directory, an environment, what it found."""

    def __init__(self, work):
        self.work, self.sums, self.faults, self.seconds = work, {}, 0, 1e9
        self.lock = threading.Lock()  # of sums, for rows whose cases run beside each other
        self.env = {k: v for k, v in os.environ.items() if k not in LEAVE_OUT}
        self.env.update(LD_LIBRARY_PATH=SIMGPU, BATON_GAUGES="off", NO_COLOR="1", LC_ALL="C", SIMGPU_MEMORY_MB="256")

    def wrong(self, text):
        self.faults += 1
        if self.faults <= 20:
            print("wrong: " + text, flush=True)

    def expect(self, true, text):
        if not true:
            self.wrong(text)
        return true

    def add(self, **sums):
        with self.lock:
            for name, n in sums.items():
                self.sums[name] = self.sums.get(name, 0) + n

    def most(self, **sums):
        for name, n in sums.items():
            self.sums[name] = max(self.sums.get(name, n), n)

    def fresh(self, name="run"):
        """An empty directory."""
        path = os.path.join(self.work, name)
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path, mode=0o700)
        return path

    def run(self, *command, seconds=60, **env):
        """(status, stdout, stderr) of a command; the status is "hangs" above `seconds`. What it began is ended with it: as long as
        one of them has its stdout, there is more to read."""
        job = subprocess.Popen(command, env=dict(self.env, **env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
        try:
            out, err = job.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
            return "hangs", b"", b""
        return job.returncode, out, err

    def record(self, directory, *command, seconds=60, **env):
        return self.run(BATON, "record", "-f", "-o", directory, "--", *command, seconds=seconds, **env)

    def preloaded(self, directory, *command, before="", seconds=60, **env):
        """A job that records without `baton record`, with a library loaded before the recorder."""
        preload = ":".join(filter(None, [before, LIBRARY]))
        return self.run(*command, seconds=seconds, LD_PRELOAD=preload, BATON_OUT=directory, **env)

    def tally(self, directory):
        status, out, err = self.run(TALLY, directory, seconds=900)
        return json.loads(out) if status == 0 else self.wrong("tally: %s" % err.decode()) or {}

    def sound(self, directory, what, statuses=(0, 4)):
        """A directory of traces whose blocks are whole and which a report answers."""
        status, _, err = self.run(BATON, "report", "--json", directory)
        self.expect(status in statuses, "%s: report ends with %s: %s" % (what, status, err.decode(errors="replace")[-200:]))
        held = self.tally(directory)
        bad = {k: held.get(k) for k in ("unreadable", "damaged", "open") if held.get(k)}
        self.expect(not bad, "%s: %s" % (what, bad))
        return held


def needs(*paths):
    for path in paths:
        if not os.path.exists(path):
            raise Skip("not built: " + os.path.relpath(path, ROOT))
    if "san-" in os.path.basename(BUILD):
        raise Skip("a preloaded library cannot bring a sanitizer's runtime")


def spread(number, size):
    """A place below `size` for case `number`: any first cases are spread evenly over it."""
    return int(number * 0.6180339887498949 % 1 * size)


def traces(directory):
    return sorted(path for path in glob.glob(os.path.join(glob.escape(directory), "*.baton")) if not path.endswith("summary.baton"))


def run_pieces(row, bench, options):
    done, began = 0, time.monotonic()
    while done < options.most and (done == 0 or time.monotonic() - began < options.seconds):
        n = row["piece"](bench, options.first + done, options.most - done)
        if n <= 0:
            break
        done += n
    return done, time.monotonic() - began


def main(row):
    parser = argparse.ArgumentParser(description=row["__doc__"])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most", type=int, default=row["TARGET"])
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="baton-hard-") as work:
        bench = Bench(work)
        bench.seconds = options.seconds  # for a piece that has no natural length
        try:
            done, seconds = run_pieces(row, bench, options)
        except Skip as reason:
            print(reason)
            sys.exit(77)
    print(json.dumps({"done": done, "seconds": round(seconds, 1), "wrong": bench.faults, "sums": bench.sums}))
    sys.exit(bench.faults > 0 or done == 0)
