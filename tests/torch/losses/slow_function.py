"""An autograd function whose backward() sleeps, on autograd's thread."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron


class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, gradient):
        if LOSS:
            time.sleep(0.010)  # the loss
        return gradient * 1.0


begin()
model, head = perceptron(classes=96), perceptron()
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()])
x, y = batch()
for step in range(STEPS):
    torch.nn.functional.cross_entropy(head(Quantize.apply(model(x))), y).backward()
    optimizer.step()
    optimizer.zero_grad()
end()
