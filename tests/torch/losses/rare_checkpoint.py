"""Every fourth step a checkpoint is written, by a call that waits."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron


def save(model):
    time.sleep(0.050)  # the loss


begin()
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(2 * STEPS):
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 4 == 3 and LOSS:
        save(model)
end()
