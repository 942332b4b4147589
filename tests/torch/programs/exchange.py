"""Python objects over NCCL beside DDP: the options from rank 0, every rank's metrics, the checkpoint to all."""
import io

import torch
import torch.distributed as dist
from torch import nn

import common


def metrics(job, step, loss):
    """Of another size on every rank and in every step."""
    return {"rank": job.rank, "loss": loss, "seen": list(range(step * (1 + 50 * job.rank)))}


def checkpoint(job, model, group):
    """Written by rank 0, sent as bytes, loaded by all."""
    sent = [None]
    if job.rank == 0:
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        sent = [file.getvalue()]
    if group:
        dist.broadcast_object_list(sent, src=0, group=group)
    model.load_state_dict(torch.load(io.BytesIO(sent[0]), map_location=job.device, weights_only=True))
    return len(sent[0])


def main():
    parser = common.options(__doc__)
    args = parser.parse_args()
    job = common.Job(args)
    group = dist.new_group(backend="nccl" if args.device == "cuda" else "gloo") if job.grouped else None
    options = [{"lr": 0.01, "layers": 3, "names": ["a", "b"] * 40} if job.rank == 0 else None]
    if group:
        dist.broadcast_object_list(options, src=0, group=group)
    layers = [nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(options[0]["layers"])]
    model = job.ddp(nn.Sequential(*layers))
    optimizer = torch.optim.SGD(model.parameters(), lr=options[0]["lr"])
    with job.profiled():
        for step in range(args.steps):
            loss = model(torch.randn(16, 64, device=job.device)).pow(2).mean()
            assert torch.isfinite(loss)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            if step % 4 == 3:
                every = [None] * job.ranks
                if group:
                    dist.all_gather_object(every, metrics(job, step, loss.item()), group=group)
                else:
                    every = [metrics(job, step, loss.item())]
                assert [one["rank"] for one in every] == list(range(job.ranks)), every
                job.say(f"step {step}", [(one["rank"], one["loss"], len(one["seen"])) for one in every])
    job.say(f"step {args.steps} checkpoint of {checkpoint(job, model, group)} bytes")
    job.finish()


if __name__ == "__main__":
    main()
