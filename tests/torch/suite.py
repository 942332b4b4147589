"""PyTorch's own tests: its lists of operators, modules and optimizers (torch.testing), and its distributed tests.

suite.py serve KIND     reads lines of cases of one kind, with tabs between, prints a JSON object for each line: how the processes that ran
                        them ended, and what each said of each case
suite.py names KIND     prints the names of all cases of that kind
suite.py check LIBRARY RUN EVERY
                        each EVERY-th case of suite.txt with and without the recorder LIBRARY, whose traces go to RUN; status 1: one is other
suite.py choose KIND    runs each case twice, without the recorder: prints those that end alike, on stderr the others and why. suite.txt is
                        of all such of gloo and nccl and of the first of ops, 1,000 together; suite_left.txt has the others and why

KIND     ops    `op NAME DTYPE`, `module NAME DTYPE`, `optim NAME DTYPE NUMBER`: on the GPU, forward, backward or step. What is said is
                shapes and types, or the exception. No values: a simulated GPU computes few.
         gloo   `gloo TEST`: a test of torch.testing._internal.distributed.distributed_test, 3 ranks. The test itself judges.
         nccl   `nccl TEST`: 2 ranks
A server imports PyTorch once, calls no CUDA itself, and forks for each line. A child ends as a program in C does, by exit()."""
import ctypes
import gc
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock
import warnings

import ops

HERE = os.path.dirname(os.path.abspath(__file__))
RANKS = {"ops": 1, "gloo": 3, "nccl": 2}
CAPABILITY = (8, 0)  # of the simulated GPUs: some lists ask while they are imported
LONGEST_S, REST_S = 30, 10  # of the processes of a line, and 5 s for each case; of those that are left when the first has ended
STILL = "still at it"
AT_ONCE = 10  # cases of a line
MORE_DTYPES = "float64 float16 bfloat16 int64 bool complex64".split()
KINDS = tuple(RANKS)


# -- cases

def operator_case(op, dtype):
    import torch
    gradients = op.supports_autograd and dtype.is_floating_point
    samples = op.sample_inputs("cuda", dtype, requires_grad=gradients)
    return ["%d %s" % (i, ops.outcome(ops.forward_and_backward, op, sample)) for sample, i in zip(samples, range(ops.SAMPLES))] + \
        ["device %s" % torch.cuda.current_device()]


def module_step(info, sample, dtype):
    import torch
    made, forward = sample.constructor_input, sample.forward_input
    module = info.module_cls(*made.args, **made.kwargs).to("cuda", dtype)
    out = module(*forward.args, **forward.kwargs) if forward else None
    roots = [t for t in ops.tensors_of(out) if t.requires_grad and t.dtype.is_floating_point]
    if roots:
        sum(t.sum() for t in roots).backward()
    torch.cuda.synchronize()
    return "%s gradients %s" % (ops.shown(out), ops.shown([p.grad for p in module.parameters() if p.grad is not None]))


def module_case(info, dtype):
    samples = info.module_inputs_func(info, device="cuda", dtype=dtype, requires_grad=dtype.is_floating_point, training=True)
    return ["%d %s" % (i, ops.outcome(module_step, info, sample, dtype)) for sample, i in zip(samples, range(ops.SAMPLES))]


def optimizer_steps(info, kwargs, dtype):
    import torch
    model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2)).to("cuda", dtype)
    optimizer = info.optim_cls(model.parameters(), **kwargs)

    def closure():
        optimizer.zero_grad()
        loss = model(torch.ones(3, 6, device="cuda", dtype=dtype)).sum()
        loss.backward()
        return loss
    for _ in range(3):
        optimizer.step(closure)
    torch.cuda.synchronize()
    return " ".join(sorted({"%s %s" % (name, ops.shown(value)) for state in optimizer.state.values() for name, value in state.items()}))


