#!/usr/bin/env python3
"""Writes the stubs of one double: what the lists beside this file want of the library and no source of
the double defines.

    stubs.py LIBRARY OUT.c OUT.map LIST... [OBJECT...]

LIBRARY is a soname. A LIST ends in .txt (imports.py writes them); an OBJECT is a compiled source of
the double: what it defines is left out of OUT.c, and exported when the name begins as the library's
functions do. OUT.map is the version script."""

import pathlib
import re
import subprocess
import sys

# How a library's functions begin, and what those that are not modelled return: the library's own
# number for "not supported", or what comes nearest.
LIBRARIES = {
    "libcublasLt": (("cublasLt",), 15),
    "libcublas": (("cublas",), 15),
    "libcuda": (("cu", "simgpu_"), 801),
    "libcudart": (("cuda", "__cuda"), 801),
    "libcudnn": (("cudnn",), 3000),
    "libcufft": (("cufft",), 16),
    "libcufile": (("cuFile",), -1),
    "libcupti": (("cupti",), 27),
    "libcurand": (("curand",), 999),
    "libcusolver": (("cusolver",), 9),
    "libcusparse": (("cusparse",), 10),
    "libcusparseLt": (("cusparseLt",), 10),
    "libnccl": (("nccl", "pnccl"), 5),
    "libnvidia-ml": (("nvml",), 3),
    "libnvrtc": (("nvrtc",), 11),
    "libnvshmem_host": (("nvshmem",), 3),
}
# No status comes back from these.
NUMBERS = {
    "cublasLtGetVersion": 0,
    "cudnnGetCudartVersion": 0,
    "cudnnGetLastErrorString": 0,
    "cudnnGetVersion": 0,
    "nvshmem_malloc": 0,
    "nvshmem_ptr": 0,
    "nvshmemid_init_status": 0,
    "nvshmemx_mc_ptr": 0,
}
TEXTS = {"cudnnGetErrorString", "cusparseGetErrorString", "nvrtcGetErrorString"}


def wanted(lists, library):
    """Name -> (version node, kind)."""
    names = {}
    for path in lists:
        for line in pathlib.Path(path).read_text().splitlines():
            words = line.split()
            if len(words) == 4 and words[0] == library:
                names[words[3]] = (words[1], words[2])
    return names


def defined(objects):
    names = set()
    for path in objects:
        out = subprocess.run(["nm", "-g", "--defined-only", path], check=True, text=True,
                             stdout=subprocess.PIPE).stdout
        names.update(line.split()[-1] for line in out.splitlines() if line)
    return names


def stub(library, name, kind, code):
    if kind == "object":
        return f"STUB_OBJECT({name})"
    if name in TEXTS:
        return f'STUB_TEXT({name}, "not modelled")'
    if name in NUMBERS:
        return f"STUB_NUMBER({name}, {NUMBERS[name]})"
    return f"STUB{'_ENTRY' if library == 'libcuda.so.1' else ''}({name}, {code})"


def source(library, missing, code):
    lines = [f"/* {library}: what no source defines. Written by stubs.py. */"]
    if library == "libcuda.so.1":
        lines.append('#include "doubles/driver/calls/entry.h"')
    lines.append('#include "doubles/stubs/stub.h"')
    lines += [stub(library, name, kind, code) for name, (_, kind) in sorted(missing.items())]
    return "\n".join(lines) + "\n"


def version_script(names, exported):
    nodes = sorted({node for node, _ in names.values()} - {"-"})
    if len(nodes) > 1:
        sys.exit(f"stubs.py: more than one version node: {nodes}")
    begin = f"{nodes[0]} " if nodes else ""
    listed = "".join(f"\t{name};\n" for name in sorted(exported))
    return f"{begin}{{\n{'global:' if listed else ''}\n{listed}local: *;\n}};\n"


def main():
    library, out_c, out_map = sys.argv[1:4]
    lists = [path for path in sys.argv[4:] if path.endswith(".txt")]
    objects = [path for path in sys.argv[4:] if not path.endswith(".txt")]
    beginnings, code = LIBRARIES[re.match(r"[^.]*", library)[0]]
    names, there = wanted(lists, library), defined(objects)
    own = {name for name in there if name.startswith(beginnings)}
    if library.startswith("libcublas.so"):
        own = {name for name in own if not name.startswith("cublasLt")}
    missing = {name: what for name, what in names.items() if name not in there}
    pathlib.Path(out_c).write_text(source(library, missing, code))
    pathlib.Path(out_map).write_text(version_script(names, own | set(names)))


main()
