"""After each step two evaluation batches, whose score is computed by a call that sleeps."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron


def score(logits):
    if LOSS:
        time.sleep(0.006)  # the loss
    return logits


begin()
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(STEPS):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        for _ in range(2):
            score(model(x))
    model.train()
end()