def optimizer_case(info, dtype, number):
    kwargs = info.optim_inputs_func(device="cuda")[int(number)].kwargs
    return ["%s: %s" % (" ".join(sorted(kwargs)), ops.outcome(optimizer_steps, info, kwargs, dtype))]


def single(name):
    """A case of one process; its lines."""
    import torch
    warnings.simplefilter("ignore")
    torch.manual_seed(1)
    what, of, dtype, *rest = name.split()
    run = {"op": operator_case, "module": module_case, "optim": optimizer_case}[what]
    found = [info for info in databases()[what] if named(info) == of]
    if not found:
        return ["not in this release"]
    return run(found[0], getattr(torch, dtype), *rest)


def distributed(name, rank, folder):
    """One rank of one of PyTorch's distributed tests. Its way of running one, where a status of its own says why it is left out."""
    import torch
    from torch.testing._internal.distributed import distributed_test

    class Suite(distributed_test.TestDistBackend, distributed_test.DistributedTest._DistTestBase):
        pass
    test = name.split()[1]
    if not hasattr(Suite, test):
        return ["not in this release"]
    os.environ["TEMP_DIR"] = folder
    distributed_test.Barrier.init()
    ours, theirs = torch.multiprocessing.Pipe()
    try:
        Suite._run(rank, test, os.path.join(folder, "store"), theirs)
    except SystemExit as end:
        trace = ours.recv() if end.code == 10 and ours.poll() else ""  # MultiProcessTestCase.TEST_ERROR_EXIT_CODE
        return ["status %s" % end.code, settled(trace)]
    finally:
        if torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
    return []


def settled(trace):
    """The exception of a trace, without what is other each time."""
    lines = [line for line in trace.splitlines() if re.match(r"\w[\w.]*(Error|Exception|Failed)\b", line)]
    return re.sub(r"0x[0-9a-f]+|\d+\.\d+|\d{3,}|127\.0\.0\.1.*", "N", lines[-1])[:120] if lines else ""


# -- the lists

def databases():
    """{op: ..., module: ..., optim: ...}: PyTorch's own lists. They ask for a package of its test suite, which they do not use."""
    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_optimizers import optim_db
    return {"op": ops.operators(), "module": module_db, "optim": optim_db}


def named(info):
    return getattr(info, "full_name", None) or getattr(info, "name", None) or info.optim_cls.__name__


def first_dtype(info):
    import torch
    return "float32" if torch.float32 in info.dtypes or not info.dtypes else sorted(str(d)[6:] for d in info.dtypes)[0]


def names_of(kind):
    """All cases of a kind, those of other types after the first of each."""
    if kind != "ops":
        from torch.testing._internal.distributed import distributed_test
        return ["%s %s" % (kind, test) for test in sorted(dir(distributed_test.DistributedTest._DistTestBase)) if test.startswith("test_")]
    infos = [(what, info) for what, all_of_it in databases().items() for info in all_of_it if what != "optim"]
    first = ["%s %s %s" % (what, named(info), first_dtype(info)) for what, info in infos]
    first += ["optim %s float32 %d" % (named(info), i) for info in databases()["optim"] for i in range(len(info.optim_inputs_func(device="cpu")))]
    more = []
    for at, (what, info) in enumerate(infos):  # one more type of each, by turns
        has = [d for d in MORE_DTYPES if d in {str(d)[6:] for d in info.dtypes} and d != first_dtype(info)]
        more += ["%s %s %s" % (what, named(info), has[at % len(has)])] if has else []
    return first + more


# -- processes

def end_as_a_program(status):
    sys.stdout.flush()
    ctypes.CDLL(None).exit(status)


def case_of(name, rank, folder):
    try:
        return single(name) if RANKS[name_kind(name)] == 1 else distributed(name, rank, folder)
    except BaseException as error:
        return ["%s: %s" % (type(error).__name__, settled(type(error).__name__ + ": " + str(error).split("\n")[0]))]


