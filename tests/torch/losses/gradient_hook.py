"""A hook on a gradient in the middle of the backward pass computes in Python."""
import torch

from job import LOSS, STEPS, batch, begin, end, perceptron

NUMBERS = list(range(250_000))


def watch(gradient):
    if LOSS:
        sum(number * number for number in NUMBERS)  # the loss


begin()
model = perceptron(depth=4)
model[4].weight.register_hook(watch)
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
for step in range(STEPS):
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
    optimizer.zero_grad()
end()
