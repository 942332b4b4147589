"""What recording costs a PyTorch program's launches. Runs on any GPU that PyTorch sees, simulated ones too (then the GPU's side is not real, the CPU's is).

torch_loop.py [--profile]                           one measurement, "ns_per_launch N ns_per_step N"
torch_loop.py --compare --pairs N --baton BATON     off, on, on without stacks, torch.profiler: a process each, in turn, N rounds
"""
import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

BURST, BURSTS, STEPS = 200, 40, 40


def bursts(torch):
    """ns a launch of an elementwise operation: bursts that fit into the GPU's queue, the waits left out."""
    x, times = torch.zeros(1024, device="cuda"), []
    for _ in range(BURSTS):
        begin = time.perf_counter_ns()
        for _ in range(BURST):
            x.add_(1)
        times.append((time.perf_counter_ns() - begin) / BURST)
        torch.cuda.synchronize()
    return statistics.median(times)


def steps(torch):
    """ns a training step takes the CPU: forward, backward, optimizer."""
    model = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(8)]).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, times = torch.randn(32, 64, device="cuda"), []
    for _ in range(STEPS):
        begin = time.perf_counter_ns()
        model(inputs).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        times.append(time.perf_counter_ns() - begin)
        torch.cuda.synchronize()
    return statistics.median(times)


def measure(profile):
    import torch
    torch.cuda.init()
    with torch.profiler.profile() if profile else contextlib.nullcontext():
        print(f"ns_per_launch {bursts(torch):.0f} ns_per_step {steps(torch):.0f}", flush=True)
    time.sleep(0.3)


def one(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-500:]}")
    line = next(line for line in done.stdout.splitlines() if line.startswith("ns_per_launch"))
    return [float(n) for n in line.split()[1::2]]


def compare(pairs, baton):
    with tempfile.TemporaryDirectory() as folder:
        loop = [sys.executable, __file__]
        record = [baton, "record", "-f", "-o", os.path.join(folder, "run")]
        ways = {"off": loop, "on, no stacks": [*record, "-s", "off", "--", *loop], "on": [*record, "--", *loop], "torch.profiler": [*loop, "--profile"]}
        taken = {way: [] for way in ways}
        for n in range(pairs):
            order = list(ways)[n % len(ways):] + list(ways)[:n % len(ways)]
            for way in order:
                taken[way].append(one(ways[way]))
    for at, (unit, scale) in enumerate((("ns a launch", 1), ("us a training step", 1000))):
        for way, values in taken.items():
            own = [v[at] / scale for v in values]
            more = statistics.median(v[at] - off[at] for v, off in zip(values, taken["off"])) / scale
            print(f"{unit}, {way}: median {statistics.median(own):.0f}, min {min(own):.0f}, max {max(own):.0f}, {len(own)} runs"
                  + (f"; median of the differences to off {more:+.0f}" if way != "off" else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--baton", default="build/release/baton")
    args = parser.parse_args()
    compare(args.pairs, os.path.abspath(args.baton)) if args.compare else measure(args.profile)


if __name__ == "__main__":
    main()
