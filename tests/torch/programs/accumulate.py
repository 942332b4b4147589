"""Gradient accumulation: four micro-batches a step, gradients exchanged with the last one only."""
import contextlib

import torch
from torch import nn

import common

MICRO_BATCHES = 4


def main():
    parser = common.options(__doc__, steps=8)
    parser.add_argument("--item", action="store_true", help="planted: loss.item() after each micro-batch")
    parser.add_argument("--item-between", action="store_true", help="planted: loss.item() between forward and backward")
    parser.add_argument("--item-end", action="store_true", help="planted: loss.item() at the end of each step")
    args = parser.parse_args()
    job = common.Job(args)
    model = job.ddp(nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 10)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    inputs = torch.randn(MICRO_BATCHES, 16, 64, device=job.device)
    labels = torch.randint(10, (MICRO_BATCHES, 16)).to(job.device)
    total = 0.0
    with job.profiled():
        for step in range(args.steps):
            for i in range(MICRO_BATCHES):
                last = i == MICRO_BATCHES - 1
                with contextlib.nullcontext() if last or not job.grouped else model.no_sync():
                    loss = nn.functional.cross_entropy(model(inputs[i]), labels[i]) / MICRO_BATCHES
                    if args.item_between:
                        total += loss.item()  # before the backward
                    loss.backward()
                if args.item:
                    total += loss.item()  # the CPU waits for the GPU
            optimizer.step()
            optimizer.zero_grad()
            if args.item_end:
                total += loss.item()  # before the next step
            if step % 4 == 3:
                job.say(f"step {step} loss {loss.item():.4f}")
    job.finish()


if __name__ == "__main__":
    main()
