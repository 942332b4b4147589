"""What the recorder made of a fixture of a real GPU, against what the probe counted and timed there itself:
replay_figures.py FIGURES FIXTURE DUMP. FIGURES has a line `fixture | what | number...` for each figure, DUMP is `baton dump --json`.
"""
import collections
import json
import os
import sys

import replayed

OPS = {1: "kernels", 2: "copies", 3: "memsets", 4: "graphs"}


def spread(values):
    """The probe's: nearest rank."""
    values = sorted(values)
    return (values[0], values[(len(values) + 1) // 2 - 1], values[-1])


def lengths(ops, kind):
    return [op["dur_ns"] for op in ops if op["op_kind"] == kind]


def copy_rates(ops):
    """MB/s as the probe has it, cut to whole ones."""
    groups = collections.defaultdict(list)
    for op in ops:
        if op["op_kind"] == 2:
            way = {1: "H2D", 2: "D2H"}.get(op["copy_dir"], "other")
            groups[f"{way} {'pageable' if op['pageable'] else 'pinned'} {op['bytes'] >> 10} KiB, MB/s"].append(op["bytes"] * 1000 // op["dur_ns"])
    return {name: (len(rates), *spread(rates)) for name, rates in groups.items()}


def node_gaps(ops):
    launches = collections.defaultdict(list)
    for op in sorted((op for op in ops if op["op_kind"] == 1), key=lambda op: op["start_ns"]):
        launches[op["correlation"]].append(op)
    return [b["start_ns"] - a["start_ns"] - a["dur_ns"] for nodes in launches.values() for a, b in zip(nodes, nodes[1:])]


def early_starts(ops, calls):
    """(before the call began, before it returned), by the probe's log of callbacks."""
    at = {(call[3], call[7]): call[0] for call in calls}
    kernels = [op for op in ops if op["op_kind"] == 1 and (op["correlation"], 1) in at]
    return (sum(op["start_ns"] < at[op["correlation"], 0] for op in kernels), sum(op["start_ns"] < at[op["correlation"], 1] for op in kernels))


def pairs(calls):
    """(pairs of enter and exit, those with the data of their enter, ends without a begin)."""
    begun, ended, carried = {}, 0, 0
    for i, (_ns, data, cbid, correlation, tid, _context, domain, site) in enumerate(calls):
        key = (tid, domain, cbid, correlation)
        if domain in (1, 2) and site == 0:
            begun[key] = i
        elif domain in (1, 2) and key in begun:
            ended += 1
            carried += data == begun.pop(key) + 1
    return (ended, carried, len(begun))


def backwards(records):
    """How many end before the one in front of them, in the order in which CUPTI handed them out."""
    ends = [key[0] + key[1] for r in records for key in replayed.expected_ops({}, [r])[0]]
    return sum(b < a for a, b in zip(ends, ends[1:]))


def figures(name, fixture, rows):
    _names, records, calls = replayed.read(fixture)
    ops = [r for r in rows if r["record"] == "op"]
    found = {what: (sum(op["op_kind"] == kind for op in ops),) for kind, what in OPS.items()}
    found["kernels lost"] = (sum(r["count"] for r in rows if r["record"] == "loss"),)
    found["overheads"] = (sum(r["record"] == "overhead" and not (r["name"] or "").startswith("baton") for r in rows),)
    found["pairs of callbacks, with data, open"] = pairs(calls)
    found["streams"] = (len({op["stream"] for op in ops}),)
    found["starts before the call began, returned"] = early_starts(ops, calls)
    found["records, ending before the one in front"] = (len(records), backwards(records))
    found.update(copy_rates(ops))
    for kind in OPS:
        if lengths(ops, kind):
            found[f"length of {OPS[kind]}, ns"] = spread(lengths(ops, kind))
    if name == "graph_nodes":
        found["gap between nodes, ns"] = spread(node_gaps(ops))
    return found


def main(table, fixture, dump):
    name = os.path.basename(fixture).removesuffix(".fixture")
    found = figures(name, fixture, [json.loads(line) for line in open(dump)])
    wrong = checked = 0
    for line in open(table):
        which, what, numbers = ([part.strip() for part in line.split("|")] + ["", ""])[:3]
        if which != name:
            continue
        checked += 1
        expected = tuple(int(number) for number in numbers.split())
        if found.get(what) != expected:
            print(f"{what}: {expected} expected, {found.get(what)} found")
            wrong += 1
    print(f"{checked} figures, {wrong} wrong")
    return wrong > 0 or not checked


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
