"""torch.compile: the kernels are Triton's, launched by the driver's own call."""
import torch
from torch import nn

import common


def main():
    args = common.options(__doc__, steps=8).parse_args()
    job = common.Job(args)
    model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 10)).to(job.device)
    step_of = torch.compile(lambda x: model(x).square().mean())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs = torch.randn(32, 64, device=job.device)
    with job.profiled():
        for step in range(args.steps):
            optimizer.zero_grad(set_to_none=True)
            loss = step_of(inputs)
            loss.backward()
            optimizer.step()
            if step % 4 == 3:
                job.say(f"step {step} loss {loss.item():.4f}")
    job.finish()


if __name__ == "__main__":
    main()
