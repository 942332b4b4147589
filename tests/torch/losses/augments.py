"""The batch is augmented by the CPU, in the training thread, with PyTorch's own operators."""
import torch

from job import DEVICE, LOSS, STEPS, batch, begin, end, perceptron

begin()
torch.set_num_threads(1)
model = perceptron()
optimizer = torch.optim.AdamW(model.parameters())
x, y = batch()
picture = torch.rand(2_500, 2_500)
for step in range(STEPS):
    if LOSS:
        picture.sin().sum()  # the loss
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
end()
