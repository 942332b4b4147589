"""Row 20: programs of many kinds with and without the recorder: output, status and signal are the same. Kinds of jobs, ways to record
(stacks, windows, no CUPTI, small rings), and what else is preloaded: jemalloc, tcmalloc, an AddressSanitizer's program. Where PyTorch is
installed, its operators too (tests/torch/ops.py)."""
import glob
import os
import re
import subprocess
import sys

import row

NUMBER, NAME = 20, "do no harm"
TARGET, UNIT = 1_000, "programs"
NOTE = "PyTorch's operators where PyTorch is installed: part torch and `make test-torch`; NCCL's and cuDNN's own test suites: not here"
TRAIN, LAUNCH = (os.path.join(row.BUILD, name) for name in ("simtrain", "simlaunch"))
JOBS_PY = [sys.executable, os.path.join(row.ROOT, "tests/shim/jobs.py")]
STEPS = ["--steps", "3", "--layers", "2"]
JOBS = {
    "C": [TRAIN, *STEPS], "NVTX off": [TRAIN, *STEPS, "--no-nvtx"], "threads": [TRAIN, *STEPS, "--threads", "4"],
    "graph": [TRAIN, *STEPS, "--graph"], "one process, two GPUs": [TRAIN, *STEPS, "--mode", "dataparallel", "--devices", "2"],
    "two ranks": [LAUNCH, "-n", "2", "--", TRAIN, *STEPS], "profiled": [TRAIN, *STEPS, "--profile", "1-1"],
    "syncs": [TRAIN, *STEPS, "--sync-in-loop"], "allocates": [TRAIN, *STEPS, "--alloc-in-loop"], "killed": [TRAIN, "--steps", "9", "--kill-rank", "0=2"],
    "fails early": [TRAIN, "--no-such-option"],
    "shell": ["bash", "-c", "set -o pipefail; yes | head -n 2; exec 3>&1; (exit 3) | cat; echo $?; kill -USR2 $$"],
    "stdin": ["bash", "-c", "cat; ulimit -n; exit 4"],
    **{name: [*JOBS_PY, name] for name in ("segv abort leave fails spawn fork fork_after children bomb signals close_all rests").split()
       if name not in ("rests",)},
}
WAYS = {
    "as it is": {}, "stacks off": {"BATON_STACKS": "off"}, "both stacks": {"BATON_STACKS": "both"}, "no CUPTI": {"BATON_CUPTI": "none"},
    "small rings": {"BATON_RING_SLOTS": "64"}, "a window": {"BATON_WINDOW": "cudaProfilerApi:0:stop"}, "other CUPTI": {"SIMGPU_CUPTI_BUSY": "other"},
    "no directory": {"BATON_OUT": "/proc/self"}, "coarse clock": {"BATON_HOST_CLOCK": "32ns"},
}
ALLOCATORS = sorted(glob.glob("/usr/lib/*/libjemalloc.so.2") + glob.glob("/usr/lib/*/libtcmalloc_minimal.so.4"))
STRIDE = 101  # a prime: any first cases are of all kinds
known = {}


def sanitized(bench):
    """A program with an AddressSanitizer and its runtime, which must be preloaded before all: else it refuses to run."""
    path, compiler = os.path.join(bench.work, "sanitized"), os.environ.get("CC", "cc")
    made = subprocess.run([compiler, "-fsanitize=address", "-O1", "-o", path, "tests/hard/many.c",
                           os.path.join(row.SIMGPU, "libcuda.so.1"), "-lpthread"], capture_output=True)
    runtime = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    return (path, os.path.realpath(runtime)) if made.returncode == 0 and os.path.isabs(runtime) else None


def plain(bench, name, command, before):
    key = name, before
    if key not in known:
        known[key] = shown(bench.run(*command, **({"LD_PRELOAD": before} if before else {})))
    return known[key]


def shown(end):
    """Status, output, and what others than baton said; resident memory is not compared."""
    status, out, err = end
    said = b"\n".join(line for line in err.split(b"\n") if not line.startswith(b"baton:"))
    return status, re.sub(rb"(kib|data) \d+", b"", out), said


def cases(bench):
    """(job, way, preloaded before) of all, in an order that stays."""
    if "sanitized" not in known:
        known["sanitized"] = sanitized(bench)
    for before in ["", *ALLOCATORS]:
        for way in WAYS:
            for name, command in JOBS.items():
                yield name, command, way, before
    for way in WAYS if known["sanitized"] else ():
        program, runtime = known["sanitized"]
        yield "AddressSanitizer", [program, "4", "50"], way, runtime


def piece(bench, first, most):
    row.needs(TRAIN, LAUNCH)
    everything = list(cases(bench))
    n = min(most, 10, len(everything) - first)
    for number in range(first, first + n):
        name, command, way, before = everything[number * STRIDE % len(everything)]
        wanted = plain(bench, name, command, before)
        run = bench.fresh()
        env = dict(WAYS[way])
        out = env.pop("BATON_OUT", run)
        found = shown(bench.preloaded(out, *command, before=before, **env))
        bench.expect(found == wanted, "%s, %s%s: %s, not %s" % (name, way, before and ", after " + before, str(found)[-300:], str(wanted)[-300:]))
        bench.sums["kinds"] = len(everything)
    return n


if __name__ == "__main__":
    row.main(globals())
