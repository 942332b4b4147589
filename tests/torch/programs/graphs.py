"""CUDA graphs: a training step captured and replayed, and a block made graphed by make_graphed_callables. CUDA only."""
import torch
from torch import nn

import common


def block():
    return nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 64))


def train_step(model, optimizer, inputs):
    optimizer.zero_grad(set_to_none=True)
    loss = model(inputs).square().mean()
    loss.backward()
    optimizer.step()
    return loss


def replayed(job, steps):
    model = block().to(job.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True)
    inputs = torch.randn(16, 64, device=job.device)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            train_step(model, optimizer, inputs)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = train_step(model, optimizer, inputs)
    for _ in range(steps):
        inputs.copy_(torch.randn(16, 64))
        graph.replay()
    job.say(f"replayed {steps} steps, loss {loss.item():.4f}")


def graphed(job, steps):
    inputs = torch.randn(16, 64, device=job.device, requires_grad=True)
    front = torch.cuda.make_graphed_callables(block().to(job.device), (inputs,))
    back = nn.Linear(64, 10).to(job.device)
    optimizer = torch.optim.SGD([*front.parameters(), *back.parameters()], lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = back(front(inputs)).square().mean()
        loss.backward()
        optimizer.step()
    job.say(f"graphed {steps} steps, loss {loss.item():.4f}")


def main():
    args = common.options(__doc__).parse_args()
    job = common.Job(args)
    with job.profiled():
        replayed(job, args.steps)
        graphed(job, args.steps)
    job.finish()


if __name__ == "__main__":
    main()
