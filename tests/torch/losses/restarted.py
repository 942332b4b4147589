"""The first generation of the job breaks down after a few steps; the second has the loss."""
import os
import time

import torch

from job import LOSS, STEPS, batch, begin, end, grouped, perceptron

begin()
generation = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))
model = grouped(perceptron())
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(STEPS):
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
    if generation == 0 and step == 5:
        raise SystemExit(3)
    if generation == 1 and LOSS:
        time.sleep(0.011)  # the loss
end()