def child(names, rank, work):
    """In the child: the cases, what each says in a file, the end."""
    null = os.open(os.path.join(work, "stderr"), os.O_WRONLY | os.O_CREAT, 0o600)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    for i, name in enumerate(names):
        said = case_of(name, rank, os.path.join(work, str(i)))
        with open(os.path.join(work, str(i), "said.%d" % rank), "w") as file:
            file.write("\n".join(said))
    end_as_a_program(0)


def name_kind(name):
    return name.split()[0] if name.split()[0] in KINDS else "ops"


def wait_for(children, most_s):
    """Their statuses; who has not ended in time is ended, and who still waits long after another rank has ended."""
    ends, until = {}, time.monotonic() + most_s
    while len(ends) < len(children):
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid in children:
            ends[pid] = os.waitstatus_to_exitcode(status)
            until = min(until, time.monotonic() + REST_S)
        elif time.monotonic() > until:
            for rest in set(children) - set(ends):
                os.kill(rest, signal.SIGKILL)
                os.waitpid(rest, 0)
                ends[rest] = STILL
        else:
            time.sleep(0.005)
    return [ends[pid] for pid in children]


def said_in(path):
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return file.read().split("\n")


def run_cases(names, work):
    work = os.path.join(work, "cases")
    for i in range(len(names)):
        for part in ("barrier", "test_dir", "init_dir"):
            os.makedirs(os.path.join(work, str(i), part))
        open(os.path.join(work, str(i), "lockfile"), "w").close()
    children = []
    for rank in range(RANKS[name_kind(names[0])]):
        pid = os.fork()
        if pid == 0:
            child(names, rank, work)
        children.append(pid)
    ends = wait_for(children, LONGEST_S + 5 * len(names))
    said = {name: [said_in(os.path.join(work, str(i), "said.%d" % rank)) for rank in range(len(children))] for i, name in enumerate(names)}
    shutil.rmtree(work, ignore_errors=True)
    return {"ends": ends, "said": said}


