"""torch_faults.py: a PyTorch job for faults.py, which imports PyTorch once. Reads lines INJECT tab STDOUT tab STDERR, and for each forks a
child that trains for some steps with that call of the recorder failing (inject.c), and prints how it ended. The server itself calls no
CUDA: what the recorder does from the first call on, it does in the child."""
import ctypes
import gc
import os
import sys
import time
import warnings

LONGEST_S = 60


def job():
    import torch
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    side = torch.cuda.Stream()
    for step in range(4):
        with torch.cuda.stream(side if step == 2 else torch.cuda.current_stream()):
            loss = model(torch.ones(8, 16).pin_memory().to("cuda", non_blocking=True)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        print("step", step, tuple(loss.shape), loss.dtype, loss.device, flush=True)


def child(inject, out, err):
    for fd, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), fd)
    if os.environ.get("INJECT"):
        ctypes.CDLL(None).inject_begin(inject.encode())
    job()
    ctypes.CDLL(None).exit(3)


def main():
    warnings.simplefilter("ignore")
    import torch  # noqa: F401
    import torch._dynamo  # noqa: F401  an optimizer's first step imports it, in seconds
    gc.freeze()
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            child(*line.rstrip("\n").split("\t"))
        print(wait_for(pid), flush=True)


def wait_for(pid):
    """The status of a child; "hangs" if it has to be ended."""
    until = time.monotonic() + LONGEST_S
    while time.monotonic() < until:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return "hangs"


if __name__ == "__main__":
    main()
