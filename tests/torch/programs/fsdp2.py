"""The GPT-2 shaped model with its parameters sharded over the ranks (FSDP2). Needs torchrun."""
import torch
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F

import common
from gpt2 import GPT2


def main():
    args = common.options(__doc__, steps=8).parse_args()
    job = common.Job(args)
    model = GPT2(layers=2).to(job.device)
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    ids = torch.randint(512, (4, 65)).to(job.device)
    with job.profiled():
        for step in range(args.steps):
            loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 4 == 3:
                job.say(f"step {step} loss {loss.item():.4f}")
    job.finish()


if __name__ == "__main__":
    main()
