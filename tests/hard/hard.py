#!/usr/bin/env python3
"""The twenty rows of docs/RELIABILITY.md: runs them, one program a row (row.py), and prints the table.

    hard.py [--rows "1 3 13"] [--seconds S] [--state DIR] [--again] [--table] [--write PAGE]

The state directory (tests/hard/reached, which is checked in) has a small file for each row: what each commit has reached on which kind of
machine, what was wrong, how long it took. A row goes on where it stopped, also in a fresh checkout and at another commit: cases are numbered,
so a case that is done is not done again, and what several commits have reached may be added. When a row's program changes what its cases are,
it raises VERSION, and the row begins anew. A row that has reached its target, or has no cases left, is not run again; --again begins anew.
--seconds is the budget of a row, so less than the target may be reached: the table has the number. --table only prints it; --write puts it
into a page, between the lines "<!-- hard -->" and "<!-- /hard -->". Status 1 when something was wrong at the newest commit of any row that
was run or is stored.
"""
import argparse
import datetime
import glob
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
SLACK_S = 900  # a piece that has begun ends


def load(path):
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows():
    found = [(path, load(path)) for path in glob.glob(os.path.join(HERE, "[0-9][0-9]_*.py"))]
    return {module.NUMBER: (path, module) for path, module in sorted(found)}


def commit():
    """The commit that is tried, with a "+" when files of it are changed; "" where there is no repository."""
    def git(*words):
        return subprocess.run(["git", "-C", HERE, *words], capture_output=True, text=True)
    try:
        head = git("rev-parse", "--short=10", "HEAD")
        changed = git("diff", "--quiet", "HEAD", "--", ":/", ":(exclude)reached")
    except OSError:
        return ""
    return head.stdout.strip() + ("+" if changed.returncode else "") if head.returncode == 0 else ""


