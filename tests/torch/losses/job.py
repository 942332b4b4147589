"""What the programs of this folder share. Each trains a small model and has one loss of known line, marked `# the loss`; with LOSS=0
in the environment the same program runs without it, which says what the loss costs."""
import os

import torch
import torch.distributed as dist
from torch import nn

LOSS = os.environ.get("LOSS", "1") == "1"
STEPS = int(os.environ.get("STEPS", "24"))
WIDTH, ROWS = int(os.environ.get("WIDTH", "96")), int(os.environ.get("ROWS", "32"))  # large: a real GPU has something to do
RANK = int(os.environ.get("RANK", 0))
DEVICE = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))


def begin():
    torch.cuda.set_device(DEVICE)
    torch.manual_seed(7 + RANK)
    if "RANK" in os.environ:
        dist.init_process_group("nccl")


def end():
    torch.cuda.synchronize()
    if dist.is_initialized():
        dist.destroy_process_group()
    print("done", flush=True)


def perceptron(width=WIDTH, depth=3, classes=8):
    layers = []
    for _ in range(depth):
        layers += [nn.Linear(width, width), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(width, classes)).to(DEVICE)


def grouped(model):
    return nn.parallel.DistributedDataParallel(model, device_ids=[DEVICE]) if dist.is_initialized() else model


def batch(width=WIDTH, n=ROWS, classes=8):
    return torch.randn(n, width, device=DEVICE), torch.randint(classes, (n,)).to(DEVICE)
