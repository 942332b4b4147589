"""ranks.py --build DIR [--mpi K] RANKS...: runs of so many ranks, few kernels and steps each, with three slow GPUs and without. Prints the
table of docs/SCALE.md: what reducing, reporting and comparing take, and whether the slow GPUs are the ones that baton names."""

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

SLOW = ((60, 20), (45, 50), (30, 90))  # percent slower, the rank as percent of all
STEPS, KERNELS = 5, 60


class Measured:
    """A command, what it printed, the seconds that it took and the most memory that it had."""

    def __init__(self, *command):
        begun = time.monotonic()
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            child = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.wall, self.cpu = time.monotonic() - begun, usage.ru_utime + usage.ru_stime
            self.mib = usage.ru_maxrss / 1024
            out.seek(0)
            err.seek(0)
            self.out, self.err, self.status = out.read(), err.read(), child.returncode
        if self.status not in (0, 1):
            sys.exit("%s: status %d: %s" % (" ".join(map(str, command)), self.status, self.err[-300:]))

    def cell(self):
        return "%.1f s, %.1f s, %.0f MiB" % (self.wall, self.cpu, self.mib)


def named(baton, run, wanted):
    """Whom the findings name, and whether the table of devices begins with the slow ones and no other differs as they do."""
    findings = json.loads(Measured(baton, "report", "--json", run).out)["findings"]
    late = [f.get("rank") for f in findings if f["id"] in ("late_rank", "late_host") and f["severity"] != "none"]
    text = Measured(baton, "report", run).out
    table = re.findall(r"^\S+/\d+ +(\d+) ", text[text.index("\nmedian "):], re.M)
    first = [int(rank) for rank in table[:len(wanted)]]
    return late, first


def measure(build, where, ranks, processes):
    baton, sim = build + "/baton", build + "/baton-sim"
    slow = [(percent, ranks * at // 100) for percent, at in SLOW]
    wanted = [rank for _, rank in slow]
    even, late = os.path.join(where, "even%d" % ranks), os.path.join(where, "late%d" % ranks)
    size = ["--ranks", ranks, "--steps", STEPS, "--kernels", KERNELS]
    Measured(sim, "-o", even, *size)
    Measured(sim, "-o", late, *size, "--noise-seed", 2, *sum((["--fault", "slow_gpu=%d@%d" % one] for one in slow), []))
    reduced = Measured(baton, "reduce", late)
    Measured(baton, "reduce", even)
    reported, compared = Measured(baton, "report", late), Measured(baton, "compare", even, late)
    ranks_named, first = named(baton, late, wanted)
    healthy, _ = named(baton, even, [])
    right = first == wanted and not healthy and not set(ranks_named) - set(wanted)
    print("| %d | %s | %s | %s | %s |" % (ranks, reduced.cell(), reported.cell(), compared.cell(),
                                          "%s; %s" % (", ".join(map(str, ranks_named)) or "none", ", ".join(map(str, first)))), flush=True)
    if not right:
        print("planted: %s; named without them: %s" % (wanted, healthy))
    if processes:
        bytes_of = open(late + "/summary.baton", "rb").read()
        os.unlink(late + "/summary.baton")
        by_mpi = Measured("mpirun", "--allow-run-as-root", "--oversubscribe", "-n", processes, build + "/baton-mpi", "reduce", late)
        same = open(late + "/summary.baton", "rb").read() == bytes_of
        print("%d MPI processes on this machine: %.1f s, %s bytes" % (processes, by_mpi.wall, "the same" if same else "OTHER"), flush=True)
        right = right and same
    return right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--mpi", type=int, default=0)
    parser.add_argument("ranks", type=int, nargs="+")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("%d steps of %d kernels; wall, CPU, peak memory; %d cores\n" % (STEPS, KERNELS, os.cpu_count()))
    print("| ranks | reduce | report | compare | named; first in the table of devices |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as where:
        right = [measure(options.build, where, ranks, options.mpi) for ranks in options.ranks]
    sys.exit(not all(right))


main()
