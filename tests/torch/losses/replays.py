"""The step is one CUDA graph; between two replays the next batch is prepared."""
import time

import torch

from job import LOSS, STEPS, batch, begin, end, perceptron


def prepare():
    if LOSS:
        time.sleep(0.010)  # the loss


begin()
model = perceptron()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
x, y = batch()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        optimizer.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
for step in range(2 * STEPS):
    prepare()
    graph.replay()
end()
