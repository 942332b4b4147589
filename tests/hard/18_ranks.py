"""Row 18: the files of a run of many ranks are missing, double, cut, flipped, of another run or of an hour ago; clocks are 10 s apart:
no command takes longer than 60 s, and what is answered says what it is an answer of: ranks that are missing are named, damage is
reported with status 4, and the devices that are whole are all there. The last 20 cases: `baton-mpi report` of such a run in four processes,
of which one is killed at some moment: within 60 s it ends, and without an answer or with the right one."""
import contextlib
import json
import os
import random
import shutil
import subprocess
import time

import row

NUMBER, NAME = 18, "distributed faults"
TARGET, UNIT = 500, "damaged runs"
NOTE = "several machines"
MANY = 1000
MPI = os.path.join(row.BUILD, "baton-mpi")
KILLS = 20  # the last cases
PROCESSES = 4


def simulate(bench, name, ranks, seed, *more):
    path = os.path.join(bench.work, name)
    shutil.rmtree(path, ignore_errors=True)
    status, _, err = bench.run(row.SIM, "-o", path, "--ranks", str(ranks), "--steps", "3", "--seed", str(seed), *more, seconds=120)
    bench.expect(status == 0, "baton-sim ends with %s: %s" % (status, err.decode()[-200:]))
    return path


def flip(rng, path):
    at = rng.randrange(64, os.path.getsize(path))
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << rng.randrange(8)]))


def cut(rng, path):
    os.truncate(path, rng.randrange(os.path.getsize(path)))


def remove(_, path):
    os.remove(path)


def double(_, path):
    shutil.copy(path, path.replace(".baton", "9.baton"))


def foreign(rng, path):
    with open(path, "wb") as file:
        file.write(rng.randbytes(200))


def ranks_of(bench, path):
    """The ranks whose devices a whole file has: a process may have several."""
    _, out, _ = bench.run(row.BATON, "report", "--json", path)
    return {rank for device in json.loads(out)["devices"] for rank in device["ranks"]} if out else set()


DAMAGE = [flip, cut, remove, double, foreign]


def judge(bench, what, run, ranks, gone, hurt):
    """`gone`: ranks of which nothing is left; `hurt`: of which GPU work may be."""
    status, out, err = bench.run(row.BATON, "report", "--json", "--fresh", run, seconds=60)
    if not bench.expect(status in (0, 3, 4), "%s: report ends with %s: %s" % (what, status, err.decode()[-200:])) or status == 3:
        return
    bench.expect(out, "%s: status %s without an answer" % (what, status))
    answer = json.loads(out)
    there = {rank for device in answer["devices"] for rank in device["ranks"]}
    missing = set(answer["quality"]["missing_ranks"])
    bench.expect(gone <= missing, "%s: ranks %s are gone and not named" % (what, sorted(gone - missing)))
    bench.expect(not missing & there, "%s: ranks %s are missing and there" % (what, missing & there))
    untold = set(range(ranks)) - missing - there - hurt
    bench.expect(not untold, "%s: ranks %s are neither missing nor there" % (what, untold))


def case(bench, number):
    rng, ranks = random.Random(number), random.Random(number).choice([4, 8, 16])
    clock = ["--fault", "clock=10000000"] if number % 4 == 3 else []
    run = simulate(bench, "run", ranks, number + 1, "--per-host", "2", *clock)
    how, paths = rng.choice(DAMAGE), row.traces(run)
    chosen = rng.sample(paths, rng.randint(1, max(1, ranks // 2)))
    hurt = {rank for path in chosen for rank in ranks_of(bench, path)}
    for path in chosen:
        how(rng, path)
    what = "case %d, %s of %d of %d files" % (number, how.__name__, len(chosen), len(paths))
    judge(bench, what, run, ranks, hurt if how is remove else set(), hurt)
    bench.add(**{how.__name__: 1})


def mpi(bench, run, pids):
    """`baton-mpi report` of it in PROCESSES processes, whose numbers go to a file; a process of a session of its own."""
    each = ["sh", "-c", 'echo $$ >>"$0"; exec "$@"', pids, MPI, "report", "--json", "--fresh", run]
    return subprocess.Popen(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(PROCESSES), *each], env=bench.env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def ended(job, seconds):
    """(status, output) of it; it and all that it began are killed after `seconds`."""
    try:
        return (job.communicate(timeout=seconds)[0], job.returncode)[::-1]
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):  # its last process may just have ended
            os.killpg(job.pid, 9)
        job.communicate()
        return "hangs", b""


def begun(pids):
    """The numbers of the processes of MPI that have begun. A line may be half written."""
    if not os.path.exists(pids):
        return []
    with open(pids) as file:
        return [int(line) for line in file if line.endswith("\n")]


def kill(bench, number):
    """One of the processes of MPI is killed, at a moment of what it takes without."""
    if not (os.path.exists(MPI) and shutil.which("mpirun")):
        raise row.Skip("no MPI here")
    rng = random.Random(number)
    run = simulate(bench, "run", 8, number + 1, "--per-host", "2")
    rng.choice([flip, cut, remove])(rng, rng.choice(row.traces(run)))
    _, wanted, _ = bench.run(row.BATON, "report", "--json", "--fresh", run)
    pids, began = os.path.join(bench.fresh("pids"), "pids"), time.monotonic()
    status, out = ended(mpi(bench, run, pids), 60)
    bench.expect(status in (0, 4) and out == wanted, "case %d: baton-mpi ends with %s, as %d bytes of an answer" % (number, status, len(out)))
    took = time.monotonic() - began
    with contextlib.suppress(FileNotFoundError):  # none of it began
        os.remove(pids)
    job, victim = mpi(bench, run, pids), rng.randrange(PROCESSES)
    time.sleep(took * rng.random())
    while job.poll() is None and len(begun(pids)) < PROCESSES:
        time.sleep(0.01)
    try:
        os.kill(begun(pids)[victim], 9)
        bench.add(killed=1)
    except (ProcessLookupError, IndexError):  # it is gone, or never came
        bench.add(had_ended=1)
    status, out = ended(job, 60)
    bench.expect(status != "hangs", "case %d: still there 60 s after process %d was killed" % (number, victim))
    bench.expect(status not in (0, 4) or out == wanted, "case %d: status %s without the answer" % (number, status))


def thousand(bench):
    """1,000 ranks, 1 % of the files flipped."""
    run, rng = simulate(bench, "thousand", MANY, 1, "--kernels", "60"), random.Random(1)
    chosen = rng.sample(row.traces(run), MANY // 100)
    hurt = {rank for path in chosen for rank in ranks_of(bench, path)}
    for path in chosen:
        flip(rng, path)
    judge(bench, "1,000 ranks", run, MANY, set(), hurt)
    shutil.rmtree(run)


def piece(bench, first, most):
    if not os.path.exists(row.SIM):
        raise row.Skip("not built: baton-sim")
    if first == 0 and most > 100:
        thousand(bench)
    n = min(most, 5)
    for number in range(first, first + n):
        (kill if number >= TARGET - KILLS else case)(bench, number)
    return n


if __name__ == "__main__":
    row.main(globals())
