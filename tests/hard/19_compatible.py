"""Row 19: the golden files of the format, good and bad, read as the second reader wrote them down; what the recorder asks of glibc; and
a recording in a place that is read-only but for the output, without capabilities and without new privileges."""
import glob
import os
import re
import shutil
import subprocess

import row

NUMBER, NAME = 19, "compatibility"
GOLDEN = sorted(glob.glob(os.path.join(row.ROOT, "tests/golden/format/*.baton")))
TARGET, UNIT = len(GOLDEN), "golden files"
NOTE = "images with other glibc and aarch64: not here; the symbol versions say which glibc is enough"
MOST_GLIBC = (2, 17)
EXPECTED = os.path.join(row.ROOT, "tests/golden/format/expected")


def golden(bench, path):
    expected = os.path.join(EXPECTED, os.path.basename(path)[:-len("baton")] + "jsonl")
    _, out, _ = bench.run(row.BATON, "dump", "--json", os.path.relpath(path, row.ROOT))
    bench.expect(out == open(expected, "rb").read(), "%s reads differently" % path)


def glibc(bench):
    """The newest version of glibc's symbols that libbaton.so needs."""
    _, out, _ = bench.run("objdump", "-T", row.LIBRARY)
    versions = {tuple(map(int, found.split(b"."))) for found in re.findall(rb"GLIBC_([0-9.]+)", out)}
    if bench.expect(versions, "libbaton.so has no symbol versions"):
        bench.sums["glibc"] = ".".join(map(str, max(versions)))
        bench.expect(max(versions) <= MOST_GLIBC, "libbaton.so needs glibc %s" % bench.sums["glibc"])


def confined(bench):
    """A mount namespace in which all but the output directory is read-only, no capability, no_new_privs."""
    if os.getuid() != 0 or not shutil.which("setpriv") or not shutil.which("unshare"):
        return bench.add(not_confined=1)
    run, job = bench.fresh(), os.path.join(row.BUILD, "simtrain")
    script = ('mount --bind "$1" "$1" && mount -o remount,ro,bind / && mount -t tmpfs none /dev/shm && '
              'exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all "$2" record -f -o "$1" -- "$3" --steps 3 --layers 2')
    end = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", run, row.BATON, job], env=bench.env, capture_output=True, timeout=60)
    if b"permission denied" in end.stderr or b"Operation not permitted" in end.stderr:
        return bench.add(not_confined=1)
    held = bench.tally(run)
    bench.expect(end.returncode == 0 and held.get("launches") and held["launches"] == held["kernels"],
                 "confined: status %s, %s: %s" % (end.returncode, held, end.stderr.decode()[-300:]))
    bench.add(confined=1)


def piece(bench, first, most):
    if not os.path.exists(row.LIBRARY):
        raise row.Skip("not built: libbaton.so")
    if first == 0:
        glibc(bench)
        confined(bench)
    n = min(most, 100, len(GOLDEN) - first)
    for path in GOLDEN[first:first + n]:
        golden(bench, path)
    return n


if __name__ == "__main__":
    row.main(globals())
