"""nsys-ai beside plain sums over the same nsys-sqlite export: kernels of each device; idle, compute, NCCL and overlap of device 0.
   sh tests/tools/install_tools.sh nsys-ai
   python3 tests/tools/nsys_ai.py build/tools/nsys-ai/bin/nsys-ai FILE.sqlite
Prints both. Status 1 where they differ by more than nsys-ai rounds."""
import json
import re
import sqlite3
import subprocess
import sys


def covered(spans):
    """The time that spans cover, ns."""
    total, until = 0, None
    for start, end in sorted(spans):
        if until is None or start > until:
            total, until = total + end - start, end
        elif end > until:
            total, until = total + end - until, end
    return total


def summed(db, device):
    rows = db.execute(
        "SELECT k.start, k.end, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.shortName"
        " WHERE k.deviceId = ?", (device,)).fetchall()
    nccl = [(a, b) for a, b, name in rows if "nccl" in name.lower()]
    compute = [(a, b) for a, b, name in rows if "nccl" not in name.lower()]
    busy, of_nccl, of_compute = covered(nccl + compute), covered(nccl), covered(compute)
    length = max(b for _, b, _ in rows) - min(a for a, _, _ in rows)
    times = {"compute_only_ms": busy - of_nccl, "nccl_only_ms": busy - of_compute,
             "overlap_ms": of_nccl + of_compute - busy, "idle_ms": length - busy, "total_ms": length}
    return {**{name: ns / 1e6 for name, ns in times.items()}, "compute_kernels": len(compute), "nccl_kernels": len(nccl)}


def asked(tool, *words):
    return subprocess.run([tool, *words], check=True, timeout=120, stdout=subprocess.PIPE, text=True).stdout


def main(tool, path):
    db = sqlite3.connect(path)
    ours = dict(db.execute("SELECT deviceId, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1"))
    theirs = {int(device): int(n) for device, n in re.findall(r"GPU (\d+):.*Kernels=(\d+)", asked(tool, "info", path))}
    print("kernels by device: nsys-ai", theirs, "sums", ours)
    bad = theirs != ours
    text = asked(tool, "skill", "run", "overlap_breakdown", path, "--format", "json")
    found = json.loads(text[re.search(r"^\[", text, re.M).start():])[0]
    for name, value in summed(db, found["device_id"]).items():
        bad |= abs(found[name] - value) > 0.0051
        print(f"{name}: nsys-ai {found[name]} sums {value:g}")
    return bad


sys.exit(main(*sys.argv[1:]))
