"""Compares docs/REFERENCE.md with JSON that was printed: reference.py PAGE FILE...

FILE is named N.SECTION, SECTION one of SECTIONS; it holds one JSON object on each line. Every key and its type have to stand in
the section's tables, every key of the tables has to be in a file (but UNPRINTED).
"""

import json
import re
import sys

SECTIONS = {"report": "`baton report --json`", "compare": "`baton compare --json`", "idle": "`baton dump --idle --json`",
            "steps": "`baton dump --step-list --json`",
            "stacks": "`baton dump --stacks --json`", "check": "`baton check --json`", "whatif": "`baton whatif --json`", "critical": "`baton report --critical --json`",
            "stragglers": "`baton stragglers --json`", "jitter": "`baton jitter --json`", "top": "`baton top --json`"}
GROUPS = {"matmul", "memory", "custom", "nccl", "other"}
# Keys below which names of the trace stand for LEAF, GROUP or GAUGE.
NAMED = {"time_ns": "LEAF", "terms_ns": "LEAF", "terms": "LEAF", "charged_ns": "LEAF", "charged": "LEAF", "leaf_steps": "LEAF", "not_carried": "LEAF", "busy_ns": "GROUP", "path_ns": "PART"}
# Needs more rows than are kept (4,096): tests/cli/by_case.sh looks at it.
UNPRINTED = {"by.rows[].rows"}


def tables_of(page):
    """{section: {key: set of types}}"""
    found, section = {}, None
    for line in open(page):
        start = re.match(r"(?:## )?(`baton [a-z -]+`)", line)
        if start and start[1] in SECTIONS.values():
            section = start[1]
        row = re.match(r"\| `([^`]+)` \| ([a-z ]+) \|", line)
        if row:
            types = {kind.split(" of ")[0] for kind in row[2].strip().split(" or ")}
            found.setdefault(section, {})[row[1]] = types
    return found


def type_of(value):
    return {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object",
            type(None): "null"}[type(value)]


def keys_in(value, path, seen):
    """Adds {key: set of types} of all that is in `value`."""
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                keys_in(item, path + "[]", seen)
        return
    parent = re.sub(r"\[\]$", "", path).split(".")[-1]
    for name, item in value.items():
        name = NAMED.get(parent, name)
        at = path + "." + name if path else name
        if path == "devices[].gpu" and isinstance(item, dict) and name != "slowed":
            seen.setdefault(at, set()).add("object")
            at = "devices[].gpu.GAUGE"
        else:
            seen.setdefault(at, set()).add(type_of(item))
        if isinstance(item, (dict, list)):
            keys_in(item, at, seen)


def unique(pairs):
    """An object, if no key is in it twice."""
    keys = [name for name, _ in pairs]
    for name in keys:
        if keys.count(name) > 1:
            sys.exit("the key %s is twice in one object" % name)
    return dict(pairs)


def leaves_of(page):
    """The names that the page lists below its heading Leaves."""
    text = open(page).read().split("\n## Leaves\n")[1].split("\n## ")[0]
    return set(re.findall(r"`((?:work|nccl|copy|idle)\.[a-z_.]+)`", text))


def main():
    page, files = sys.argv[1], sys.argv[2:]
    tables, seen, wrong = tables_of(page), {}, []
    leaves, printed_leaves = leaves_of(page), set()
    for name in files:
        section = SECTIONS[name.rsplit(".", 1)[1]]
        for line in open(name, errors="surrogateescape"):
            whole = json.loads(line, object_pairs_hook=unique)
            keys_in(whole, "", seen.setdefault(section, {}))
            for device in whole.get("devices", []):
                printed_leaves |= set(device.get("time_ns", ()))
            printed_leaves |= set(whole.get("quality", {}).get("not_carried", {}))
    for section, table in tables.items():
        for key in sorted(set(seen[section]) - set(table)):
            wrong.append("%s: %s is printed and not on the page" % (section, key))
        for key in sorted(set(table) - set(seen[section]) - UNPRINTED):
            wrong.append("%s: %s is on the page and was not printed" % (section, key))
        for key in sorted(set(table) & set(seen[section])):
            kinds, said = seen[section][key], table[key]
            if "number" in said:
                kinds = kinds - {"integer"}
            if kinds - said:
                wrong.append("%s: %s is %s, the page says %s" % (section, key, sorted(kinds), sorted(said)))
    for leaf in sorted(printed_leaves ^ leaves):
        wrong.append("the leaf %s is %s" % (leaf, "not on the page" if leaf in printed_leaves else "never printed"))
    print("\n".join(wrong) or "%d keys" % sum(map(len, tables.values())))
    sys.exit(bool(wrong))


main()
