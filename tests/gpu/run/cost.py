"""What recording costs a training step of PyTorch: two sizes of train.py, the ways in turn, a process each, in an order that changes.

    cost.py BATON OUT_DIR [ROUNDS]     rows as docs/GPU_RESULTS.md has them

small: the CPU cannot launch fast enough, so each ns of a launch shows. large: the GPU is busy all the time.
"""
import os
import statistics
import subprocess
import sys

TRAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "train.py")
SIZES = {"small": ["--steps", "300"], "large": ["--layers", "12", "--width", "768", "--length", "1024", "--batch", "32", "--steps", "60"]}


def ms_of(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=180)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: status {done.returncode}: {done.stderr[-500:]}")
    said = done.stdout.split()
    return float(said[said.index("ms_profiled" if "ms_profiled" in said else "ms_per_step") + 1])


def main():
    baton, out, rounds = os.path.abspath(sys.argv[1]), sys.argv[2], int((sys.argv[3:] or ["4"])[0])
    os.makedirs(out, exist_ok=True)
    record = [baton, "record", "-f", "-o", os.path.join(out, "cost")]
    for size, options in SIZES.items():
        job = [sys.executable, TRAIN, *options]
        ways = {"off": job, "on": [*record, "--", *job], "on, no stacks": [*record, "-s", "off", "--", *job],
                "torch.profiler": [*job, "--profile", os.path.join(out, "cost.json")]}
        taken = {way: [] for way in ways}
        for n in range(rounds):
            for way in list(ways)[n % len(ways):] + list(ways)[:n % len(ways)]:
                taken[way].append(ms_of(ways[way]))
        for way, values in taken.items():
            more = statistics.median(100 * (v / off - 1) for v, off in zip(values, taken["off"]))
            print(f"| GPT-2, {size}: ms a step, {way} | median {statistics.median(values):.3f}, {min(values):.3f} to {max(values):.3f}, {len(values)} runs"
                  + (f"; median of the pairs' differences {more:+.1f} % |" if way != "off" else " |"), flush=True)


main()
