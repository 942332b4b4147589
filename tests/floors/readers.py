#!/usr/bin/env python3
"""Who reads a file that may hold anything checks what it takes from it by baton/bounds.h.

    readers.py [ROOT]

A reader is a file of reducer/ and include/codec/ that calls for bytes of a file or decodes them (READS). It calls baton_holds(), or
readers.txt says why it takes no size, count or offset from what it reads: a line "PATH: WHY". Prints what is wrong, a line each; status 1.
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TREES = ("reducer", "include/codec")
READS = re.compile(r"\b(mmap|p?read|fread|fgets|getline|gzread|inflate|ZSTD_decompress\w*|sqlite3_column_(?:bytes|blob)|(?:little|big)_endian)\(")
CHECKS = re.compile(r"\bbaton_holds\(")


def sources(root):
    for tree in TREES:
        for at, _, names in sorted(os.walk(os.path.join(root, tree))):
            for name in sorted(names):
                if name.endswith((".c", ".cpp", ".h")):
                    path = os.path.join(at, name)
                    with open(path, errors="replace") as file:
                        yield os.path.relpath(path, root), re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read(), flags=re.S)


def excused(path):
    with open(path) as file:
        return dict(line.rstrip("\n").split(": ", 1) for line in file if line.strip() and not line.startswith("#"))


def wrong(root, known):
    """A line for each reader without a check, and for each line of `known` that is not needed."""
    found = {path for path, text in sources(root) if READS.search(text) and not CHECKS.search(text)}
    return ["%s reads a file and checks nothing by baton_holds(); if it takes no size from it, tests/floors/readers.txt has to say so" % path
            for path in sorted(found - set(known))] + \
        ["tests/floors/readers.txt: %s needs no line: it is not there, reads nothing, or checks" % path for path in sorted(set(known) - found)]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..")
    lines = wrong(root, excused(os.path.join(HERE, "readers.txt")))
    print("\n".join(lines) or "%d readers check what they take, %d take nothing" %
          (sum(bool(READS.search(text) and CHECKS.search(text)) for _, text in sources(root)), len(excused(os.path.join(HERE, "readers.txt")))))
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
