"""The scenarios that attribution is scored on: what baton-sim is asked for, and what baton has to say.

A scenario's name never reaches its trace. `faults` are baton-sim's --fault arguments. What is accepted as naming a fault is
the table in docs/ACCURACY.md.
"""
import collections

Scenario = collections.namedtuple("Scenario", "name workload ranks steps faults options clean sized")


def scenario(name, workload, ranks, *faults, steps=12, options=(), clean=False, sized=()):
    """sized: pairs of a finding's id and the fault whose loss its share has to be (None: no fault, 0)."""
    return Scenario(name, workload, ranks, steps, tuple(faults), tuple(options), clean, tuple(sized))


CLEAN = [scenario(f"clean {workload} {ranks}", workload, ranks, clean=True, steps=20) for workload, ranks in (
    ("ddp", 1), ("ddp", 2), ("ddp", 4), ("ddp", 8), ("resnet", 2), ("fsdp", 4), ("dataparallel", 2), ("inference", 1))]

ALONE = [
    scenario("slow_gpu", "ddp", 4, "slow_gpu"),
    scenario("slow_gpu fsdp", "fsdp", 8, "slow_gpu@2"),
    scenario("slow_gpu resnet", "resnet", 2, "slow_gpu@1"),
    scenario("slow_link", "ddp", 4, "slow_link=600"),
    scenario("slow_link moe", "moe", 4, "slow_link"),
    scenario("slow_host", "ddp", 4, "slow_host=300"),
    scenario("gil_hog", "ddp", 4, "gil_hog=8000"),
    scenario("gil_hog alone", "resnet", 1, "gil_hog=8000"),
    scenario("no_core", "ddp", 4, "no_core"),
    scenario("page_fault", "ddp", 4, "page_fault=1500"),
    scenario("page_fault alone", "ddp", 1, "page_fault=1500"),
    scenario("io_sleep", "resnet", 2, "io_sleep"),
    scenario("input", "resnet", 4, "input=160000"),
    scenario("input one rank", "resnet", 4, "input=160000@2"),
    scenario("sync", "ddp", 4, "sync"),
    scenario("sync tiny", "tiny", 1, "sync", steps=6, sized=[("sync", "sync")]),
    scenario("sync_device tiny", "tiny", 2, "sync_device", steps=6, sized=[("sync", "sync_device")]),
    scenario("alloc", "ddp", 2, "alloc"),
    scenario("alloc fsdp", "fsdp", 2, "alloc=100"),
    scenario("module_load", "ddp", 2, "module_load"),
    scenario("jit", "resnet", 2, "jit"),
    scenario("host_func", "ddp", 4, "host_func=300"),
    scenario("dependency", "dataparallel", 2, "dependency=1000"),
    scenario("queue_full", "jax", 2, "queue_full=4"),
    scenario("imbalance", "ddp", 4, "imbalance"),
    scenario("profiler", "ddp", 2, "profiler=40000"),
    scenario("jitter_host", "ddp", 4, "jitter_host"),
    scenario("jitter_kernel", "ddp", 4, "jitter_kernel"),
    scenario("clock", "ddp", 8, "clock", "slow_gpu@5", options=("--per-host", "2")),
    scenario("lost_records", "ddp", 2, "lost_records", "input=250000"),
]

SHAPES = [  # no fault but what the job is made of
    scenario("launch-bound", "tiny", 2, steps=6),
    scenario("graphs", "graph", 2, "io_sleep=4000"),
    scenario("graphs input", "graph", 4, "input=100000"),
    scenario("pipeline", "pipeline", 4, "slow_gpu@2"),
    scenario("pipeline sleep", "pipeline", 2, "io_sleep"),
    scenario("tensor late host", "tensor", 4, "gil_hog=8000@1"),
    scenario("moe input", "moe", 4, "input=250000"),
    scenario("jax slow gpu", "jax", 8, "slow_gpu=25", options=("--per-host", "4")),
    scenario("jax input", "jax", 2, "input=175897"),
    scenario("jax module load", "jax", 4, "module_load"),
    scenario("inference sleep", "inference", 1, "io_sleep"),
]

