"""Row 5: the Nth call of every function that the recorder makes fails, N = 1 and on, in every kind of job, until none is left
(tests/shim/faults.py; jobs of PyTorch where it is installed, FAULTS_TORCH=build/torch/2.15.0). A case is one failing call; a job ends and prints as it does alone, and leaves nothing that cannot be read."""
import os
import re
import subprocess
import sys

import row

NUMBER, NAME = 5, "the Nth call fails"
VERSION = 2  # jobs of PyTorch, of forks and of an abort
TARGET, UNIT = 10_000, "failing calls"
NOTE = "calls after the first 1,000 of one function in one job"
PIECE_S = 600  # a piece counts the calls of the jobs before it first
made = {}


def piece(bench, first, most):
    row.needs(os.path.join(row.BUILD, "simtrain"))
    if not made:
        made["injector"] = os.path.join(bench.work, "inject.so")
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-fno-builtin", "-fno-optimize-sibling-calls",
                        "-fPIC", "-shared", "-o", made["injector"], "tests/shim/inject.c", "-ldl"], check=True)
    work = bench.fresh("faults")
    seconds = 1 if most < 50 else min(PIECE_S, bench.seconds)
    status, out, err = bench.run(sys.executable, "tests/shim/faults.py", row.BUILD, made["injector"], work, "all", str(first), str(seconds),
                                 seconds=seconds + 600)
    last = out.decode().splitlines()[-1] if out else err.decode()[-300:]
    found = re.match(r"(\d+) faults in (\d+) jobs, (\d+) of them", last)
    if not bench.expect(found, "faults.py ends with %s: %s" % (status, last)):
        return 0
    for line in out.decode().splitlines()[:-1]:
        if not line.startswith("    "):
            bench.wrong(line)
    return int(found[1])


if __name__ == "__main__":
    row.main(globals())
