"""A learning rate that is asked from a slow function, under DDP on both ranks."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, grouped, perceptron


def rate(step):
    if LOSS:
        time.sleep(0.008)  # the loss
    return 1.0 / (1 + step)


begin()
model = grouped(perceptron())
optimizer = torch.optim.AdamW(model.parameters())
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
x, y = batch()
for step in range(STEPS):
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
    schedule.step()
end()
