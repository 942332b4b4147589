#!/usr/bin/env python3
"""Differential fuzz of the two readers of the trace format.

    differential.py --digest build/release/digest [--seed N] [--count N]

Mutated golden files (tests/format/mutate.py; every second one re-sealed with right checksums) go to the C reader and to
tests/format/second_reader.py, one process each for all files. Verdict, number of lines and checksum of all lines must
be equal. A file on which they differ is kept and named; status 1.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "format"))

import mutate  # noqa: E402

BATCH = 100  # names that fit a pipe while nobody reads the answers


def start(command):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(readers, paths):
    """The digest lines of both readers, which answer file by file."""
    for process in readers:
        process.stdin.write("".join(path + "\n" for path in paths))
        process.stdin.flush()
    return [[process.stdout.readline().rstrip("\n") for _ in paths] for process in readers]


def stop(readers):
    for process in readers:
        process.stdin.close()
        if process.wait() != 0:
            sys.exit(f"differential: {process.args[0]} ended with status {process.returncode}")


def compare(paths, ours, theirs, keep_dir):
    differing = 0
    for path, a, b in zip(paths, ours, theirs):
        if a == b:
            continue
        differing += 1
        os.makedirs(keep_dir, exist_ok=True)
        kept = os.path.join(keep_dir, os.path.basename(path))
        shutil.copy(path, kept)
        print(f"differ on {kept}\n  C      {a}\n  Python {b}")
    return differing


def seeds():
    """The golden files, by name."""
    golden = os.path.join(HERE, "..", "golden", "format")
    names = sorted(name for name in os.listdir(golden) if name.endswith(".baton"))
    return [open(os.path.join(golden, name), "rb").read() for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--digest", required=True, help="the C reader (tests/fuzz/digest.c)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--keep", default="build/fuzz", help="where differing files are kept")
    options = parser.parse_args()
    second = [sys.executable, os.path.join(HERE, "..", "format", "second_reader.py"), "--digest"]
    readers = [start([options.digest]), start(second)]
    done = differing = 0
    verdicts = {}
    with tempfile.TemporaryDirectory() as work:
        paths = []

        def flush():
            nonlocal done, differing, paths
            ours, theirs = ask(readers, paths)
            differing += compare(paths, ours, theirs, options.keep)
            for line in ours:
                verdict = line.split("\t")[1]
                verdicts[verdict] = verdicts.get(verdict, 0) + 1
            done += len(paths)
            for path in paths:
                os.unlink(path)
            paths = []

        for number, data in enumerate(mutate.mutations(options.seed, options.count, seeds=seeds())):
            path = os.path.join(work, f"{options.seed}-{number}.baton")
            with open(path, "wb") as file:
                file.write(data)
            paths.append(path)
            if len(paths) == BATCH:
                flush()
        if paths:
            flush()
    stop(readers)
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items()))
    print(f"differential: {done} files ({kinds}), {differing} disagreements")
    return 1 if differing or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
