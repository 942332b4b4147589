"""One PyTorch on the doubles: what has to work before a training program is tried. Prints what it saw; status 1 and the
failed assertion otherwise. Needs SIMGPU_DEVICES=2 SIMGPU_MEMORY_MB=4096 and the doubles on LD_LIBRARY_PATH."""

import sys
import time
import warnings

import torch
from torch.profiler import ProfilerActivity, profile

GPU = torch.device("cuda")
CUDA_EVENT = torch.autograd.DeviceType.CUDA
warnings.simplefilter("ignore")


def kernels(run):
    """Names of what ran on the device meanwhile, and the ops that launched kernels."""
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
        run()
        torch.cuda.synchronize()
    events = seen.events()
    launched = {event.name: [kernel.name for kernel in event.kernels] for event in events if event.kernels}
    return [event.name for event in events if event.device_type == CUDA_EVENT], launched


def devices():
    assert torch.cuda.is_available() and torch.cuda.device_count() == 2
    properties = torch.cuda.get_device_properties(1)
    assert (properties.major, properties.minor) == (8, 0) and properties.multi_processor_count == 108
    assert properties.total_memory == 4096 << 20 and properties.name == "Simulated GPU sm_80"
    assert torch.cuda.get_device_capability() == (8, 0)


def copies():
    host = torch.randn(500, 300)
    device = host.to(GPU)
    assert torch.equal(device.cpu(), host)
    assert torch.equal(host.pin_memory().to(GPU, non_blocking=True).cpu(), host)
    assert torch.equal(device.to("cuda:1").cpu(), host)
    assert torch.equal(device.clone().cpu(), host)
    assert torch.tensor([7, 8], device=GPU).tolist() == [7, 8]


def elementwise():
    x = torch.randn(1000, device=GPU)
    names, launched = kernels(lambda: x.sin().sum())
    assert len(names) == 2, names
    assert "vectorized_elementwise_kernel" in names[0] and "sin" in names[0], names
    assert "reduce_kernel<512, 1" in names[1], names
    assert launched.keys() >= {"aten::sin", "aten::sum"}, launched


def results():
    """Kernels compute nothing: what they would have written reads as nothing, not as what lay there."""
    torch.tensor([3.25], device=GPU).fill_(1)
    x = torch.rand(1000, device=GPU)
    assert x.sum().item() == 0 and x.nonzero().numel() == 0 and torch.unique(x).numel() == 0
    assert torch.masked_select(x, x > 0).numel() == 0 and x.argmax().item() == 0
    assert not torch.isnan(x).any().item()


def training():
    model = torch.nn.Sequential(torch.nn.LayerNorm(64), torch.nn.GELU(), torch.nn.Dropout(0.1)).to(GPU)
    sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    choices = [{}, {"foreach": True}, {"fused": True}, {"foreach": False}]
    optimizers = [sgd] + [torch.optim.AdamW(model.parameters(), **choice) for choice in choices]
    for optimizer in optimizers:
        for _ in range(2):
            optimizer.zero_grad()
            loss = model(torch.randn(8, 64, device=GPU)).square().mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        assert loss.item() == 0
    names, _ = kernels(optimizers[3].step)
    assert any("multi_tensor_apply_kernel" in name and "FusedAdam" in name for name in names), names
    names, launched = kernels(lambda: model(torch.randn(8, 64, device=GPU)).sum().backward())
    assert any("layer_norm_grad" in name or "GammaBeta" in name for name in names), names
    assert any("layer_norm_backward" in name for name in launched), launched


def graphs():
    x = torch.zeros(100, device=GPU)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        (x * 2).sin()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        (x * 2).sin()
        torch.nn.functional.dropout(x, 0.5)
    names, _ = kernels(lambda: [graph.replay() for _ in range(3)])
    assert sum("sin" in name for name in names) == 3, names
    assert sum("dropout" in name for name in names) == 3, names


def streams():
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    before = time.monotonic()
    begin.record()
    torch.ones(100, device=GPU).sin()
    end.record()
    end.synchronize()
    assert 0.005 <= begin.elapsed_time(end) <= 1000 * (time.monotonic() - before)
    with torch.cuda.stream(torch.cuda.Stream(priority=-1)) as _:
        torch.ones(10, device=GPU)
    torch.cuda.synchronize()


def memory():
    torch.cuda.empty_cache()
    free, total = torch.cuda.mem_get_info()
    block = torch.empty(1 << 30, dtype=torch.uint8, device=GPU)
    assert total == 4096 << 20 and free - torch.cuda.mem_get_info()[0] >= 1 << 30
    try:
        torch.empty(4 << 30, dtype=torch.uint8, device=GPU)
    except torch.OutOfMemoryError:
        pass
    else:
        raise AssertionError("5 GiB of 4")
    del block
    torch.cuda.empty_cache()
    assert torch.cuda.mem_get_info()[0] >= free


def refusals():
    """What is not modelled is an error of PyTorch's, and the process goes on."""
    for call in (torch.linalg.cholesky, torch.linalg.svd):
        try:
            call(torch.ones(8, 8, device=GPU))
        except RuntimeError:
            continue
        raise AssertionError(f"{call.__name__} works")
    assert torch.tensor([5], device=GPU).item() == 5


def main():
    checks = [devices, copies, elementwise, results, training, graphs, streams, memory, refusals]
    only = sys.argv[1:]
    for check in checks:
        if not only or check.__name__ in only:
            check()
    time.sleep(0.3)  # a thread of autograd that ends with the interpreter aborts the process
    print(f"PyTorch {torch.__version__}: {len(only) or len(checks)} checks")


main()
