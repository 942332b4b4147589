"""gc.collect() in each step of a program with many objects."""
import gc

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron

begin()
objects = [[i] for i in range(30_000)]
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(STEPS):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    if LOSS:
        gc.collect()  # the loss
end()
