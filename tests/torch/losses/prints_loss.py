"""The loss is printed in every step, while the GPU is long behind."""
import torch

from job import DEVICE, LOSS, STEPS, batch, begin, end, perceptron

begin()
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
total = torch.zeros((), device=DEVICE)
for step in range(2 * STEPS):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    total += loss.detach()
    if LOSS:
        float(loss)  # the loss
end()
