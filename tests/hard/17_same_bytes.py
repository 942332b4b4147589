"""Row 17: a run of random shape is reduced on one core and on all, with its files in another order, and by 1 to 8 processes of MPI:
the summary and the answer are the same bytes each time."""
import os
import random
import shutil

import row

NUMBER, NAME = 17, "the same bytes"
TARGET, UNIT = 1_000, "runs"
NOTE = "more threads than cores; against the slow reference: 400 random traces, part accuracy"
SHAPES = "ddp resnet inference short_backward pipeline jax".split()
MPI = os.path.join(row.BUILD, "baton-mpi")
FAULTS = ["slow_gpu=30@1", "item_end=1@all", "clock=5000", None, None]
MPI_ENV = {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PMIX_MCA_gds": "hash", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


def simulate(bench, number):
    rng, run = random.Random(number), os.path.join(bench.work, "run")
    shutil.rmtree(run, ignore_errors=True)
    ranks, per_host, fault = rng.choice([2, 4, 6, 8]), rng.choice([2, 4]), rng.choice(FAULTS)
    if ranks <= per_host and fault == "clock=5000":  # one host has one clock
        fault = None
    command = [row.SIM, "-o", run, "--workload", rng.choice(SHAPES), "--ranks", str(ranks), "--per-host", str(per_host), "--steps",
               str(rng.randint(3, 9)), "--seed", str(number + 1), *(["--fault", fault] if fault else [])]
    status, _, err = bench.run(*command)
    bench.expect(status == 0, "case %d: %s: %s" % (number, " ".join(command), err.decode()[-200:]))
    return run


def answer(bench, run, *before, **env):
    """(status, JSON, summary) of a reduction, in which no earlier one has a part."""
    summary = os.path.join(run, "summary.baton")
    if os.path.exists(summary):
        os.remove(summary)
    program = MPI if before and "mpirun" in before[0] else row.BATON
    status, out, _ = bench.run(*before, program, "report", "--json", run, seconds=120, **env)
    return status, out, open(summary, "rb").read() if os.path.exists(summary) else b""


def in_another_order(run, rng):
    """The same directory again, its files made in another order: readdir() gives them in another one."""
    names = sorted(os.listdir(run))
    rng.shuffle(names)
    aside = run + ".aside"
    os.rename(run, aside)
    os.mkdir(run, 0o700)
    for name in names:
        if name != "summary.baton":
            shutil.copy2(os.path.join(aside, name), os.path.join(run, name))
    shutil.rmtree(aside)


def case(bench, number):
    run, rng = simulate(bench, number), random.Random(number)
    first = answer(bench, run, "taskset", "-c", "0")
    ways = {"all cores": answer(bench, run)}
    if bench.mpi:
        processes = rng.choice([1, 2, 3, 8])
        ways["%d of MPI" % processes] = answer(bench, run, *bench.mpi, "-n", str(processes), **MPI_ENV)
        bench.add(by_mpi=1)
    in_another_order(run, rng)
    ways["another order"] = answer(bench, run)
    bench.expect(first[0] in (0, 4) and first[1] and first[2], "case %d: report ends with %s" % (number, first[0]))
    for name, found in ways.items():
        bench.expect(found == first, "case %d: %s gives another %s" % (number, name, "summary" if found[1] == first[1] else "answer"))


def mpi(bench):
    if not os.path.exists(MPI) or not shutil.which("mpirun"):
        return None
    _, out, _ = bench.run("mpirun", "--version")
    return ["mpirun", "--allow-run-as-root", "--oversubscribe"] if b"Open MPI" in out else ["mpirun"]


def piece(bench, first, most):
    if not os.path.exists(row.SIM):
        raise row.Skip("not built: baton-sim")
    if not hasattr(bench, "mpi"):
        bench.mpi = mpi(bench)
    n = min(most, 4)
    for number in range(first, first + n):
        case(bench, number)
    return n


if __name__ == "__main__":
    row.main(globals())
