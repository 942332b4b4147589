"""The logits are copied to pageable memory in each step."""
import torch

from job import LOSS, STEPS, batch, begin, end, perceptron

begin()
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
kept = []
for step in range(2 * STEPS):
    optimizer.zero_grad()
    logits = model(x)
    torch.nn.functional.cross_entropy(logits, y).backward()
    optimizer.step()
    if LOSS:
        kept.append(logits.detach().cpu())  # the loss
end()