def machine():
    """The kind of machine: nothing that names one."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    return "%d cores, %d GiB, %s" % (len(os.sched_getaffinity(0)), memory, platform.machine())


class State:
    """What is known of one row, in a file of its own: a part for each commit and kind of machine."""

    def __init__(self, folder, number, version=1):
        self.path = os.path.join(folder, "%02d.json" % number)
        self.known = {"version": version, "over": False, "said": "", "parts": []}
        if os.path.exists(self.path):
            with open(self.path) as file:
                known = json.load(file)
            if known["version"] == version:
                self.known = known

    def part(self, at, kind):
        """Where what is run now goes: the newest part, or one more."""
        parts = self.known["parts"]
        if not parts or (parts[-1]["commit"], parts[-1]["machine"]) != (at, kind):
            parts.append({"commit": at, "machine": kind, "date": "", "reached": 0, "wrong": 0, "seconds": 0, "sums": {}})
        return parts[-1]

    def add(self, part, end):
        part["reached"] += end["done"]
        part["wrong"] += end["wrong"]
        part["seconds"] = round(part["seconds"] + end["seconds"], 1)
        for name, value in end["sums"].items():
            part["sums"][name] = merged(name, part["sums"].get(name), value)
        part["date"] = datetime.date.today().isoformat()

    def total(self):
        """All parts, added up; `wrong` by commit."""
        sums = {}
        for part in self.known["parts"]:
            for name, value in part["sums"].items():
                sums[name] = merged(name, sums.get(name), value)
        parts = self.known["parts"]
        return {"reached": sum(part["reached"] for part in parts), "seconds": sum(part["seconds"] for part in parts), "sums": sums,
                "wrong": sum(part["wrong"] for part in parts), "date": parts[-1]["date"] if parts else "", "said": self.known["said"]}

    def wrong_now(self):
        """Of the newest commit: what was wrong before is mended, or comes again."""
        parts = self.known["parts"]
        return sum(part["wrong"] for part in parts if part["commit"] == parts[-1]["commit"])

    def save(self):
        with open(self.path + ".part", "w") as file:
            json.dump(self.known, file, indent=1)
            file.write("\n")
        os.replace(self.path + ".part", self.path)


def merged(name, old, new):
    """Sums of counts; the largest of what grows or is most; the newest of all else."""
    if old is None or not isinstance(new, int) or name.endswith(("_percent", "_from", "_to", "_take", "hour", "kinds")):
        return new
    return max(old, new) if name.startswith("most") or name.endswith(("kib", "_edges")) else old + new


def version_of(module):
    return getattr(module, "VERSION", 1)


def run(path, module, state, seconds):
    """The row from where it stopped; what it says goes on to our output."""
    reached = state.total()["reached"]
    at, kind = commit(), machine()
    command = [sys.executable, path, "--first", str(reached), "--most", str(module.TARGET - reached), "--seconds", str(seconds)]
    try:
        end = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds + SLACK_S)
        lines, status = end.stdout.splitlines() or ["it says nothing"], end.returncode
    except subprocess.TimeoutExpired:
        lines, status = ["still at it %d s after its time" % SLACK_S], 1
    state.known["said"] = ""
    print("\n".join(lines[:-1]), end="\n" if lines[1:] else "", flush=True)
    try:
        told = json.loads(lines[-1])
        state.known["over"] = told["done"] == 0
    except ValueError:
        state.known["said"] = lines[-1]
        told = {"done": 0, "wrong": int(status != 77), "seconds": 0, "sums": {}}
    if told["done"] or told["wrong"]:  # a row that was skipped says nothing of its commit
        state.add(state.part(at, kind), told)
    state.save()


def cell(module, total):
    reached = "{:,}".format(total["reached"]) if total["reached"] else total["said"] or "not run"
    sums = ", ".join("%s %s" % (name.replace("_", " "), "{:,}".format(n) if isinstance(n, int) else n) for name, n in total["sums"].items())
    return reached + " " + module.UNIT if total["reached"] else reached, sums


def by_commit(parts):
    """What each commit has reached, and what was wrong at it."""
    told = {}
    for part in parts:
        reached, wrong = told.get(part["commit"], (0, 0))
        told[part["commit"]] = reached + part["reached"], wrong + part["wrong"]
    return ", ".join("%s%s at %s" % ("{:,}".format(reached), " (%d wrong)" % wrong if wrong else "", at or "no commit")
                     for at, (reached, wrong) in told.items())


def table(folder):
    """Markdown: the table, then what each row counted, at which commits, and what it lacks."""
    lines = ["| row | test | target | reached | wrong | date | time |", "|---|---|---:|---:|---:|---|---:|"]
    details, kinds = [], set()
    for number, (_, module) in rows().items():
        state = State(folder, number, version_of(module))
        total, parts = state.total(), state.known["parts"]
        kinds.update(part["machine"] for part in parts)
        reached, sums = cell(module, total)
        seconds = total["seconds"]
        took = "%.0f s" % seconds if seconds < 600 else "%.0f min" % (seconds / 60)
        lines.append("| %d | %s | %s | %s | %s | %s | %s |" % (
            number, module.NAME, "{:,} {}".format(module.TARGET, module.UNIT), reached,
            total["wrong"] if total["reached"] else "", total["date"], took if total["reached"] else ""))
        about = ". ".join(filter(None, [by_commit(parts), sums, module.NOTE and "It lacks: " + module.NOTE]))
        if about:
            details.append("- Row %d: %s." % (number, about))
    if kinds:
        details.append("- Machines: %s." % "; ".join(sorted(kinds)))
    return lines + [""] + [line for detail in details for line in wrapped(detail)]


def wrapped(text, width=100):
    out, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            out.append(line)
            line = "  " + word
        else:
            line = line + " " + word if line else word
    return out + [line]


def write(page, lines):
    with open(page) as file:
        text = file.read()
    new, n = re.subn(r"(<!-- hard -->\n).*?(<!-- /hard -->)", lambda m: m[1] + "\n".join(lines) + "\n" + m[2], text, flags=re.S)
    if n != 1:
        sys.exit("hard.py: %s: no place for the table" % page)
    with open(page, "w") as file:
        file.write(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="")
    parser.add_argument("--seconds", type=float, default=7200)
    parser.add_argument("--state", default=os.path.join(HERE, "reached"))
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write")
    options = parser.parse_args()
    os.makedirs(options.state, exist_ok=True)
    every = rows()
    asked = [int(text) for text in options.rows.replace(",", " ").split()] or list(every)
    unknown = [str(number) for number in asked if number not in every]
    if unknown:
        sys.exit("hard.py: no row %s" % " ".join(unknown))
    for number in [] if options.table else asked:
        path, module = every[number]
        state = State(options.state, number, version_of(module))
        if options.again and os.path.exists(state.path):
            os.remove(state.path)
            state = State(options.state, number, version_of(module))
        total = state.total()
        if total["reached"] >= module.TARGET or state.known["over"]:
            print("row %d, %s: done on %s" % (number, module.NAME, total["date"]), flush=True)
            continue
        run(path, module, state, options.seconds)
        total = state.total()
        print("row %d, %s: %s of %s, %d wrong" % (number, module.NAME, cell(module, total)[0], "{:,}".format(module.TARGET), total["wrong"]),
              flush=True)
    lines = table(options.state)
    print("\n".join([""] + lines))
    if options.write:
        write(options.write, lines)
    return any(State(options.state, number, version_of(every[number][1])).wrong_now() for number in asked)


if __name__ == "__main__":
    sys.exit(main())
