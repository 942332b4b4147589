"""Row 20: programs of many kinds with and without the recorder: output, status and signal are the same. Kinds of jobs, ways to record
(stacks, windows, no CUPTI, small rings), and what else is preloaded: jemalloc, tcmalloc, an AddressSanitizer's program. Then sequences of
calls to NCCL with 1 to 4 ranks (communicators, groups, splits, abort, ranks that die), and to cuDNN, cuBLAS and cuFFT. Then, where PyTorch
is installed (SUITE_TORCH=build/torch/2.15.0), 1,000 of its own tests (tests/torch/suite.txt)."""
import glob
import os
import re
import subprocess
import sys

import row

sys.path.insert(0, os.path.join(row.ROOT, "tests", "torch"))
import suite  # noqa: E402

NUMBER, NAME = 20, "do no harm"
TARGET, UNIT = 1_290, "programs"
NOTE = "NCCL's and cuDNN's own test suites; PyTorch's tests that the simulated GPUs cannot run: tests/torch/suite_left.txt"
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
NCCL_RANKS = 4
TORCH = os.path.abspath(os.environ.get("SUITE_TORCH", "build/torch/2.15.0"))
AT_ONCE = 10
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


def libraries(bench):
    """tests/double/libraries.c: what is called of cuDNN, cuBLAS and cuFFT, and what comes of it."""
    path = os.path.join(bench.work, "libraries")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-O1", "-Itools/simgpu", "-o", path, *glob.glob("tests/double/libraries*.c"),
                    "-L" + row.SIMGPU, "-l:libcuda.so.1", "-ldl", "-pthread"], check=True)
    return path


def sequences(bench):
    """(name, command, variables), in an order that stays. The program of libraries.c listens to the driver in CUPTI's place."""
    if "sequences" not in known:
        nccl, wanted = os.path.join(row.SIMGPU, "nccl_test"), bench.run(os.path.join(row.SIMGPU, "nccl_test"))[1].decode().split()
        known["sequences"] = [("NCCL %s, %d ranks" % (name, ranks), [nccl, name, str(ranks)], {"SIMGPU_DEVICES": str(NCCL_RANKS)})
                              for name, least in zip(wanted[::2], wanted[1::2]) for ranks in range(int(least), NCCL_RANKS + 1)]
        path = libraries(bench)
        known["sequences"] += [("libraries of CUDA %s, %s" % (cuda, of), [path, cuda],
                                {"SIMGPU_CAPABILITY": of, "SIMGPU_KERNEL_NS": "2000", "BATON_CUPTI": "none"}) for cuda in ("12", "13") for of in ("80", "90")]
    return known["sequences"]


def pair_of(bench, kind):
    """The servers of one kind of PyTorch's tests; those of another kind end."""
    if known.get("kind") != kind:
        end_pair()
        run = bench.fresh("suite")
        env = dict(bench.env, PYTHONPATH=TORCH, OMP_NUM_THREADS="1", PYTHONNOUSERSITE="1", SIMGPU_DEVICES="4", SIMGPU_MEMORY_MB="8192")
        known.update(kind=kind, pair=suite.Pair(kind, row.LIBRARY, run, env))
    return known["pair"]


def end_pair():
    if known.pop("kind", None):
        known.pop("pair").end()


def torch_piece(bench, names):
    """Those of them that are of one kind."""
    if not os.path.isdir(os.path.join(TORCH, "torch")):
        bench.sums["lacks_pytorch"] = len(suite.listed())
        return 0
    kind = suite.name_kind(names[0])
    names = [name for name in names if suite.name_kind(name) == kind]
    pair = pair_of(bench, kind)
    plain, recorded, traces, again = pair.ask(names)
    for text in suite.differences(plain, recorded):
        bench.wrong(text)
    bench.add(pytorch=len(names), traces=traces, tried_twice=again)
    if row.traces(pair.run):
        bench.sound(pair.run, "%s and those after it" % names[0], (0, 3, 4))  # 3: none of them did anything on the GPU
        for path in glob.glob(os.path.join(glob.escape(pair.run), "*")):
            os.unlink(path)
    return len(names)


def sequence_piece(bench, some):
    for name, command, env in some:
        wanted = shown(bench.run(*command, **env))
        found = shown(bench.preloaded(bench.fresh(), *command, **env))
        bench.expect(found == wanted, "%s: %s, not %s" % (name, str(found)[-300:], str(wanted)[-300:]))
        bench.add(sequences=1)
    return len(some)


def piece(bench, first, most):
    row.needs(TRAIN, LAUNCH, os.path.join(row.SIMGPU, "nccl_test"))
    everything, most = list(cases(bench)), min(most, AT_ONCE)
    if first < len(everything):
        return kinds_piece(bench, everything, first, min(most, len(everything) - first))
    first -= len(everything)
    if first < len(sequences(bench)):
        return sequence_piece(bench, sequences(bench)[first:first + most])
    names = suite.listed()[first - len(sequences(bench)):][:most]
    done = torch_piece(bench, names) if names else 0
    if not names or done < len(names):
        end_pair()
    return done


def kinds_piece(bench, everything, first, n):
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
