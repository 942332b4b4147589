"""imports_check.py DIRECTORY LIST...: each symbol of the lists against the dynamic symbols of the
library in DIRECTORY that has its soname: name, version node, function or object."""

import pathlib
import re
import subprocess
import sys

SYMBOL = re.compile(r"^\s*\d+: \S+\s+\d+ (\w+)\s+(?:GLOBAL|WEAK)\s+DEFAULT\s+(\w+) ([^\s@]+)(?:@@(\S+))?$")


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def exported(path):
    """Name -> (version node or -, func or object)."""
    symbols = {}
    for line in readelf("--dyn-syms", path).splitlines():
        found = SYMBOL.match(line)
        if found and found[2] != "UND":
            symbols[found[3]] = (found[4] or "-", "object" if found[1] == "OBJECT" else "func")
    return symbols


def main():
    directory, lists = pathlib.Path(sys.argv[1]), sys.argv[2:]
    wanted, needed = set(), set()
    for path in lists:
        for line in pathlib.Path(path).read_text().splitlines():
            if found := re.match(r"# (lib\S+): \d+$", line):
                needed.add(found[1])
            elif line and not line.startswith("#"):
                wanted.add(tuple(line.split()))
    assert len(wanted) > 1000, f"only {len(wanted)} symbols in {lists}"
    wrong = []
    for library in sorted(needed | {row[0] for row in wanted}):
        path = directory / library
        if not path.exists():
            wrong.append(f"no {library}")
            continue
        soname = re.search(r"\(SONAME\).*\[(.*)\]", readelf("-d", path))
        if not soname or soname[1] != library:
            wrong.append(f"{library}: its soname is {soname and soname[1]}")
        symbols = exported(path)
        for _, node, kind, name in sorted(row for row in wanted if row[0] == library):
            if symbols.get(name) != (node, kind):
                wrong.append(f"{library}: {kind} {name}@{node}, there is {symbols.get(name)}")
    print(*wrong, sep="\n")
    print(f"{len(wanted)} symbols of {len(needed)} libraries, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


main()
