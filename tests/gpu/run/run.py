"""The recorder on a real GPU: jobs whose answer is known beforehand, what recording costs, PyTorch when it is here (run.sh starts this).

run.py OUT_DIR [--simulated] [--pairs N] [--no-torch] [--limit S]
Prints a table as docs/GPU_RESULTS.md has it and writes OUT_DIR/table.md and results.json. Status 1 when an answer is wrong.
--simulated: on the doubles of build/release/simgpu, to prove that this harness works; nothing that it then prints is a measurement, and an
answer that is wrong because the job lost its core gets two more tries.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
CANNOT = 77
IDLE_CPU, HOST = "idle.cpu.", "idle.host."


class Bench:
    def __init__(self, args):
        self.args, self.rows, self.wrong = args, [], 0
        self.out, self.job = os.path.abspath(args.out), os.environ["GPU_JOB"]
        self.baton = os.environ["BATON"]
        self.end = time.monotonic() + args.limit
        self.env = {**os.environ}
        if args.simulated:
            self.env.update(LD_LIBRARY_PATH=os.path.join(ROOT, "build/release/simgpu"), SIMGPU_DEVICES="1", SIMGPU_MEMORY_MB="4096",
                            SIMGPU_DURATIONS="probe_spin=50000;train_step=20000;probe_empty=2000;gemm=500000")

    def row(self, what, value, good=None):
        """good: None is a figure, else an answer that is right or wrong."""
        said = value if good is None else f"{'right' if good else 'WRONG'}: {value}"
        self.wrong += good is False
        self.rows.append((what, said))
        print(f"| {what} | {said} |", flush=True)

    def run(self, command, timeout=120):
        return subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=timeout)

    def record(self, name, command, *options):
        """The job's words, and the report of its run; None when the job cannot run here."""
        directory = os.path.join(self.out, name)
        shutil.rmtree(directory, ignore_errors=True)
        done = self.run([self.baton, "record", "-o", directory, *options, "--", *command])
        if done.returncode == CANNOT:
            self.row(name, f"left out: {done.stderr.strip().splitlines()[0][:100] if done.stderr.strip() else 'cannot run here'}")
            return None, None
        if done.returncode:
            self.row(name, f"status {done.returncode}: {done.stderr.strip()[-300:]}", False)
            return None, None
        report = self.run([self.baton, "report", "--json", directory])
        if report.returncode:
            self.row(name, f"report: status {report.returncode}: {report.stderr.strip()[-300:]}", False)
            return None, None
        words = done.stdout.split()
        return dict(zip(words[::2], words[1::2])), json.loads(report.stdout)


def leaves(report, *names):
    """Of the first device: time of leaves that begin so, of all of the window."""
    device = report["devices"][0]
    return sum(ns for leaf, ns in device["time_ns"].items() if leaf.startswith(names)), device["window_ns"]


def top(report):
    found = report["findings"]
    return f"{found[0]['id']}: {found[0]['text']}" if found else "none"


def share(part, whole):
    return f"{100 * part / max(whole, 1):.1f} %"


def all_recorded(bench, name, words, report):
    launched, dropped = int(words["launches"]), report["quality"]["dropped"]
    recorded = sum(kernel["count"] for kernel in report["kernels"])
    bench.row(f"{name}: kernels of whole steps, of launches made", f"{recorded} of {launched}, {dropped} dropped",
              0 < recorded <= launched + 3 and dropped == 0)


def small(bench):
    words, report = bench.record("small", [bench.job, "small", "--steps", "40", "--each", "400"])
    if not words:
        return
    idle, window = leaves(report, IDLE_CPU, "idle.gpu.dispatch")
    first = top(report)
    bench.row("many small kernels: the CPU or the dispatch is the loss", f"{share(idle, window)} of the time; {first}",
              idle > 0 and first.split(":")[0] in ("framework", "launch", "api", "dispatch", "host_code"))
    all_recorded(bench, "many small kernels", words, report)


def expected(name, what, command, finding, least):
    """A job whose largest loss must be this finding, with at least that part of the time."""
    def case(bench):
        words, report = bench.record(name, [bench.job, *command])
        if not words:
            return
        found = report["findings"][0] if report["findings"] else {"id": "none", "share_ms": 0}
        step_ms = report["devices"][0]["step_ns"]["mean"] / 1e6
        bench.row(what, f"{found['share_ms']} of {step_ms} ms a step; {top(report)}", found["id"] in finding and found["share_ms"] >= least * step_ms)
        all_recorded(bench, what, words, report)
    return case


