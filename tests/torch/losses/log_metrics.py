"""After backward(): metrics are sent to a server that answers slowly."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron


def send_metrics(step):
    if LOSS:
        time.sleep(0.012)  # the loss
    return {"step": step}


begin()
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(STEPS):
    torch.nn.functional.cross_entropy(model(x), y).backward()
    send_metrics(step)
    optimizer.step()
    optimizer.zero_grad()
end()
