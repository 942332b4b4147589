"""faults.py BUILD INJECTOR WORK some|all [FIRST SECONDS]: every job with the Nth call of every function failing, that libbaton.so makes.

What a job prints and how it ends must be as without the recorder; nothing of it may stay in the ring directory, and what it left in the
output directory must be readable. `some`: the first and the last call of each function, and a few more of those that a recording begins
with; jobs beyond the first ones have those alone. FIRST and SECONDS: from the fault of that number on, and no new one after so
long; the last line then has the number of the next one.
"""
import os
import shutil
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


def run(job, inject=None):
    """(status, output) and what baton said; with `inject` recorded."""
    command, variables = JOBS[job]
    env = dict(os.environ, **variables)
    if env.pop("PROFILE", None):
        command = command + ["--profile", "1-1"]
    if inject:
        for name in ("out", "rings"):
            shutil.rmtree(f"{work}/{name}", ignore_errors=True)
            os.makedirs(f"{work}/{name}")
        env.update(LD_PRELOAD=f"{injector}:{build}/libbaton.so", BATON_OUT=f"{work}/out", BATON_RING_DIR=f"{work}/rings",
                   INJECT=inject, INJECT_COUNT=f"{work}/count")
    try:
        end = subprocess.run(command, env=env, cwd=work, timeout=60, stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return ("hangs", b""), b""
    return (end.returncode, end.stdout), end.stderr


def calls(job):
    """{function: how many the last process of the job to end makes}."""
    if os.path.exists(f"{work}/count"):
        os.remove(f"{work}/count")
    run(job, "nothing:0")
    return {name: int(n) for name, n in map(str.split, open(f"{work}/count"))} if os.path.exists(f"{work}/count") else {}


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
