"""A multi-layer perceptron, the smallest training loop there is."""
import torch
from torch import nn

import common


def main():
    args = common.options(__doc__).parse_args()
    job = common.Job(args)
    model = job.ddp(nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    inputs = torch.randn(32, 64, device=job.device)
    labels = torch.randint(10, (32,)).to(job.device)
    with job.profiled():
        for step in range(args.steps):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), labels)
            loss.backward()
            optimizer.step()
            if step % 4 == 3:
                job.say(f"step {step} loss {loss.item():.4f}")
    job.finish()


if __name__ == "__main__":
    main()
