"""Two ranks; rank 1 does something of its own before the loss is averaged."""
import time

import torch
import torch.distributed as dist

from job import LOSS, RANK, STEPS, batch, begin, end, grouped, perceptron

begin()
model = grouped(perceptron())
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(STEPS):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    if RANK == 1 and LOSS:
        time.sleep(0.015)  # the loss
    dist.all_reduce(loss.detach())
    optimizer.step()
    optimizer.zero_grad()
end()
