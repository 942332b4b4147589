"""A residual network on made-up images that a DataLoader brings."""
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import common
from resnet_model import ResNet


class Images(Dataset):
    """Images of one colour, on a slow disk when --slow-loader says so."""

    def __init__(self, count, slow_ms):
        self.count, self.slow_s = count, slow_ms / 1e3

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        if self.slow_s:
            time.sleep(self.slow_s)
        return torch.full((3, 32, 32), i / self.count), i % 10


def main():
    parser = common.options(__doc__)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--slow-loader", type=float, metavar="MS", default=0, help="planted: a sample takes that much longer")
    args = parser.parse_args()
    job = common.Job(args)
    model = job.ddp(ResNet())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    loader = DataLoader(Images(args.steps * args.batch, args.slow_loader), batch_size=args.batch, num_workers=args.workers,
                        pin_memory=args.device == "cuda")
    with job.profiled():
        for step, (images, labels) in enumerate(loader):
            images, labels = images.to(job.device, non_blocking=True), labels.to(job.device, non_blocking=True)
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 4 == 3:
                job.say(f"step {step} loss {loss.item():.4f}")
    job.finish()


if __name__ == "__main__":
    main()
