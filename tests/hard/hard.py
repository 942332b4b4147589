#!/usr/bin/env python3
"""The twenty rows of docs/RELIABILITY.md: runs them, one program a row (row.py), and prints the table.

    hard.py [--rows "1 3 13"] [--seconds S] [--state DIR] [--again] [--table] [--write PAGE]

The state directory (build/hard) has a file for each row: how far it has come, what was wrong, how long it took. A row that has
reached its target, or has no cases left, is not run again; one that has not goes on where it stopped. --again begins anew. --seconds
is the budget of a row, so less than the target may be reached: the table has the number. --table only prints it; --write puts it into
a page, between the lines "<!-- hard -->" and "<!-- /hard -->". Status 1 when something was wrong in any row that was run or is stored.
"""
import argparse
import datetime
import glob
import importlib.util
import json
import os
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


class State:
    """What is known of one row, in a file of its own."""

    def __init__(self, folder, number):
        self.path = os.path.join(folder, "%02d.json" % number)
        self.known = {"reached": 0, "wrong": 0, "seconds": 0, "sums": {}, "date": "", "said": "", "over": False}
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.known.update(json.load(file))

    def add(self, end):
        self.known["reached"] += end["done"]
        self.known["wrong"] += end["wrong"]
        self.known["seconds"] = round(self.known["seconds"] + end["seconds"], 1)
        for name, value in end["sums"].items():
            self.known["sums"][name] = merged(name, self.known["sums"].get(name), value)

    def save(self):
        self.known["date"] = datetime.date.today().isoformat()
        with open(self.path + ".part", "w") as file:
            json.dump(self.known, file, indent=1)
        os.replace(self.path + ".part", self.path)


def merged(name, old, new):
    """Sums of counts; the largest of what grows or is most; the newest of all else."""
    if old is None or not isinstance(new, int) or name.endswith(("_percent", "_from", "_to", "_take", "hour", "kinds")):
        return new
    return max(old, new) if name.startswith("most") or name.endswith("kib") else old + new


def run(path, module, state, seconds):
    """The row from where it stopped; what it says goes on to our output."""
    reached = state.known["reached"]
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
        state.add(told)
        state.known["over"] = told["done"] == 0
    except ValueError:
        state.known["said"] = lines[-1]
        state.known["wrong"] += status != 77
    state.save()


def cell(module, state):
    reached = "{:,}".format(state["reached"]) if state["reached"] else state["said"] or "not run"
    sums = ", ".join("%s %s" % (name.replace("_", " "), "{:,}".format(n) if isinstance(n, int) else n) for name, n in state["sums"].items())
    return reached + " " + module.UNIT if state["reached"] else reached, sums


def table(folder):
    """Markdown: the table, then what each row counted and what it lacks."""
    lines = ["| row | test | target | reached | wrong | date | time |", "|---|---|---:|---:|---:|---|---:|"]
    details = []
    for number, (_, module) in rows().items():
        state = State(folder, number).known
        reached, sums = cell(module, state)
        seconds = state["seconds"]
        took = "%.0f s" % seconds if seconds < 600 else "%.0f min" % (seconds / 60)
        lines.append("| %d | %s | %s | %s | %s | %s | %s |" % (
            number, module.NAME, "{:,} {}".format(module.TARGET, module.UNIT), reached,
            state["wrong"] if state["reached"] else "", state["date"], took if state["reached"] else ""))
        about = ". ".join(filter(None, [sums, module.NOTE and "It lacks: " + module.NOTE]))
        if about:
            details.append("- Row %d: %s." % (number, about))
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
    parser.add_argument("--state", default="build/hard")
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
        state = State(options.state, number)
        if options.again and os.path.exists(state.path):
            os.remove(state.path)
            state = State(options.state, number)
        if state.known["reached"] >= module.TARGET or state.known["over"]:
            print("row %d, %s: done on %s" % (number, module.NAME, state.known["date"]), flush=True)
            continue
        run(path, module, state, options.seconds)
        print("row %d, %s: %s of %s, %d wrong" % (number, module.NAME, cell(module, state.known)[0], "{:,}".format(module.TARGET),
                                                 state.known["wrong"]), flush=True)
    lines = table(options.state)
    print("\n".join([""] + lines))
    if options.write:
        write(options.write, lines)
    return any(State(options.state, number).known["wrong"] for number in asked)


if __name__ == "__main__":
    sys.exit(main())
