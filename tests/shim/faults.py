"""faults.py BUILD INJECTOR WORK some|all [FIRST SECONDS]: every job with the Nth call of every function failing, that libbaton.so makes.

What a job prints and how it ends must be as without the recorder; nothing of it may stay in the ring directory, and what it left in the
output directory must be readable. `some`: the first and the last call of each function, and a few more of those that a recording begins
with; jobs beyond the first ones have those alone. FIRST and SECONDS: from the fault of that number on, and no new one after so
long; the last line then has the number of the next one. `all` has jobs of PyTorch too, where it is (FAULTS_TORCH=build/torch/2.15.0).
"""
import os
import struct
import subprocess
import sys
import time

build, injector, work = (os.path.abspath(path) for path in sys.argv[1:4])
every = sys.argv[4] == "all"
first, seconds = (float(text) for text in sys.argv[5:7]) if len(sys.argv) > 5 else (0, 1e9)

FUNCTIONS = ("mmap munmap mremap madvise open read pread write ftruncate posix_fallocate flock statfs statvfs unlink access opendir readlink "
             "realpath setenv gethostname fcntl pthread_create pthread_key_create pthread_setspecific dlopen process_vm_readv malloc "
             "calloc realloc sched_setaffinity sched_setscheduler getrlimit").split()
TRAIN = [f"{build}/simtrain", "--layers", "2", "--steps", "3"]
BEGINS = "mmap open write ftruncate posix_fallocate pthread_create malloc calloc".split()
LAUNCHES = [sys.executable, os.path.abspath("tests/shim/jobs.py")]
JOBS = {  # name: (command, variables)
    "C": (TRAIN + ["--no-nvtx"], {}),
    "no CUPTI": (TRAIN, {"BATON_CUPTI": "none"}),
    "NVTX": (TRAIN, {}),
    "threads": (TRAIN + ["--threads", "4"], {}),
    "graph": (TRAIN + ["--graph"], {}),
    "NCCL": (TRAIN + ["--mode", "dataparallel", "--devices", "2"], {}),
    "native stacks": (TRAIN, {"BATON_STACKS": "both"}),
    "a window": (TRAIN, {"BATON_WINDOW": "cudaProfilerApi:0:stop", "PROFILE": "1"}),
    "Python": (LAUNCHES + ["fails"], {}),
    "forks": (LAUNCHES + ["fork"], {}),
    "aborts": (LAUNCHES + ["abort"], {}),
}
TORCH = os.environ.get("FAULTS_TORCH", "build/torch/2.15.0")
if every and os.path.isdir(os.path.join(TORCH, "torch")):  # jobs that torch_faults.py forks
    JOBS.update({"PyTorch": (None, {}), "PyTorch, both stacks": (None, {"BATON_STACKS": "both"}), "PyTorch, no CUPTI": (None, {"BATON_CUPTI": "none"}),
                 "PyTorch, a thread's ring is small": (None, {"BATON_RING_SLOTS": "64"})})
MOST = 1000  # of the calls of one function: frames of a thread that is silent are read a thousand times a second
servers = {}


def recorded(inject):
    """The variables of a job that is recorded, and in which a call fails."""
    return {"LD_PRELOAD": f"{injector}:{build}/libbaton.so", "BATON_OUT": f"{work}/out", "BATON_RING_DIR": f"{work}/rings",
            "INJECT": inject, "INJECT_COUNT": f"{work}/count"}


def run(job, inject=None):
    """(status, output) and what baton said; with `inject` recorded."""
    command, variables = JOBS[job]
    if inject:
        for name in ("out", "rings"):
            os.makedirs(f"{work}/{name}", exist_ok=True)
            for path in os.listdir(f"{work}/{name}"):
                os.unlink(f"{work}/{name}/{path}")
    if not command:
        return forked(job, inject)
    env = dict(os.environ, **variables)
    if env.pop("PROFILE", None):
        command = command + ["--profile", "1-1"]
    try:
        end = subprocess.run(command, env=dict(env, **(recorded(inject) if inject else {})), cwd=work, timeout=60, stdin=subprocess.DEVNULL,
                             capture_output=True)
    except subprocess.TimeoutExpired:
        return ("hangs", b""), b""
    return (end.returncode, end.stdout), end.stderr


def forked(job, inject):
    """The same of a job that a server forks, which has the injector or not."""
    kind = job, bool(inject)
    if kind not in servers:
        env = dict(os.environ, PYTHONPATH=os.path.abspath(TORCH), OMP_NUM_THREADS="1", **JOBS[job][1], **(recorded("nothing:0") if inject else {}))
        servers[kind] = subprocess.Popen([sys.executable, "tests/shim/torch_faults.py"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, text=True)
    servers[kind].stdin.write(f"{inject}\t{work}/stdout\t{work}/stderr\n")
    servers[kind].stdin.flush()
    status = servers[kind].stdout.readline().strip() or sys.exit(f"faults.py: {job}: tests/shim/torch_faults.py has ended")
    with open(f"{work}/stdout", "rb") as out, open(f"{work}/stderr", "rb") as err:
        return (status, out.read()), err.read()


def calls(job):
    """{function: how many calls the process of the job makes that makes most}."""
    with open(f"{work}/count", "wb"):
        pass
    run(job, "nothing:0")
    with open(f"{work}/count", "rb") as file:
        rows = struct.iter_unpack("ii24sq", file.read())
        found = {name.rstrip(b"\0").decode(): most for _, _, name, most in rows if name[0]}
    return found


def left():
    """What must not be there, after a command has read the run (and taken up what a write that failed left in the rings)."""
    subprocess.run([f"{build}/baton", "reduce", f"{work}/out"], capture_output=True, env=dict(os.environ, BATON_RING_DIR=f"{work}/rings"))
    wrong = [name for name in os.listdir(f"{work}/rings")]
    for name in [name for name in os.listdir(f"{work}/out") if name.endswith(".baton") and name != "summary.baton"]:
        end = subprocess.run([f"{build}/baton", "check", f"{work}/out/{name}"], capture_output=True)
        if end.returncode:
            wrong.append(f"{name}: {end.stdout.decode() + end.stderr.decode()}")
    return wrong


def chosen(function, n):
    n = min(n, MOST)
    step = 1 if every or function == "mmap" else max(1, n // 3) if function in BEGINS else max(1, n)
    return sorted(set(range(1, n + 1, step)) | ({n} if n and every else set()))


def faults():
    """(job, what it prints and how it ends, function, number of the call), in an order that stays."""
    for job in JOBS:
        plain, _ = run(job)
        made = calls(job)
        for function in FUNCTIONS if every or job in ("NVTX", "Python") else BEGINS:
            for at in chosen(function, made.get(function, 0)):
                if function != "unlink":  # a file that cannot be removed stays
                    yield job, plain, function, at


failed = ran = 0
begun, complete = time.monotonic(), True
for number, (job, plain, function, at) in enumerate(faults()):
    if number < first:
        continue
    if time.monotonic() - begun > seconds:
        complete = False
        break
    end, said = run(job, f"{function}:{at}")
    ran += 1
    wrong = [] if end == plain else [f"it ended as {end}, not as {plain}"]
    if end[0] == plain[0]:
        wrong += left()
    if wrong:
        failed += 1
        print(f"{job}, call {at} of {function}: {'; '.join(wrong)}\n    {said.decode(errors='replace')[-300:]}", flush=True)
rest = "" if complete else f"; the next one is number {int(first) + ran}"
print(f"{ran} faults in {len(JOBS)} jobs, {failed} of them harmed a job or stayed{rest}")
sys.exit(failed > 0 or ran == 0)
