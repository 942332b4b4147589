"""After backward(): a sum over Python numbers, which computes."""
import torch

from job import LOSS, STEPS, batch, begin, end, perceptron

WEIGHTS = [float(i) for i in range(250_000)]


def penalty():
    if LOSS:
        return sum(weight * weight for weight in WEIGHTS)  # the loss
    return 0.0


begin()
model = perceptron()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
x, y = batch()
for step in range(STEPS):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    penalty()
    optimizer.step()
end()
