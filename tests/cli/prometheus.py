"""Is this text in Prometheus' exposition format, by its conventions, and does the board show it?

prometheus.py METRICS.md grafana.json < TEXT
Strict: each family has HELP, then TYPE, then its samples, once and together; names and labels by the data model; values are numbers; no
two samples are alike; counters end in _total, and only they; units are base units, plural, at the end. METRICS.md has the families that
are there with their types and labels, and all that the board asks for. Prints the samples as one JSON object, by name: [labels, value].
"""
import json
import re
import sys

NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*\Z")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')
NOT_BASE = re.compile(r"_(ms|ns|us|milliseconds|nanoseconds|minutes|hours|mhz|percent|kb|mb|gb|kib|mib|gib|milliwatts)(_|\Z)")


def documented(path):
    """Families of the table: name -> (type, labels)."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*)\|", open(path).read(), re.M)
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def labels_of(text):
    labels, at = {}, 0
    while at < len(text):
        match = LABEL.match(text, at)
        assert match and match[1] not in labels and not match[1].startswith("__"), f"bad labels: {text}"
        labels[match[1]] = match[2]
        at = match.end()
        assert at == len(text) or text[at] == ",", f"bad labels: {text}"
        at += 1
    return labels


def families(text):
    assert text.endswith("\n"), "the last line is not ended"
    assert all(c == "\n" or c.isprintable() for c in text), "a control character"
    found, helped, current = {}, None, None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            helped = line.split(" ", 3)[2]
            assert len(line.split(" ", 3)) == 4 and helped not in found, line
            current = None
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert name == helped and kind in ("gauge", "counter") and NAME.match(name), line
            current, found[name] = name, (kind, [])
        else:
            match = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line)
            assert match and match[1] == current, f"not a sample of {current}: {line}"
            found[current][1].append((labels_of(match[2]), float(match[3])))
    return found


def check(found, table):
    for name, (kind, samples) in found.items():
        assert name in table and table[name][0] == kind, f"METRICS.md has no {kind} {name}"
        assert (kind == "counter") == name.endswith("_total") and not NOT_BASE.search(name), name
        assert len({tuple(sorted(labels.items())) for labels, _ in samples}) == len(samples), f"{name}: a sample comes twice"
        for labels, value in samples:
            assert set(labels) - {"run"} == table[name][1] and "run" in labels, f"{name}: {labels}"
            assert value == value and abs(value) != float("inf"), f"{name}: {value}"
            assert not name.endswith("_ratio") or -1e-9 <= value <= 1 + 1e-9, f"{name}: {value}"


def asked(board):
    return {name for panel in board["panels"] for target in panel["targets"] for name in re.findall(r"\bbaton_\w+", target["expr"])}


table, board = documented(sys.argv[1]), json.load(open(sys.argv[2]))
found = families(sys.stdin.buffer.read().decode("utf-8"))
check(found, table)
assert asked(board) <= set(table), f"the board asks for {asked(board) - set(table)}"
for panel in board["panels"]:
    for target in panel["targets"]:
        names = re.findall(r"\bbaton_\w+", target["expr"])
        known = {"run"}.union(*(table[name][1] for name in names))
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= known, target
json.dump({name: samples for name, (_, samples) in found.items()}, sys.stdout)
