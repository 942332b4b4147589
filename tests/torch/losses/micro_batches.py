"""Gradient accumulation: each of four micro-batches is fetched by a call that sleeps."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron


def fetch(micro):
    if LOSS:
        time.sleep(0.005)  # the loss
    return micro


begin()
model = perceptron(depth=2)
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(STEPS):
    for micro in range(4):
        fetch(micro)
        (torch.nn.functional.cross_entropy(model(x), y) / 4).backward()
    optimizer.step()
    optimizer.zero_grad()
end()
