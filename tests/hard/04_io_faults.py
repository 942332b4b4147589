"""Row 4: the disk fails, interrupts, takes half, takes a tenth of a second, is remounted read-only, or the directory is removed: the
job's output and status stay, its threads never wait for the disk, and every launch is recorded or counted as dropped."""
import os
import shutil
import subprocess
import sys
import time

import row

NUMBER, NAME = 4, "I/O faults"
TARGET, UNIT = 1_000, "faults"
NOTE = ""
JOB = [os.path.join(row.BUILD, "simtrain"), "--steps", "40", "--layers", "4", "--host-ns", "200"]
STEADY = [sys.executable, os.path.join(row.ROOT, "tests/shim/jobs.py")]
KINDS = ["eio", "short", "eintr", "stall", "removed", "read-only"]
known = {}


def preloaded(bench, number, disk, job):
    run, rings = bench.fresh(), bench.fresh("rings")
    began = time.monotonic()
    bench.run(*job)
    alone = time.monotonic() - began  # as busy as the machine is now
    began = time.monotonic()
    status, out, err = bench.preloaded(run, *job, before=os.path.join(row.HARD, "disk.so"), DISK=disk, BATON_RING_DIR=rings)
    what = "case %d, DISK=%s" % (number, disk)
    seconds = time.monotonic() - began
    bench.expect((status, out) == known["plain"], "%s: the job ends with %s, or prints something else" % (what, status))
    bench.expect(seconds < 20 + 20 * alone, "%s: the job took %.1f s, %.1f without the recorder" % (what, seconds, alone))
    bench.run(row.BATON, "reduce", run, BATON_RING_DIR=rings)
    if row.traces(run):
        held = bench.sound(run, what, (0, 3, 4))
        launches = held["launches"] + held["dropped"] + held["unheard"]
        bench.expect(launches == known["launches"], "%s: %d launches of %d" % (what, launches, known["launches"]))
    return err


def removed(bench, number):
    run = bench.fresh()
    plain = bench.run(*STEADY, "directory_goes")
    end = bench.preloaded(run, *STEADY, "directory_goes")
    bench.expect(end[:2] == plain[:2], "case %d: the job whose directory goes ends with %s" % (number, end[0]))


def read_only(bench, number):
    """A tmpfs that is remounted while the job runs; where that may not be done, the case is a failing write instead."""
    disk = bench.fresh("disk")
    if subprocess.run(["mount", "-t", "tmpfs", "none", disk], capture_output=True).returncode:
        bench.add(may_not_mount=1)
        return preloaded(bench, number, "eio:0", JOB)
    try:
        run = os.path.join(disk, "run")
        os.mkdir(run, 0o700)
        env = dict(bench.env, LD_PRELOAD=row.LIBRARY, BATON_OUT=run)
        job = subprocess.Popen([*STEADY, "steady"], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(0.3)
        # a file that is open for writing keeps a file system from becoming read-only, unless the mount alone does
        subprocess.run(["mount", "-o", "remount,ro,bind", disk], capture_output=True)
        out, _ = job.communicate(timeout=60)
        bench.expect((job.returncode, out) == bench.run(*STEADY, "steady")[:2], "case %d: read-only: status %s" % (number, job.returncode))
    finally:
        subprocess.run(["umount", "-l", disk], capture_output=True)
        shutil.rmtree(disk, ignore_errors=True)


def case(bench, number):
    kind = KINDS[number % len(KINDS)]
    if kind == "removed":
        removed(bench, number)
    elif kind == "read-only":
        read_only(bench, number)
    else:
        detail = {"eio": ":%d" % row.spread(number, 40_000), "stall": ":%d" % (1 + row.spread(number, 300))}.get(kind, "")
        preloaded(bench, number, kind + detail, JOB)
    bench.add(**{kind.replace("-", "_"): 1})


def piece(bench, first, most):
    row.needs(JOB[0], os.path.join(row.HARD, "disk.so"), row.TALLY)
    if not known:
        run = bench.fresh()
        known["plain"] = bench.run(*JOB)[:2]
        bench.preloaded(run, *JOB)
        known["launches"] = bench.tally(run)["launches"]
    n = min(most, len(KINDS))
    for number in range(first, first + n):
        case(bench, number)
    return n


if __name__ == "__main__":
    row.main(globals())
