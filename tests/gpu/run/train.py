"""A GPT-2 of the size that is asked for, trained on random tokens; prints what a step takes, and the steps' number.

    train.py [--layers N] [--width N] [--length N] [--batch N] [--steps N] [--graph] [--compile] [--range] [--profile FILE]

--graph: the step is captured in a CUDA graph and replayed. --range: cudaProfilerStart and -Stop around the last third of the steps.
--profile: torch.profiler around the last third, its trace in FILE.
"""
import argparse
import os
import sys
import time

import torch
from torch.nn import functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../torch/programs"))
from gpt2 import GPT2


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("layers", 4), ("width", 128), ("length", 64), ("batch", 4), ("steps", 60)):
        parser.add_argument(f"--{name}", type=int, default=default)
    for name in ("graph", "compile", "range"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--profile", metavar="FILE")
    return parser.parse_args()


def training(args):
    """The step of one training, as a function of nothing."""
    torch.manual_seed(1)
    model = GPT2(vocabulary=8192, length=args.length, width=args.width, heads=args.width // 64 or 1, layers=args.layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True, capturable=args.graph)
    ids = torch.randint(8192, (args.batch, args.length + 1), device="cuda")
    run = torch.compile(model) if args.compile else model

    def step():
        with torch.autocast("cuda", torch.bfloat16):
            logits = run(ids[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=not args.graph)

    if not args.graph:
        return step
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def timed(step, steps):
    """ms a step: the GPU is waited for at both ends only."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(steps):
        step()
    torch.cuda.synchronize()
    return (time.perf_counter() - begin) / steps * 1e3


def main():
    args = options()
    step, third = training(args), args.steps // 3
    timed(step, third)
    ms = timed(step, third)
    if args.range:
        torch.cuda.profiler.start()
    if args.profile:
        with torch.profiler.profile() as profiler:
            profiled = timed(step, third)
        profiler.export_chrome_trace(args.profile)
        print(f"ms_profiled {profiled:.4f} events", sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profiler.events()))
    else:
        timed(step, third)
    if args.range:
        torch.cuda.profiler.stop()
    print(f"ms_per_step {ms:.4f} steps {3 * third}", flush=True)


if __name__ == "__main__":
    main()
