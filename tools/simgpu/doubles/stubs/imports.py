#!/usr/bin/env python3
"""Writes what the libraries of an installed PyTorch import of CUDA's libraries: the lists
beside this file, from which stubs.py makes what the doubles do not model.

    imports.py SITE_PACKAGES > torch-VERSION.txt

One line per symbol: library, version node (- none), func or object, name. SITE_PACKAGES holds
torch/; NVIDIA's own libraries need not be there. Uses readelf."""

import pathlib
import re
import subprocess
import sys

# The provider of a symbol without a version, by the beginning of its name; the first that fits.
UNVERSIONED = [
    ("nccl", "libnccl.so.2"),
    ("cusparseLt", "libcusparseLt.so.0"),
    ("cuFile", "libcufile.so.0"),
    ("nvml", "libnvidia-ml.so.1"),
    ("curand", "libcurand.so.10"),
    ("cu", "libcuda.so.1"),
]
OURS = re.compile(r"lib(cu|nv|nccl)")
UNDEFINED = re.compile(
    r"^\s*\d+: \S+\s+\d+ (\w+)\s+(?:GLOBAL|WEAK)\s+\w+\s+UND (\S+?)(?:@+(\S+))?(?: \(\d+\))?$")


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def needed_versions(path):
    """Version node -> library that has it."""
    libraries, file = {}, None
    for line in readelf("-V", path).splitlines():
        if found := re.search(r"Version: \d+\s+File: (\S+)", line):
            file = found[1]
        elif (found := re.search(r"^\s+0x\w+:\s+Name: (\S+)", line)) and file:
            libraries.setdefault(found[1], file)
    return libraries


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", path)))


def provider(name, node, versions, libraries):
    if node:
        return versions.get(node, "")
    for prefix, library in UNVERSIONED:
        if name.startswith(prefix):
            return library if library in libraries else ""
    return ""


def imports_of(path):
    versions, libraries = needed_versions(path), needed(path)
    for line in readelf("--dyn-syms", path).splitlines():
        found = UNDEFINED.match(line)
        if not found:
            continue
        kind, name, node = found.groups()
        library = provider(name, node, versions, libraries)
        if OURS.match(library):
            yield library, node or "-", "object" if kind == "OBJECT" else "func", name


def main():
    site = pathlib.Path(sys.argv[1])
    version = re.search(r"__version__ = '([^']*)'", (site / "torch/version.py").read_text())[1]
    lines, libraries = set(), set()
    for path in sorted(site.glob("torch/lib/*.so*")) + sorted(site.glob("torch/_C*.so")):
        lines.update(imports_of(path))
        libraries.update(library for library in needed(path) if OURS.match(library))
    print(f"# What the libraries of PyTorch {version} import of CUDA's. Written by imports.py.")
    for library in sorted(libraries):
        rows = sorted(row for row in lines if row[0] == library)
        print(f"\n# {library}: {len(rows)}")
        for row in rows:
            print(*row)


main()
