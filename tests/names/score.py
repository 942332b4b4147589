#!/usr/bin/env python3
"""Scores `baton classify` against the hand-made labels.

    score.py --baton build/release/baton [--labels tests/names/labels.tsv] [--verbose]

Prints the share of names and of GPU time whose group, class and tensor-core flag are right, and every wrong group.
Status 1 when fewer than 97 % of the names or 99 % of the time have the right group.
"""

import argparse
import os
import subprocess
import sys

LEAST_NAMES, LEAST_TIME = 0.97, 0.99


def read_labels(path):
    with open(path, encoding="utf-8") as file:
        header = file.readline().rstrip("\n").split("\t")
        return [dict(zip(header, line.rstrip("\n").split("\t"))) for line in file]


def classify(baton, names):
    output = subprocess.run([baton, "classify"], input="".join(name + "\n" for name in names), text=True,
                            capture_output=True, check=True).stdout
    rows = [line.split("\t") for line in output.splitlines()]
    return [dict(zip(("name", "group", "class", "tensor_core", "rule"), row)) for row in rows]


def share(labels, right, weight):
    total = sum(weight(label) for label in labels)
    return sum(weight(label) for label, good in zip(labels, right) if good) / total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--baton", required=True)
    parser.add_argument("--labels", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "labels.tsv"))
    parser.add_argument("--verbose", action="store_true", help="print wrong classes too")
    options = parser.parse_args()
    labels = read_labels(options.labels)
    got = classify(options.baton, [label["name"] for label in labels])
    assert len(got) == len(labels), "classify printed another number of lines"
    shares = {}
    for key in ("group", "class", "tensor_core"):
        right = [label[key] == row[key] for label, row in zip(labels, got)]
        shares[key] = (share(labels, right, lambda _: 1), share(labels, right, lambda label: int(label["total_ns"])))
        for label, row, good in zip(labels, got, right):
            if not good and (key == "group" or options.verbose):
                print(f"{key}: {row[key]} ({row['rule']}), labelled {label[key]}: {label['name'][:150]}")
    for key, (names, time) in shares.items():
        print(f"{key}: {100 * names:.2f} % of {len(labels)} names, {100 * time:.2f} % of the time right")
    names, time = shares["group"]
    return 0 if names >= LEAST_NAMES and time >= LEAST_TIME else 1


if __name__ == "__main__":
    sys.exit(main())