def sleep(bench):
    words, report = bench.record("sleep", [bench.job, "sleep", "--steps", "30", "--each", "40"])
    if not words:
        return
    each = int(words["slept_ns"]) / int(words["sleeps"])
    steps = report["run"]["steps"]
    sleeps = steps if steps > 1 else int(words["sleeps"])
    attributed, _ = leaves(report, HOST + "blocked", HOST + "code", HOST + "no_core")
    off = attributed / (each * sleeps) - 1
    bench.row("injected sleep: idle time attributed to the host, of the time slept", f"{attributed / 1e6:.3f} of {each * sleeps / 1e6:.3f} ms, {100 * off:+.1f} %",
              abs(off) <= 0.1)
    all_recorded(bench, "injected sleep", words, report)


def starved(bench):
    words, report = bench.record("starved", [sys.executable, os.path.join(HERE, "starved.py"), "30", "20"])
    if not words:
        return
    each = int(words["waited_ns"]) / 30
    steps = report["run"]["steps"]
    loads = steps if steps > 1 else 29  # before the first kernel there is no idle time
    attributed, _ = leaves(report, HOST + "input", HOST + "blocked", HOST + "code", HOST + "no_core")
    bench.row("starved by its loader: idle time attributed to the host's wait, of the time waited",
              f"{attributed / 1e6:.3f} of {each * loads / 1e6:.3f} ms; {top(report)}",
              abs(attributed / (each * loads) - 1) <= 0.1 and top(report).split(":")[0] in ("input", "blocked"))
    all_recorded(bench, "starved", words, report)


def gemm(bench):
    words, report = bench.record("gemm", [bench.job, "gemm", "--steps", "10", "--each", "20"])
    if not words:
        return
    (matmul, _), (work, _) = leaves(report, "work.matmul"), leaves(report, "work")  # of the time that it loads cuBLAS nothing is work
    bench.row("cuBLAS: matmul's part of the work", f"{share(matmul, work)}; {report['kernels'][0]['name'][:60]}", matmul > 0.8 * work > 0)


def gauges(bench):
    words, report = bench.record("gauges", [bench.job, "sleep", "--steps", "40", "--each", "40", "--sleep-ms", "100"])
    gpu = report["devices"][0]["gpu"] if words else None
    if not words:
        return
    said = "nothing" if gpu is None else "; ".join(
        f"{name} {shown['mean']} ({shown['min']} to {shown['max']}), {shown['samples']} samples"
        for name, shown in gpu.items() if shown and name != "slowed")
    sm, most = (gpu or {}).get("sm_mhz"), (gpu or {}).get("sm_max_mhz")
    bench.row("what the GPU shows meanwhile (NVML)", said,  # an idle GPU shows no clock, and this job sleeps between its kernels
              bool(most and most["samples"] >= 2 and (not sm or 0 < sm["mean"] <= most["max"])))


def nccl_alone(bench):
    words, report = bench.record("nccl1", [bench.job, "nccl", "--steps", "20"])
    if words:
        dump = bench.run([bench.baton, "dump", "--json", os.path.join(bench.out, "nccl1")]).stdout
        calls = sum('"ncclAllReduce"' in line for line in dump.splitlines())
        bench.row("NCCL, one rank: AllReduce calls in the trace", f"{calls} lines of 20 calls", calls >= 1)


def nccl_two(bench):
    meet = os.path.join(bench.out, "meet")
    if os.path.exists(meet):
        os.remove(meet)
    script = 'for r in 0 1; do RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r "$1" nccl --ranks 2 --rank $r --meet "$2" --steps 40 --each 4 --sleep-ms 10 & pids="$pids $!"; done; ' \
             'status=0; for p in $pids; do wait $p || status=$?; done; exit $status'
    words, report = bench.record("nccl2", ["sh", "-c", script, "sh", bench.job, meet])
    if not words:
        return
    in_nccl, window = leaves(report, "nccl.")
    bench.row("NCCL, two ranks on one GPU, one 10 ms late: NCCL's part of the time", f"{share(in_nccl, window)}; {top(report)}", in_nccl > 0.5 * window)


CASES = [small, gemm, starved, sleep, gauges, nccl_alone, nccl_two,
         expected("sync", "a synchronise after each kernel: sync is the largest loss", ["sync", "--steps", "20", "--each", "50"], ("sync",), 0.02),
         expected("alloc", "memory taken and freed around each kernel: alloc is the largest loss", ["alloc", "--steps", "20", "--each", "50"], ("alloc",), 0.02)]


def launch_ns(done):
    words = done.stdout.split()
    words = dict(zip(words[::2], words[1::2]))
    return int(words["launch_ns"]) / int(words["launches"])


