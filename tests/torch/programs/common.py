"""What the training programs of this folder share: options, the process group, the end. Each runs alone or under torchrun."""
import argparse
import contextlib
import os
import time

import torch
import torch.distributed as dist


def options(description, steps=12):
    """What all programs take."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--steps", type=int, default=steps)
    parser.add_argument("--profile", metavar="FILE", help="torch.profiler over the steps; its trace, %%d is the rank")
    return parser


class Job:
    """One rank of the job: its device, and the process group when there is more than one."""

    def __init__(self, args):
        self.rank = int(os.environ.get("RANK", 0))
        self.ranks = int(os.environ.get("WORLD_SIZE", 1))
        self.device = torch.device("cpu")
        if args.device == "cuda":
            self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0)))
            torch.cuda.set_device(self.device)
        if "RANK" in os.environ:
            dist.init_process_group("cpu:gloo,cuda:nccl" if args.device == "cuda" else "gloo")
        self.grouped = dist.is_initialized()
        self.profile_to = args.profile
        torch.manual_seed(1 + self.rank)

    def ddp(self, model):
        """The model, in DistributedDataParallel when torchrun started us."""
        model = model.to(self.device)
        if not self.grouped:
            return model
        return torch.nn.parallel.DistributedDataParallel(model, device_ids=[self.device] if self.device.type == "cuda" else None)

    def say(self, *what):
        if self.rank == 0:
            print(*what, flush=True)

    @contextlib.contextmanager
    def profiled(self):
        """torch.profiler around the steps, when --profile asks for it."""
        if not self.profile_to:
            yield
            return
        with torch.profiler.profile(with_stack=True) as profiler:
            yield
            self.wait()
        profiler.export_chrome_trace(self.profile_to.replace("%d", str(self.rank)))

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def finish(self):
        self.wait()
        if self.grouped:
            dist.destroy_process_group()
        self.say("done")
        time.sleep(0.3)  # PyTorch's backward thread must not meet an interpreter that is being torn down
