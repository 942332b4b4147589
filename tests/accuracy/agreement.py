#!/usr/bin/env python3
"""Does `baton report` agree with reference.py to the nanosecond, on random runs and on given ones?

    agreement.py --baton build/release/baton [--seeds A:B] [--run DIR...] [--step-range NAME]

The seeds are A, A + 1, ..., B - 1. Exit status 1 on any disagreement and when nothing was compared.
"""

import argparse
import collections
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import random_traces  # noqa: E402
import reference  # noqa: E402
import sites  # noqa: E402

DEVICE_NUMBERS = ("steps", "window_ns", "hull_ns", "hull_idle_ns", "lead_in_ns", "nccl_hidden_ns",
                  "kernels", "launches")
QUALITY_SUMS = ("unmatched_ops", "invalid_timestamps", "hand_offs", "steps_cut",
                "unsampled_ns")
ANSWERED = (0, 4)  # 4: from partial data


class Failed(Exception):
    """The binary did not answer."""


class Comparison:
    def __init__(self, baton, step_range):
        self.baton = baton
        self.options = ["--step-range", step_range] if step_range is not None else []
        self.step_range = step_range
        self.runs = self.devices = self.leaves = self.disagreements = self.given = 0
        self.rows = 0

    def baton_output(self, *arguments, stdin=b""):
        done = subprocess.run([self.baton, *arguments], input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode not in ANSWERED:
            raise Failed("baton %s: status %d: %s" % (
                " ".join(arguments), done.returncode,
                done.stderr.decode(errors="replace").strip()[-500:]))
        return done.stdout

    def compare_run(self, label, directory):
        try:
            lines = self.baton_output("dump", "--json", directory).decode("ascii").splitlines()
            groups = self.classify(kernel_names(lines))
            devices = reference.devices_of(lines, groups, self.step_range, self.periods(directory))
            ours = [reference.account(device) for device in devices]
            if not ours:  # no op at all: `baton report` has nothing to answer
                self.runs += 1
                return
            theirs = json.loads(self.baton_output("report", "--json", *self.options, directory))
        except (Failed, ValueError, AssertionError) as problem:
            self.disagree(label, "-", "run", "no answer: %s" % problem, "-")
            return
        self.runs += 1
        self.compare_sites(label, directory, sites.tables_of(devices))
        self.compare_devices(label, {device["device"]: device for device in ours},
                             {device["device"]: device for device in theirs.get("devices", [])})
        self.compare_copies(label, ours, theirs.get("copies", []))
        for name in QUALITY_SUMS:
            if all(device[name] is not None for device in ours):
                self.same(label, "all", "quality." + name, sum(device[name] for device in ours),
                          theirs.get("quality", {}).get(name))

    def periods(self, directory):
        """Where nothing marks a step the reference is given those that baton found: it does not know
        periodicity, but what belongs to them and where their time went is told by both."""
        steps = None

        def of_device(key):
            nonlocal steps
            if steps is None:
                steps = collections.defaultdict(list)
                out = self.baton_output("dump", "--step-list", "--json", *self.options, directory)
                for row in map(json.loads, out.decode("ascii").splitlines()):
                    steps[row["device"]].append((row["begin_ns"], row["end_ns"]))
                self.given += 1
            return steps[key]
        return of_device

    def classify(self, names):
        """{name: group} by `baton classify`, one line per name."""
        answer = self.baton_output("classify", stdin=b"".join(name + b"\n" for name in names))
        rows = answer.splitlines()
        if len(rows) != len(names):
            raise Failed("classify: %d lines for %d names" % (len(rows), len(names)))
        groups = {}
        for name, row in zip(names, rows):
            if not row.startswith(name + b"\t"):
                raise Failed("classify: %r for the name %r" % (row, name))
            groups[name] = row[len(name) + 1:].split(b"\t")[0].decode()
        return groups

    def compare_devices(self, label, ours, theirs):
        for key in sorted(set(ours) | set(theirs)):
            if key not in ours or key not in theirs:
                self.disagree(label, key, "device", key in ours, key in theirs)
                continue
            self.devices += 1
            self.compare_device(label, key, ours[key], theirs[key])

    def compare_sites(self, label, directory, tables):
        """All tables of given runs, of random ones each time another."""
        wanted = sites.TABLES if "/" in label else [sites.TABLES[self.runs % len(sites.TABLES)]]
        for by in wanted:
            try:
                out = self.baton_output("report", "--by", by, "--json", *self.options, directory)
                theirs = sites.table_of_report(json.loads(out))
            except (Failed, ValueError) as problem:
                if sites.tells(by, tables[by]) or "--by %s: " % by not in str(problem):
                    self.disagree(label, "all", "by " + by, "a table", problem)
                continue
            self.rows += len(theirs)
            for row in sorted(set(theirs) | set(tables[by])):
                self.same(label, "all", "by %s %r" % (by, row), tables[by].get(row),
                          theirs.get(row))

    def compare_device(self, label, key, ours, theirs):
        for name in DEVICE_NUMBERS:
            self.same(label, key, name, ours[name], theirs.get(name))
        for table in ("time_ns", "busy_ns"):
            for name in sorted(set(ours[table]) | set(theirs.get(table, {}))):
                self.leaves += table == "time_ns"
                label_of_row = name if table == "time_ns" else "busy_ns." + name
                self.same(label, key, label_of_row, ours[table].get(name, 0),
                          theirs.get(table, {}).get(name, 0))

        for name in sorted(set(ours["leaf_steps"]) | set(theirs.get("leaf_steps", {}))):
            self.same(label, key, "steps of " + name, ours["leaf_steps"].get(name),
                      theirs.get("leaf_steps", {}).get(name))

    def compare_copies(self, label, ours, theirs):
        """Of all devices."""
        fields = ("count", "total_ns", "bytes", "sized_ns")
        rows = {(row["device"], row["direction"], row["pageable"]): [row[f] for f in fields]
                for row in theirs}
        wanted = {(device["device"],) + way: row
                  for device in ours for way, row in device["copies"].items()}
        for key in sorted(set(rows) | set(wanted)):
            self.same(label, key[0], "copies %s %s" % key[1:], wanted.get(key), rows.get(key))

    def same(self, label, key, name, ours, theirs):
        if ours != theirs:
            self.disagree(label, key, name, ours, theirs)

    def disagree(self, label, key, name, ours, theirs):
        self.disagreements += 1
        print("%s\t%s\t%s\treference %s\tbaton %s" % (label, key, name, ours, theirs))


def kernel_names(lines):
    """The distinct names of kernels, as bytes."""
    names = set()
    for line in lines:
        if line.startswith('{"record":"op"'):
            row = json.loads(line)
            if row["op_kind"] == reference.KERNEL:
                names.add(reference.as_bytes(row["name"]))
    return sorted(names)


def seed_range(text):
    first, _, end = text.partition(":")
    return range(int(first), int(end))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--baton", required=True, help="the program to check")
    parser.add_argument("--seeds", metavar="A:B", type=seed_range, default=range(0))
    parser.add_argument("--run", metavar="DIR", nargs="+", default=[], action="extend")
    parser.add_argument("--step-range", metavar="NAME")
    args = parser.parse_args()
    comparison = Comparison(args.baton, args.step_range)
    for seed in args.seeds:
        with tempfile.TemporaryDirectory() as directory:
            random_traces.make_run(seed, directory)
            comparison.compare_run("seed %d" % seed, directory)
    for directory in args.run:
        comparison.compare_run(directory, directory)
    print("agreement: %d runs, %d devices, %d leaves, %d rows by place compared, in %d runs by"
          " the steps that baton found, %d disagreements" % (
              comparison.runs, comparison.devices, comparison.leaves, comparison.rows,
              comparison.given, comparison.disagreements))
    sys.exit(1 if comparison.disagreements or not comparison.leaves else 0)


if __name__ == "__main__":
    main()
