"""Row 1: recorded processes are killed at any moment; what had been recorded is readable, and each launch has its kernel, or is said
to be in flight or dropped.

Half of the cases are the recorder in a program of its own that counts what it put by itself (tests/shim/kill_test.c): it is killed at
chosen points of the code, and is exact to one record a thread. The others are jobs: C, NCCL of two ranks, graphs, threads, Python."""
import glob
import os
import signal
import subprocess
import sys
import time

import row

NUMBER, NAME = 1, "kill sweep"
TARGET, UNIT = 10_000, "kills"
NOTE = "jobs of PyTorch only where it is installed"
IN_PROGRAM = 96  # kills of the recorder's own program in a row: eight of each of its points
TRAIN = os.path.join(row.BUILD, "simtrain")
LONG = ["--steps", "100000", "--layers", "2"]
JOBS = {
    "C": [TRAIN, *LONG],
    "NCCL": [os.path.join(row.BUILD, "simlaunch"), "-n", "2", "--", TRAIN, *LONG],
    "graphs": [TRAIN, *LONG, "--graph"],
    "threads": [TRAIN, *LONG, "--threads", "4"],
    "Python": [sys.executable, os.path.join(row.ROOT, "tests/shim/jobs.py"), "steady"],
}


def in_program(bench, first):
    program = os.path.join(row.BUILD, "tests/shim/kill_test")
    status, out, _ = bench.run(program, str(IN_PROGRAM), str(first), seconds=120)
    bench.expect(status == 0, "kill_test %d %d: status %s, %s" % (IN_PROGRAM, first, status, out.decode()[-300:]))
    bench.add(in_program=IN_PROGRAM)
    return IN_PROGRAM


def alive(group):
    """Has a process of the group not ended, with all its threads? Ranks are killed too, but are not ours to wait for."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = open(path).read().rsplit(") ", 1)[1].split()  # from the third on
        except OSError:
            continue
        if int(fields[2]) == group and (fields[0] not in "ZX" or int(fields[17]) > 1):
            return True
    return False


def kill_job(bench, number):
    name = list(JOBS)[number % len(JOBS)]
    after_s = 0.01 + row.spread(number, 1000) / 1000 * 0.6
    run = bench.fresh()
    env = dict(bench.env, LD_PRELOAD=row.LIBRARY, BATON_OUT=run)
    job = subprocess.Popen(JOBS[name], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           start_new_session=True)
    time.sleep(after_s)
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    while alive(job.pid):
        time.sleep(0.005)
    what = "kill %d: %s after %.0f ms" % (number, name, after_s * 1000)
    status, _, err = bench.run(row.BATON, "reduce", run)
    if not row.traces(run):
        return bench.add(before_first=1)
    bench.expect(status in (0, 3, 4), "%s: reduce ends with %s, %s" % (what, status, err.decode()[-200:]))
    held = bench.tally(run)
    bench.expect(not held["unreadable"] and not held["damaged"] and not held["open"], "%s: %s" % (what, held))
    missing = held["launches"] + held["dropped"] - held["kernels"] - held["in_flight"] - held["gpu"]
    if name != "graphs":  # one launch, many kernels
        # a thread that is killed before it has written its launch, while the kernel is recorded: one record of each thread may be missing
        bench.expect(-held["threads"] <= missing <= 0, "%s: %d launches without a word: %s" % (what, missing, held))
        bench.add(kernels_without_launch=-missing)
    bench.add(jobs=1, launches=held["launches"], in_flight=held["in_flight"])


def piece(bench, first, most):
    row.needs(TRAIN, os.path.join(row.BUILD, "tests/shim/kill_test"), row.TALLY)
    if most >= 2 * IN_PROGRAM and first // IN_PROGRAM % 2 == 0:
        return in_program(bench, first)
    n = min(most, IN_PROGRAM)
    for number in range(first, first + n):
        kill_job(bench, number)
    return n


if __name__ == "__main__":
    row.main(globals())