def prepare(kind):
    """Imports all that a case needs, so that its processes need not."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # no CUDA call: a child of a process that made one has no CUDA
    if kind != "ops":
        os.environ.update(BACKEND=kind, WORLD_SIZE=str(RANKS[kind]), MASTER_ADDR="127.0.0.1", TEMP_DIR="/nonexistent",
                          GLOO_SOCKET_IFNAME="lo", NCCL_SOCKET_IFNAME="lo", TORCH_NCCL_ASYNC_ERROR_HANDLING="1")
    sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))
    if kind == "ops":
        import torch
        from torch.testing._internal import common_cuda
        common_cuda.TEST_CUDNN = True  # else a tensor on the GPU is made to ask
        with unittest.mock.patch.object(torch.cuda, "get_device_capability", lambda *_: CAPABILITY):
            databases()
        if torch.cuda.is_initialized():
            sys.exit("suite.py: PyTorch's lists have made a CUDA call")
    else:
        from torch.testing._internal.distributed import distributed_test  # noqa: F401


def serve(kind):
    prepare(kind)
    gc.collect()
    gc.freeze()
    gc.disable()  # else each child copies what it walks over
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what PyTorch prints is no answer
    with tempfile.TemporaryDirectory() as work:
        for line in sys.stdin:
            answers.write(json.dumps(run_cases(line.strip().split("\t"), work)) + "\n")
            answers.flush()


class Server:
    """A `suite.py serve KIND` with an environment of its own."""

    def __init__(self, kind, env=None):
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), "serve", kind], env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, names):
        self.process.stdin.write("\t".join(names) + "\n")
        self.process.stdin.flush()

    def answer(self):
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Pair:
    """One kind of cases with and without the recorder, at once."""

    def __init__(self, kind, library, run, env=None):
        env = dict(env or os.environ)
        self.run, self.plain = run, Server(kind, env)
        self.recorded = Server(kind, dict(env, LD_PRELOAD=library, BATON_OUT=run))

    def ask(self, names):
        """(how it went without, how with, how many traces with, how many cases had to be tried twice). A case that is other is tried again
        alone: on a busy machine it may be other than itself."""
        before, again = len(os.listdir(self.run)), 0
        plain, recorded = self.both(names)
        for name in [name for name in names if plain["said"][name] != recorded["said"][name]]:
            again += 1
            once, more = self.both([name])
            if plain["said"][name] != once["said"][name] or once == more:
                plain["said"][name] = recorded["said"][name] = once["said"][name]
        return plain, recorded, len(os.listdir(self.run)) - before, again

    def both(self, names):
        for server in self.plain, self.recorded:
            server.ask(names)
        return self.plain.answer(), self.recorded.answer()

    def end(self):
        self.plain.end()
        self.recorded.end()


def listed():
    with open(os.path.join(HERE, "suite.txt")) as file:
        return file.read().split("\n")[:-1]


def differences(plain, recorded):
    """What is other with the recorder, a text each."""
    said = ["%s: %s, not %s" % (name, recorded["said"][name], lines) for name, lines in plain["said"].items() if recorded["said"][name] != lines]
    if plain["ends"] != recorded["ends"]:
        said.append("%s...: it ends with %s, not %s" % (next(iter(plain["said"])), recorded["ends"], plain["ends"]))
    return said


def lines_of(names):
    """[(kind, names)]: what goes into one line each."""
    by_kind = [(kind, [name for name in names if name_kind(name) == kind]) for kind in KINDS]
    return [(kind, of_it[at:at + AT_ONCE]) for kind, of_it in by_kind for at in range(0, len(of_it), AT_ONCE)]


def check(library, run, every):
    """A part of the list, evenly spread: what is other with the recorder."""
    pairs, done, other, lacking, traces = {}, 0, [], 0, 0
    for kind, names in lines_of(listed()[::every]):
        if kind not in pairs:
            pairs[kind] = Pair(kind, library, run)
        plain, recorded, made, _ = pairs[kind].ask(names)
        other += differences(plain, recorded)
        done, traces = done + len(names), traces + made
        lacking += sum(lines[0] == ["not in this release"] for lines in plain["said"].values())
    for pair in pairs.values():
        pair.end()
    print("\n".join(other + ["%d of PyTorch's own tests with and without the recorder, %d not in this release: %d differences, %d traces" %
                             (done, lacking, len(other), traces)]))
    return bool(other) or done == lacking or traces == 0


# -- how the list was made

def why_left(name, first, second):
    """Why a case cannot be compared on the simulated GPUs; "" if it can."""
    if STILL in first["ends"] + second["ends"]:
        return "a rank waits for ever"
    if first != second:
        return "ends in another way the second time"
    if first["ends"] != [0] * len(first["ends"]):
        return "ends with %s" % first["ends"]
    said = first["said"][name]
    skipped = re.search(r"status (7[2-9]|8[0-9])", " ".join(line for lines in said for line in lines or []))
    return "PyTorch leaves it out here, %s" % skipped[0] if skipped else ""


def choose(kind):
    names = subprocess.run([sys.executable, os.path.abspath(__file__), "names", kind], capture_output=True, text=True, check=True).stdout.splitlines()
    servers = [Server(kind), Server(kind)]

    def asked(some):
        for server in servers:
            server.ask(some)
        return [server.answer() for server in servers]
    for _, some in lines_of(names):
        both = asked(some)
        whole = both[0] == both[1] and set(both[0]["ends"]) == {0}
        for name in some:
            why = why_left(name, *(both if whole else asked([name])))
            print(name + (": " + why if why else ""), file=sys.stderr if why else sys.stdout, flush=True)
    for server in servers:
        server.end()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    elif sys.argv[1] == "names":
        prepare(sys.argv[2])
        print("\n".join(names_of(sys.argv[2])))
    elif sys.argv[1] == "check":
        sys.exit(check(os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3]), int(sys.argv[4])))
    else:
        choose(sys.argv[2])