def overhead(bench):
    """ns a launch of the same loop, the ways taken in turn, in an order that changes each round."""
    directory = os.path.join(bench.out, "cost")
    plain = [bench.job, "cost", "--steps", "100", "--each", "500"]
    ways = {"plain": plain, "baton": [bench.baton, "record", "-f", "-o", directory, "--", *plain],
            "baton, no stacks": [bench.baton, "record", "-f", "-o", directory, "-s", "off", "--", *plain]}
    nsys = shutil.which("nsys")
    if nsys:
        ways["nsys"] = [nsys, "profile", "-t", "cuda", "-s", "none", "-f", "true", "-o", os.path.join(bench.out, "nsys"), *plain]
    else:
        bench.row("nsys", "left out: its binary is not here")
    taken = {way: [] for way in ways}
    for n in range(bench.args.pairs):
        if time.monotonic() > bench.end:
            bench.row("cost of a launch", f"only {n} rounds: the time was up")
            break
        for way in list(ways)[n % len(ways):] + list(ways)[:n % len(ways)]:
            done = bench.run(ways[way])
            if done.returncode == 0:
                taken[way].append(launch_ns(done))
    for way, values in taken.items():
        if len(values) == len(taken["plain"]) and values:
            more = statistics.median(v - p for v, p in zip(values, taken["plain"]))
            bench.row(f"ns a launch, {way}", f"median {statistics.median(values):.0f}, min {min(values):.0f}, {len(values)} runs"
                      + (f"; median of the pairs' differences {more:+.0f}" if way != "plain" else ""))
        else:
            bench.row(f"ns a launch, {way}", f"{len(values)} of {len(taken['plain'])} runs ended well", False)


def torch_here(bench):
    done = bench.run([sys.executable, "-c", "import torch; torch.cuda.init(); print(torch.__version__, torch.version.cuda)"])
    return done.stdout.split() if done.returncode == 0 else None


def torch_programs(bench):
    """The programs of tests/torch, and the cost of a training step."""
    version = None if bench.args.no_torch else torch_here(bench)
    if not version:
        bench.row("PyTorch", "left out: " + ("as asked" if bench.args.no_torch else "not here, or it sees no GPU"))
        return
    bench.row("PyTorch", " with CUDA ".join(version))
    programs = os.path.join(ROOT, "tests/torch/programs")
    for name, arguments, findings in (("gpt2", ["gpt2.py"], None), ("resnet", ["resnet.py", "--workers", "2"], None), ("graphs", ["graphs.py"], None),
                                      ("resnet, slow loader", ["resnet.py", "--slow-loader", "15"], ("input",))):
        program = [sys.executable, os.path.join(programs, arguments[0]), *arguments[1:]]
        directory = os.path.join(bench.out, name.replace(", ", "-").replace(" ", "-"))
        shutil.rmtree(directory, ignore_errors=True)
        plain, recorded = bench.run(program), bench.run([bench.baton, "record", "-o", directory, "--", *program])
        report = bench.run([bench.baton, "report", "--json", directory])
        good = plain.returncode == recorded.returncode == 0 and report.returncode == 0
        said = "the report failed" if report.returncode else top(json.loads(report.stdout))
        if good and findings:
            good = said.split(":")[0] in findings
        bench.row(f"PyTorch, {name}: runs recorded; first finding", said if recorded.returncode == 0 else recorded.stderr.strip()[-200:], good)
    loop = [sys.executable, os.path.join(ROOT, "tools/bench/torch_loop.py")]
    done = bench.run([*loop, "--compare", "--pairs", str(bench.args.pairs), "--baton", bench.baton], timeout=400)
    for line in done.stdout.splitlines():
        what, _, value = line.partition(": ")
        bench.row(f"PyTorch, {what}", value)
    if done.returncode:
        bench.row("PyTorch, cost", done.stderr.strip()[-200:], False)


def answer(bench, case, tries):
    """Rows are printed as they come: a machine that is taken away has said what it had."""
    rows, wrong = len(bench.rows), bench.wrong
    try:
        case(bench)
    except subprocess.TimeoutExpired as late:
        bench.row(getattr(case, "__name__", "case"), f"did not end within {late.timeout} s", False)
    if bench.wrong > wrong and tries > 1:
        del bench.rows[rows:]
        bench.wrong = wrong
        print("(once more: the rows above do not count)", flush=True)
        answer(bench, case, tries - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--limit", type=float, default=480, help="seconds after which no further round is begun")
    bench = Bench(parser.parse_args())
    os.makedirs(bench.out, exist_ok=True)
    if bench.run([bench.job, "small", "--steps", "1"]).returncode == CANNOT:
        print("run: no GPU here", file=sys.stderr)
        return CANNOT
    print("| what | " + ("simulated: no measurement" if bench.args.simulated else "value") + " |\n|---|---|")
    for case in [*CASES, overhead, torch_programs]:
        answer(bench, case, 3 if bench.args.simulated else 1)
    with open(os.path.join(bench.out, "table.md"), "w") as table:
        table.writelines(f"| {what} | {value} |\n" for what, value in bench.rows)
    with open(os.path.join(bench.out, "results.json"), "w") as results:
        json.dump({"schema": "baton.gpu-run/0", "simulated": bench.args.simulated, "wrong": bench.wrong, "rows": bench.rows}, results, indent=1)
    print(f"{len(bench.rows)} rows, {bench.wrong} wrong", file=sys.stderr)
    return int(bench.wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
