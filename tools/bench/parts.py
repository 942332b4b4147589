"""parts.py --build DIR [--steps 5] [--kernels 60] [--target 100000] RANKS...: what reducing on the nodes and merging the parts takes
(docs/CLUSTERS.md), measured with so many ranks, 8 on a host, and what the largest of these runs says of `--target` ranks. Each host's files
become a part, twice (the second time it knows when the others entered a collective); the merged part has to be, byte for byte, the part of
all files together. Prints the tables of docs/SCALE.md."""

import argparse
import collections
import filecmp
import os
import resource
import subprocess
import sys
import tempfile

PER_HOST = 8


def cpu_and_mib(*command):
    """A command's CPU seconds and its most memory. Status 4: the parts of one round lack the waits between nodes."""
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 4):
        sys.exit("%s: status %d: %s" % (" ".join(map(str, command[:3])), child.returncode, said[-300:]))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def hosts_of(run):
    """The files of each host: their names begin with it."""
    hosts = collections.defaultdict(list)
    for name in sorted(os.listdir(run)):
        if name.endswith(".baton"):
            hosts[name.split(".")[0]].append(name)
    return hosts


def make_parts(baton, run, where, met):
    """Each host's part: its CPU seconds and bytes, the median of all."""
    cpu, size = [], []
    for host, names in hosts_of(run).items():
        mine = os.path.join(where, host)
        if not os.path.isdir(mine):
            os.mkdir(mine)
            for name in names:
                os.link(os.path.join(run, name), os.path.join(mine, name))
        part = os.path.join(where, host + ".part")
        cpu.append(cpu_and_mib(baton, "reduce", "--part", *met, "-o", part, mine)[0])
        size.append(os.path.getsize(part))
    return sorted(cpu)[len(cpu) // 2], sorted(size)[len(size) // 2], [os.path.join(where, host + ".part") for host in hosts_of(run)]


def measure(options, work, ranks):
    baton = options.build + "/baton"
    run, where = os.path.join(work, "run%d" % ranks), os.path.join(work, "parts%d" % ranks)
    os.mkdir(where)
    cpu_and_mib(options.build + "/baton-sim", "-o", run, "--ranks", ranks, "--per-host", PER_HOST, "--steps", options.steps, "--kernels",
                options.kernels)
    known, final, whole = (os.path.join(work, "%s%d" % (name, ranks)) for name in ("known", "final", "whole"))
    first, _, parts = make_parts(baton, run, where, [])
    first_merge, _ = cpu_and_mib(baton, "merge", "-o", known, *parts)
    second, size, parts = make_parts(baton, run, where, ["--met", known])
    merge, mib = cpu_and_mib(baton, "merge", "-o", final, *parts)
    report, _ = cpu_and_mib(baton, "report", final)
    cpu_and_mib(baton, "reduce", "--part", "-o", whole, run)
    if not filecmp.cmp(final, whole, shallow=False):
        sys.exit("%d ranks: the merged part is not that of all files together" % ranks)
    merged = os.path.getsize(final)
    print("| %d | %.0f, %.0f ms | %.1f kB | %.2f, %.2f s | %.0f MiB | %.1f MB | %.2f s |" %
          (ranks, 1e3 * first, 1e3 * second, size / 1e3, first_merge, merge, mib, merged / 1e6, report), flush=True)
    return {"ranks": ranks, "part": first + second, "size": size, "merge": first_merge + merge, "mib": mib, "merged": merged, "report": report}


def estimate(options, rows):
    """Straight lines through the smallest and the largest run; what one more rank takes is their slope."""
    less, more = min(rows, key=lambda r: r["ranks"]), max(rows, key=lambda r: r["ranks"])

    def at_target(what):
        slope = (more[what] - less[what]) / (more["ranks"] - less["ranks"])
        return more[what] + slope * (options.target - more["ranks"])

    print("\n| %d ranks | by straight lines through %d and %d ranks |\n|---|---|" % (options.target, less["ranks"], more["ranks"]))
    print("| on each host, both rounds | %.0f ms of CPU |" % (1e3 * more["part"]))
    print("| parts that travel, a round | %d of %.1f kB: %.0f MB |" % (options.target // PER_HOST, more["size"] / 1e3,
                                                                   options.target // PER_HOST * more["size"] / 1e6))
    print("| both merges, by one process | %.0f s of CPU, %.0f MiB |" % (at_target("merge"), at_target("mib")))
    print("| the merged part; a report of it | %.0f MB; %.0f s of CPU |" % (at_target("merged") / 1e6, at_target("report")))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--kernels", type=int, default=60)
    parser.add_argument("--target", type=int, default=100000)
    parser.add_argument("ranks", type=int, nargs="+")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("%d steps of %d kernels; %d ranks on a host; %d cores\n" % (options.steps, options.kernels, PER_HOST, os.cpu_count()))
    print("| ranks | CPU of a part, rounds 1 and 2 | a part | CPU of the merges | memory | merged | CPU of its report |\n"
          "|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as work:
        rows = [measure(options, work, ranks) for ranks in options.ranks]
    if len(set(options.ranks)) > 1:
        estimate(options, rows)


if __name__ == "__main__":
    main()
