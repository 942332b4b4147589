"""PyTorch's collectives over the NCCL double, one process per simulated GPU (torchrun starts them): values of everything that
torch.distributed offers, then DDP and FSDP. Rank 0 prints what it saw; a wrong value ends the process with status 1."""

import os
import time
import warnings

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel

RANK, SIZE = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
GPU = torch.device("cuda", RANK)
BASE = torch.arange(8.0)
SUM = BASE * SIZE + sum(range(SIZE))
warnings.simplefilter("ignore")


def mine(dtype=torch.float32):
    return (BASE + RANK).to(dtype).to(GPU)


def same(got, wanted):
    assert torch.equal(got.cpu(), wanted), (RANK, got.cpu(), wanted)


def all_reduce():
    for dtype in torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.uint8:
        x = mine(dtype)
        dist.all_reduce(x)
        same(x, SUM.to(dtype))
    for op, wanted in [(dist.ReduceOp.MAX, BASE + SIZE - 1), (dist.ReduceOp.MIN, BASE),
                       (dist.ReduceOp.AVG, BASE + (SIZE - 1) / 2), (dist._make_nccl_premul_sum(2.0), 2 * SUM)]:
        x = mine()
        dist.all_reduce(x, op=op)
        same(x, wanted)


def gathering():
    out = torch.empty(8 * SIZE, device=GPU)
    dist.all_gather_into_tensor(out, mine())
    same(out, torch.cat([BASE + i for i in range(SIZE)]))
    parts = [torch.empty(8, device=GPU) for _ in range(SIZE)]
    dist.all_gather(parts, mine())
    same(parts[SIZE - 1], BASE + SIZE - 1)
    dist.gather(mine(), parts if RANK == 0 else None, dst=0)
    out = torch.empty(8, device=GPU)
    dist.reduce_scatter_tensor(out, torch.arange(8.0 * SIZE).to(GPU))
    same(out, SIZE * (BASE + 8 * RANK))
    dist.reduce_scatter(out, [mine() for _ in range(SIZE)])
    same(out, SUM)
    dist.scatter(out, [(BASE + i).to(GPU) for i in range(SIZE)] if RANK == 0 else None, src=0)
    same(out, BASE + RANK)


def one_to_one():
    x = mine()
    dist.broadcast(x, src=SIZE - 1)
    same(x, BASE + SIZE - 1)
    out = torch.empty(SIZE, device=GPU)
    dist.all_to_all_single(out, (torch.arange(float(SIZE)) + 10 * RANK).to(GPU))
    same(out, torch.tensor([10.0 * i + RANK for i in range(SIZE)]))
    x, before, after = mine(), (RANK - 1) % SIZE, (RANK + 1) % SIZE
    got = torch.empty(8, device=GPU)
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, x, after), dist.P2POp(dist.irecv, got, before)]):
        work.wait()
    same(got, BASE + before)


def groups():
    group = dist.new_group(list(range(SIZE)))
    x = mine()
    dist.all_reduce(x, group=group)
    same(x, SUM)
    dist.destroy_process_group(group)
    objects = [None] * SIZE
    dist.all_gather_object(objects, RANK, group=dist.new_group(backend="gloo"))
    assert objects == list(range(SIZE))
    split = dist.split_group(split_ranks=[list(range(SIZE))])
    x = mine()
    dist.all_reduce(x, group=split)
    same(x, SUM)
    dist.barrier()


def objects():
    """Their sizes pass through kernels, and their bytes through buffers as long as the longest's."""
    for size in 1, 3, 60, 5000:
        mine = {"rank": RANK, "text": "x" * (RANK * size)}
        every = [{"rank": i, "text": "x" * (i * size)} for i in range(SIZE)]
        got = [None] * SIZE
        dist.all_gather_object(got, mine)
        assert got == every, (RANK, got)
        got = [None] * SIZE if RANK == 0 else None
        dist.gather_object(mine, got)
        assert RANK or got == every, got
        one = [None]
        dist.scatter_object_list(one, every if RANK == 1 else None, src=1)
        assert one == [every[RANK]], (RANK, one)
        some = [size, every, None] if RANK == 0 else [None] * 3
        dist.broadcast_object_list(some)
        assert some == [size, every, None], (RANK, some)
        if RANK == 0:
            dist.send_object_list([every, size], dst=1)
        elif RANK == 1:
            some = [None, None]
            dist.recv_object_list(some, src=0)
            assert some == [every, size], some
        mine = torch.relu(torch.randn(64, 64, device=GPU) @ torch.randn(64, 64, device=GPU))  # work between them


def train(model, optimizer, shape=(4, 64)):
    for _ in range(3):
        with torch.autocast("cuda", torch.bfloat16):
            loss = model(torch.randn(*shape, device=GPU)).float().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def training():
    def layers():
        return nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.GELU()) for _ in range(3)]).to(GPU)

    model = DistributedDataParallel(layers(), device_ids=[RANK], gradient_as_bucket_view=True)
    train(model, torch.optim.AdamW(model.parameters()))
    model = FullyShardedDataParallel(layers())
    train(model, torch.optim.AdamW(model.parameters()))
    model = layers()
    for layer in model:
        fully_shard(layer, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    fully_shard(model)
    train(model, torch.optim.AdamW(model.parameters(), fused=True))
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    model = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8))).to(GPU)
    model = DistributedDataParallel(model, device_ids=[RANK])
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), (2, 3, 8, 8))


def main():
    torch.cuda.set_device(GPU)
    dist.init_process_group("nccl", device_id=GPU)
    for check in all_reduce, gathering, one_to_one, groups, objects, training:
        check()
        torch.cuda.synchronize()
    dist.destroy_process_group()
    time.sleep(0.3)  # a thread of autograd that ends with the interpreter aborts the process
    if RANK == 0:
        print(f"PyTorch {torch.__version__}, {SIZE} ranks: collectives, objects, DDP, FSDP")


main()
