#!/usr/bin/env python3
"""`make bench`: speed and memory of import and reduce, beside HolisticTraceAnalysis on the same small trace.

    bench.py --baton build/release/baton [--sim build/release/baton-sim] [--only replay] [--megabytes 1000]
             [--data ../shared/data] [--work build/bench]

Ratios are taken in one run, A and B alternating; the machine's name stands in the first line. What cannot be measured
here is named as not measured.
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 5


def run(command):
    """(seconds, peak RSS in MiB, stderr) of one child."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    message = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 4):
        sys.exit(f"bench: {' '.join(command)}: status {process.returncode}: {message.strip()}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024, message


def repeat(command, before=lambda: None):
    results = []
    for _ in range(ROUNDS):
        before()
        results.append(run(command))
    return statistics.median(r[0] for r in results), max(r[1] for r in results)


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        models = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
    return f"{models[0] if models else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}"


def directory_bytes(path):
    return sum(entry.stat().st_size for entry in os.scandir(path) if entry.name.endswith(".baton"))


def bench_import(options, source):
    """One large file, plain and gz."""
    big = os.path.join(options.work, "big.json")
    made = subprocess.run([sys.executable, os.path.join(HERE, "repeat_kineto.py"), source, big,
                           str(options.megabytes)], capture_output=True, text=True, check=True)
    kernels, megabytes = int(made.stdout), os.path.getsize(big) / 1e6
    out = os.path.join(options.work, "big")
    command = [options.baton, "import", "-f", big, "-o", out]
    seconds, rss = repeat(command)
    print(f"import  {megabytes:7.0f} MB of Kineto JSON  {seconds:6.2f} s  {megabytes / seconds:5.0f} MB/s  "
          f"RSS {rss:4.0f} MiB   (budget: 100 MB/s, 200 MiB)")
    bytes_per_kernel = directory_bytes(out) / kernels
    seconds, rss = repeat([options.baton, "report", "--fresh", "--json", out])
    print(f"reduce  {kernels:7d} kernels, their calls and operators  {seconds:6.2f} s  "
          f"{kernels / seconds / 1e6:5.2f} M kernels/s  RSS {rss:4.0f} MiB")
    print(f"disk    {bytes_per_kernel:7.1f} bytes per kernel, every call and operator of the source included")
    os.unlink(big)
    shutil.rmtree(out)


def bench_growth(options, source):
    """RSS must not follow the number of steps."""
    sizes = []
    for megabytes in (options.megabytes / 2, options.megabytes):
        big, out = os.path.join(options.work, "grow.json"), os.path.join(options.work, "grow")
        subprocess.run([sys.executable, os.path.join(HERE, "repeat_kineto.py"), source, big, str(megabytes)],
                       capture_output=True, check=True)
        imported = run([options.baton, "import", "-f", big, "-o", out])[1]
        reduced = run([options.baton, "report", "--fresh", "--json", out])[1]
        sizes.append((imported, reduced))
        os.unlink(big)
        shutil.rmtree(out)
    (i1, r1), (i2, r2) = sizes
    print(f"growth  twice the steps: import RSS {i1:.0f} -> {i2:.0f} MiB ({100 * (i2 / i1 - 1):+.1f} %), "
          f"reduce RSS {r1:.0f} -> {r2:.0f} MiB ({100 * (r2 / r1 - 1):+.1f} %)")


def cpu_seconds(command):
    before = os.times()
    rss = run(command)[1]
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, rss


def bench_replay(options):
    """A run whose ranks wait for a slow GPU is replayed; the same one without it is only reduced."""
    for steps in (20, 300):
        runs = {}
        for name, fault in (("healthy", []), ("late", ["--fault", "slow_gpu=20@2"])):
            runs[name] = os.path.join(options.work, name)
            shutil.rmtree(runs[name], ignore_errors=True)
            subprocess.run([options.sim, "--workload", "fsdp", "--ranks", "16", "--steps", str(steps), *fault, "-o", runs[name]],
                           stdout=subprocess.DEVNULL, check=True)
        taken = [{name: cpu_seconds([options.baton, "report", "--fresh", "--json", out]) for name, out in runs.items()}
                 for _ in range(ROUNDS)]
        plain, replayed = (statistics.median(t[name][0] for t in taken) for name in runs)
        ratio = statistics.median(t["late"][0] / t["healthy"][0] for t in taken)
        rss = {name: max(t[name][1] for t in taken) for name in runs}
        print(f"replay  16 ranks x {steps:3d} steps: CPU {replayed:5.2f} s, without a replay {plain:5.2f} s: x {ratio:.2f} "
              f"(median of {ROUNDS} pairs);  RSS {rss['late']:.0f} and {rss['healthy']:.0f} MiB")
        for out in runs.values():
            shutil.rmtree(out)


def find_hta(options):
    """An interpreter that has HTA; installs it under build/ where a package index can be reached."""
    venv = os.path.join(options.work, "hta")
    python = os.path.join(venv, "bin", "python")
    if not os.path.exists(python):
        print("        (installing HolisticTraceAnalysis 0.5.0 into", venv + ")", flush=True)
        made = subprocess.run([sys.executable, "-m", "venv", venv], capture_output=True, check=False)
        if made.returncode == 0:
            subprocess.run([python, "-m", "pip", "install", "-q", "HolisticTraceAnalysis==0.5.0"],
                           capture_output=True, check=False)
    works = os.path.exists(python) and subprocess.run([python, "-c", "import hta"], capture_output=True,
                                                      check=False).returncode == 0
    return python if works else None


def bench_hta(options, source):
    """The same small trace through both, alternating."""
    python = find_hta(options)
    if not python:
        print("HTA     not measured: HolisticTraceAnalysis could not be installed here")
        return
    out = os.path.join(options.work, "small")
    hta_script = ("import sys; from hta.trace_analysis import TraceAnalysis; a = TraceAnalysis(trace_files={0: sys.argv[1]});"
                  "a.get_temporal_breakdown(visualize=False); a.get_idle_time_breakdown(ranks=[0], visualize=False);"
                  "a.get_gpu_kernel_breakdown(visualize=False)")
    pairs = []
    for _ in range(3):
        i, i_rss, _ = run([options.baton, "import", "-f", source, "-o", out])
        r, r_rss, _ = run([options.baton, "report", "--fresh", "--json", out])
        h, h_rss, _ = run([python, "-c", hta_script, os.path.abspath(source)])
        pairs.append((i + r, h, max(i_rss, r_rss), h_rss))
    ours, theirs = statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)
    print(f"HTA     {os.path.basename(source)}: HTA {theirs:.2f} s, {max(p[3] for p in pairs):.0f} MiB;  baton import + report "
          f"{ours:.3f} s, {max(p[2] for p in pairs):.0f} MiB;  ratio {theirs / ours:.0f} (median of 3 pairs)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baton", required=True)
    parser.add_argument("--sim", default=os.path.join("build", "release", "baton-sim"))
    parser.add_argument("--only", choices=["replay"], help="only this part")
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--data", default=os.environ.get("BATON_DATA", os.path.join(HERE, "..", "..", "..", "shared", "data")))
    parser.add_argument("--work", default="build/bench")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    if options.only:
        print(f"machine {machine()}")
        bench_replay(options)
        return 0
    source = os.path.join(options.data, "kineto", "a100_rank3of8.json.gz")
    if not os.path.exists(source):
        made = os.path.join(options.work, "made")
        fixtures = os.path.join(HERE, "..", "..", "tests", "cli", "kineto_fixtures.py")
        subprocess.run([sys.executable, fixtures, "plain", made, "--steps", "10", "--kernels", "900"],
                       stdout=subprocess.DEVNULL, check=True)
        source = os.path.join(made, sorted(os.listdir(made))[0])
    print(f"machine {machine()}")
    print(f"source  {os.path.basename(source)}, repeated; median of {ROUNDS}, peak RSS of one process", flush=True)
    bench_import(options, source)
    bench_growth(options, source)
    bench_replay(options)
    bench_hta(options, source)
    return 0


if __name__ == "__main__":
    sys.exit(main())