# A wait for the device costs what the lead would have hidden: in the next step, on another thread, and never more than
# the wait. Nor does it cost anything where nobody waits or a late rank is waited for, and what the loader costs stays the
# loader's.
WAITS = [
    scenario("item end", "short_forward", 1, "item_end", sized=[("sync", "item_end")]),
    scenario("item end ddp", "short_forward", 4, "item_end", sized=[("sync", "item_end")]),
    scenario("item loss", "short_backward", 1, "item_loss", sized=[("sync", "item_loss")]),
    scenario("item loss ddp", "short_backward", 2, "item_loss"),
    scenario("item in sync layers", "short_forward", 1, "sync=1", sized=[("sync", "sync")]),
    scenario("item and slow host", "short_forward", 1, "item_end", "slow_host=300", sized=[("sync", "item_end")]),
    scenario("item and input", "short_forward", 1, "item_end", "input=160000", sized=[("input", "input")]),
    scenario("item beside prefetch", "short_forward", 1, "item_end", "prefetch"),
    scenario("slow host alone", "short_forward", 1, "slow_host=300", sized=[("sync", None)]),
    scenario("slow host beside prefetch", "short_forward", 1, "slow_host=300", "prefetch", sized=[("sync", None)]),
    scenario("late rank tiny", "tiny", 4, "slow_host=100@3", steps=6, sized=[("sync", None)]),
    scenario("item tiny", "tiny", 1, "item_end", steps=6, sized=[("sync", "item_end")]),
]

MIXED = [
    scenario("input and sync", "resnet", 2, "input=160000", "sync"),
    scenario("gil and slow gpu", "ddp", 4, "gil_hog=8000@1", "slow_gpu=4@1"),
    scenario("link and sleep", "ddp", 4, "slow_link=300", "io_sleep=14000"),
    scenario("no_core and alloc", "ddp", 4, "no_core", "alloc"),
    scenario("alloc and host_func", "ddp", 2, "alloc", "host_func=300"),
    scenario("module load and input", "fsdp", 2, "module_load=60000", "input=300000"),
    scenario("profiler and page faults", "ddp", 2, "profiler=60000", "page_fault=100@all"),
    scenario("all together", "ddp", 4, "slow_gpu=5", "slow_link=300", "gil_hog=4000@1", "page_fault=500@2", "io_sleep=8000",
             "input=250000", "sync", "alloc", "module_load=9000", "host_func=200", "profiler=4000", "lost_records", steps=24),
]

SCENARIOS = CLEAN + ALONE + SHAPES + WAITS + MIXED

# One fault, its strength searched so that the loss is just under 2 % of the step: nothing of it may be a finding.
NEAR = [
    ("slow_gpu", "ddp", 4, 1, 10), ("slow_link", "resnet", 2, 10, 2000), ("slow_host", "ddp", 4, 5, 300),
    ("gil_hog", "ddp", 4, 200, 8000), ("page_fault", "ddp", 4, 100, 3000), ("io_sleep", "ddp", 4, 100, 3000),
    ("input", "resnet", 2, 1000, 200000), ("alloc", "jax", 2, 1, 100), ("module_load", "ddp", 2, 1000, 40000),
    ("host_func", "ddp", 4, 5, 300), ("imbalance", "ddp", 4, 1, 20), ("profiler", "ddp", 2, 2000, 40000),
    ("jitter_host", "ddp", 2, 100, 400),
]

# Steps without markers: the number of training steps has to be exact.
PERIODS = [
    scenario("period ddp", "ddp", 2, steps=40), scenario("period resnet", "resnet", 1, steps=30),
    scenario("period evaluation", "ddp", 2, steps=40, options=("--eval", "5:3")),
    scenario("period evaluation resnet", "resnet", 2, steps=30, options=("--eval", "10:6")),
    scenario("period lengths", "ddp", 2, steps=40, options=("--vary", "300")),
    scenario("period lost", "ddp", 2, "lost_records=20000", steps=40),
    scenario("period everything", "ddp", 2, "lost_records=20000", steps=40, options=("--eval", "5:3", "--vary", "300")),
    scenario("period everything fsdp", "fsdp", 2, "lost_records=20000", steps=30, options=("--eval", "7:4", "--vary", "300")),
    scenario("period everything tensor", "tensor", 2, "lost_records=20000", steps=30, options=("--eval", "7:4", "--vary", "300")),
    scenario("period graph", "graph", 1, steps=30), scenario("period moe", "moe", 2, steps=20),
    scenario("period pipeline", "pipeline", 2, steps=20), scenario("period tiny", "tiny", 1, steps=8),
]

QUICK = {"clean ddp 2", "slow_gpu", "input", "sync", "item end", "item loss", "host_func", "io_sleep", "pipeline", "all together"}
