#!/usr/bin/env python3
"""Writes quantiles.c and kernel_names.c: what real runs say about durations and gaps, and how they call their kernels.

usage: tables.py --baton build/release/baton --data ../shared/data --out tools/simgpu/virtual/draw

Every table is 257 quantiles (nearest rank) of samples from the traces in DATA; tails beyond the 99.5th percentile are
cut, because a simulation draws thousands of times and the tails of a few thousand samples are accidents of one machine.
Traces whose clock ticks in whole microseconds give kernel durations only: their gaps are too coarse.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

QUANTILES = 257
NS_CLOCK = ("ddp_a100_rank0of2", "h100_2gpu_nccl")  # the others count whole microseconds
CLASSES = {
    "GEMM": ("matmul.gemm",), "CONV": ("custom.conv",), "ATTENTION": ("custom.attention",),
    "NORM": ("custom.norm",), "SOFTMAX": ("custom.softmax",), "POINTWISE": ("custom.pointwise",),
    "REDUCE": ("custom.reduce",), "COPY_KERNEL": ("memory.copy_kernel",), "OPTIMIZER": ("custom.optimizer",),
    "EMBEDDING": ("custom.embedding",), "LOSS": ("custom.loss",),
}
# Kinds that the traces lack: the class whose durations stand in, and names as other traces print them.
STAND_IN = {
    "ATTENTION": ("GEMM", ["void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 64, 64, 4, "
                           "false, false, cutlass::bfloat16_t>, false, true>(pytorch_flash::Flash_fwd_params)",
                           "fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel)"]),
    "OPTIMIZER": ("POINTWISE", ["void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::"
                                "(anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
                                "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false> >()"]),
    "EMBEDDING": ("POINTWISE", ["void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long, unsigned int, "
                                "2, 2, -2, true>()"]),
    "LOSS": ("REDUCE", ["void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, "
                        "long>()"]),
    "NORM": ("POINTWISE", ["void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>()"]),
    "SOFTMAX": ("POINTWISE", ["void (anonymous namespace)::softmax_warp_forward<float, float, float, 9, false, false>()"]),
    "REDUCE": ("POINTWISE", ["void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::"
                             "func_wrapper_t<float, at::native::sum_functor<float> > > >()"]),
    "CONV": ("GEMM", ["sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16"]),
    "COPY_KERNEL": ("POINTWISE", ["void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>()"]),
}
# The kernels of PyTorch's foreach Adam, which the traces' optimizers (fused, apex) do not show.
FOREACH = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::%s>()"
MORE_NAMES = {"OPTIMIZER": [FOREACH % functor for functor in (
    "TensorListMetadata<2>, at::native::(anonymous namespace)::TernaryOpScalarFunctor<float, 2, 2, 1>, at::native::LerpFunctor<float>",
    "TensorListMetadata<3>, at::native::(anonymous namespace)::PointwiseOpScalarFunctor<float, 3, 3, 0>, std::multiplies<float>",
    "TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0>, std::multiplies<float>",
    "TensorListMetadata<2>, at::native::(anonymous namespace)::UnaryOpFunctor<float, 2, 1, 1>, at::native::Sqrt<float>",
    "TensorListScalarListMetadata<float, 1>, at::native::(anonymous namespace)::BinaryOpScalarListFunctor<float, 1, 1, 0>, "
    "std::divides<float>",
    "TensorListScalarListMetadata<float, 3>, at::native::(anonymous namespace)::PointwiseOpScalarListFunctor<float, 3, 3, 0>, "
    "std::divides<float>")]}
MAX_NAMES = 24
MAX_NAME = 400


class Process:
    """One trace file: its rows, and what joins them."""

    def __init__(self, rows):
        self.ops = sorted((r for r in rows if r["record"] == "op"), key=lambda r: (r["start_ns"], r["dur_ns"]))
        self.calls = sorted((r for r in rows if r["record"] == "call"), key=lambda r: (r["start_ns"], -r["dur_ns"]))
        streams = {r["id"]: r["device"] for r in rows if r["record"] == "stream"}
        self.by_device = collections.defaultdict(list)
        for op in self.ops:
            self.by_device[streams.get(op["stream"])].append(op)
        self.launch = {}
        for call in self.calls:
            if call["correlation"] and call["correlation"] not in self.launch:
                self.launch[call["correlation"]] = call


def end(row):
    return row["start_ns"] + row["dur_ns"]


def read_runs(baton, data):
    """name -> list of Process"""
    runs = {}
    files = sorted(data.glob("kineto/*.json.gz")) + sorted(data.glob("nsys/*.sqlite"))
    with tempfile.TemporaryDirectory() as work:
        for file in files:
            name = file.name.split(".")[0]
            subprocess.run([baton, "import", file, "-o", f"{work}/{name}"], check=False, stderr=subprocess.DEVNULL)
            runs[name] = []
            for part in sorted(pathlib.Path(work, name).glob("*.baton")):
                text = subprocess.run([baton, "dump", "--json", part], check=True, capture_output=True).stdout
                runs[name].append(Process([json.loads(line) for line in text.splitlines()]))
    return runs


def classify(baton, names):
    text = subprocess.run([baton, "classify"], input="\n".join(names) + "\n", text=True, capture_output=True, check=True)
    rows = (line.split("\t") for line in text.stdout.splitlines())
    return {row[0]: row[2] for row in rows}


def kernel_samples(runs, classes):
    durations = collections.defaultdict(list)
    names = collections.defaultdict(collections.Counter)
    of_class = {c: table for table, cs in CLASSES.items() for c in cs}
    for processes in runs.values():
        for op in (op for p in processes for op in p.ops if op["op_kind"] == 1):
            kind = classes.get(op["name"], "")
            table = "NCCL" if kind.startswith("nccl.") else of_class.get(kind)
            if table:
                durations[table].append(op["dur_ns"])
                names[table][op["name"]] += 1
    return durations, names


def gap_samples(process, out):
    """Gaps on the device, per device."""
    for ops in process.by_device.values():
        busy_until = None
        for op in ops:
            launch = process.launch.get(op["correlation"])
            if busy_until is not None and op["start_ns"] > busy_until and launch:
                gap, lead = op["start_ns"] - busy_until, op["start_ns"] - launch["start_ns"]
                if end(launch) < busy_until - 20000:
                    out["QUEUED_GAP"].append(gap)
                elif launch["start_ns"] > busy_until and launch["name"].startswith("cudaLaunchKernel") and lead > 0:
                    out["FLOOR"].append(lead)
            busy_until = max(busy_until or 0, end(op))


def call_samples(process, out):
    by_thread = collections.defaultdict(list)
    for call in process.calls:
        by_thread[call["thread"]].append(call)
        name = call["name"]
        if name.startswith("cudaLaunchKernel") and call["dur_ns"] < 100000:
            out["LAUNCH_CALL"].append(call["dur_ns"])
        elif name.startswith(("cudaEventRecord", "cudaStreamWaitEvent")):
            out["CALL_SHORT"].append(call["dur_ns"])
    for calls in by_thread.values():
        for before, after in zip(calls, calls[1:]):
            gap = after["start_ns"] - end(before)
            if after["name"].startswith("cudaLaunchKernel") and 0 < gap < 1000000:
                out["HOST_GAP"].append(gap)
    ends = sorted(end(op) for op in process.ops)
    for call in process.calls:
        if "Synchronize" in call["name"] and call["dur_ns"] > 20000:
            inside = [e for e in ends if call["start_ns"] < e <= end(call)]
            if inside and end(call) - inside[-1] < 30000:
                out["SYNC_WAKE"].append(end(call) - inside[-1])


def repeat_samples(runs):
    """Instances of one kernel against their median: same name, neighbours in the same run. Kernels of many sizes under
    one name would look noisy: only those whose middle half is within 10 % count."""
    out = []
    for name in NS_CLOCK:
        by_name = collections.defaultdict(list)
        for p in runs[name]:
            for op in p.ops:
                if op["op_kind"] == 1 and "nccl" not in (op["name"] or "") and op["dur_ns"] > 5000:
                    by_name[op["name"]].append(op["dur_ns"])
        for durations in by_name.values():
            durations.sort()
            n = len(durations)
            if n < 20 or durations[3 * n // 4] * 10 > durations[n // 4] * 11:
                continue
            median = durations[n // 2]
            out += [d * 1024 // median for d in durations if d * 2 < median * 3]
    return out


def quantiles(samples):
    samples = sorted(samples)
    samples = samples[:max(1, len(samples) * 995 // 1000)]
    last = len(samples) - 1
    return [samples[last * i // (QUANTILES - 1)] for i in range(QUANTILES)]


def c_string(text):
    return '"' + text[:MAX_NAME].replace("\\", "\\\\").replace('"', '\\"') + '"'


ORDER = ["LAUNCH_CALL", "LAUNCH_FLOOR", "QUEUED_GAP", "HOST_GAP", "CALL_SHORT", "SYNC_WAKE", *CLASSES, "NCCL", "REPEAT"]


WRITTEN = "/* Written by tables.py from recorded runs; do not edit.%s */"


def write_quantiles(tables, sources, out):
    lines = [WRITTEN % " Samples beyond the 99.5th percentile are cut.", '#include "virtual/draw/measured.h"', "",
             "const int64_t quantiles[TABLE_COUNT][QUANTILES] = {"]
    for table in ORDER:
        values = tables[table]
        lines += [f"\t/* {sources[table]}: median {values[QUANTILES // 2]}, 95 % {values[243]} */", f"\t[TABLE_{table}] = {{"]
        lines += ["\t\t" + ", ".join(str(v) for v in values[i:i + 12]) + "," for i in range(0, QUANTILES, 12)]
        lines.append("\t},")
    out.write_text("\n".join([*lines, "};", ""]))


def write_kernel_names(names, out):
    lines = [WRITTEN % "", '#include "virtual/draw/measured.h"', ""]
    for table in CLASSES:
        lines.append(f"static const char *const {table.lower()}[] = {{")
        lines += [f"\t{c_string(name)}," for name in names[table]]
        lines += ["};", ""]
    lines.append("const struct kernel_names kernel_names[TABLE_COUNT] = {")
    lines += [f"\t[TABLE_{table}] = {{{table.lower()}, {len(names[table])}}}," for table in CLASSES]
    out.write_text("\n".join([*lines, "};", ""]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--baton", required=True)
    parser.add_argument("--data", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    args = parser.parse_args()
    runs = read_runs(args.baton, args.data)
    kernels = sorted({op["name"] for ps in runs.values() for p in ps for op in p.ops if op["name"]})
    samples, seen = kernel_samples(runs, classify(args.baton, kernels))
    for name in NS_CLOCK:
        for process in runs[name]:
            gap_samples(process, samples)
            call_samples(process, samples)
    floor = sorted(samples.pop("FLOOR"))
    low = floor[len(floor) * 5 // 100]
    samples["LAUNCH_FLOOR"] = [v * 1024 // low for v in floor if low <= v < 3 * low]
    samples["REPEAT"] = repeat_samples(runs)
    sources, names = {}, {}
    for table, (other, own) in STAND_IN.items():
        if len(samples[table]) < 100:
            sources[table] = f"{len(samples[table])} samples, too few: those of {other}"
            samples[table] = samples[other]
        names[table] = own if not seen[table] else []
    for table in CLASSES:
        common = [name for name, _ in sorted(seen[table].items(), key=lambda x: (-x[1], x[0]))][:MAX_NAMES]
        names[table] = (common or names.get(table, [])) + MORE_NAMES.get(table, [])
    for table in ORDER:
        sources.setdefault(table, f"{len(samples[table])} samples")
    write_quantiles({table: quantiles(samples[table]) for table in ORDER}, sources, args.out / "quantiles.c")
    write_kernel_names(names, args.out / "kernel_names.c")


if __name__ == "__main__":
    sys.exit(main())
