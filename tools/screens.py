#!/usr/bin/env python3
"""The screens of the documents: runs the commands that a page shows and compares what they print.

A fenced block with lines that begin with "$ " is a screen: each such line is a command (lines that end in a
backslash go on), and what stands below it is what the command prints, on both streams. All commands of a page run
in order, in one scratch directory that looks like a built clone. A comment before the block changes that:

    <!-- screen: cut SED -->       the output is shown through `sed -n -e SED`
    <!-- screen: varies -->        the command is run; what it prints differs from run to run
    <!-- screen: not run: WHY -->  the command is not run (it installs, clones, takes long, needs a GPU)
    <!-- screen: status N -->      the command ends with status N (default 0)
    <!-- screen: needs torch -->   the command is run where PyTorch is installed (tests/torch/install.sh)
    <!-- screen: file NAME -->     no command: the block is written into the scratch directory as this file

Several comments may precede a block. usage: screens.py [--write] PAGE.md...
--write puts the new output into the pages. Needs baton, baton-sim, simtrain and the doubles (BUILD, build/release).
"""
import os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build/release")))
DATA = os.path.abspath(os.environ.get("BATON_DATA", os.path.join(ROOT, "../shared/data")))
TORCH = os.path.join(ROOT, "build/torch/2.15.0")
# What a page may run here; anything else has to be marked as not run.
PROGRAMS = re.compile(r"(\w+=\S+ )*(baton|baton-sim|build/release/[\w-]+|python3? |cat |ls |head |grep )")
MARK = re.compile(r"<!-- screen: (.*?) -->")
# A training command on this machine: the simulated job under the name that users know.
TORCHRUN = """#!/bin/sh
for word; do case $word in --nproc[-_]per[-_]node=*) n=${word#*=} ;; esac; done
exec "%s/simlaunch" -n "${n:-1}" -- "%s/simtrain" --steps 20
""" % (BUILD, BUILD)
PYTHON = """#!/bin/sh
case $1 in train.py) exec "%s/simtrain" --steps 20 ;; esac
exec %s "$@"
""" % (BUILD, sys.executable)


class Block:
    def __init__(self, marks, first, lines):
        self.first, self.lines, self.cut, self.varies, self.why, self.status = first, lines, None, False, None, 0
        self.torch, self.file = False, None
        for mark in marks:
            word, _, rest = mark.partition(" ")
            if word == "cut":
                self.cut = rest
            elif word == "varies":
                self.varies = True
            elif word == "not":
                self.why = rest.partition(":")[2].strip()
            elif word == "needs":
                self.torch = True
            elif word == "file":
                self.file = rest
            elif word == "status":
                self.status = int(rest)
            else:
                sys.exit("screens.py: unknown mark '%s'" % mark)

    def commands(self):
        """[(lines of the command, the output below it)]"""
        found = []
        for line in self.lines:
            if line.startswith("$ "):
                found.append(([line], []))
            elif found and found[-1][0][-1].endswith("\\") and not found[-1][1]:
                found[-1][0].append(line)
            elif found:
                found[-1][1].append(line)
        return found


def blocks_of(lines):
    marks, at = [], 0
    while at < len(lines):
        mark = MARK.fullmatch(lines[at].strip())
        if mark:
            marks.append(mark[1])
        elif lines[at].startswith("```"):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith("```"))
            block = Block(marks, at + 1, lines[at + 1:end])
            if block.file or any(line.startswith("$ ") for line in block.lines):
                yield block
            marks, at = [], end
        elif lines[at].strip():
            marks = []
        at += 1


def scratch_in(directory):
    """What a clone looks like to the commands of a page."""
    os.makedirs(directory + "/clone/build")
    os.makedirs(directory + "/bin")
    os.symlink(BUILD, directory + "/clone/build/release")
    os.symlink(os.path.dirname(TORCH), directory + "/clone/build/torch")
    for name in ("tests", "tools", "docs"):
        os.symlink(os.path.join(ROOT, name), directory + "/clone/" + name)
    for name, text in (("torchrun", TORCHRUN), ("python", PYTHON)):
        with open(directory + "/bin/" + name, "w") as file:
            file.write(text)
        os.chmod(directory + "/bin/" + name, 0o755)
    environment = dict(os.environ, BATON_DATA=DATA, NO_COLOR="1", LC_ALL="C", COLUMNS="100",
                       PATH="%s/bin:%s:%s" % (directory, BUILD, os.environ["PATH"]))
    for name in ("BATON", "DIGEST", "BUILD"):
        environment.pop(name, None)
    return directory + "/clone", environment


def printed_by(command, block, place, environment):
    text = " ".join(line.rstrip("\\").strip() for line in command)[2:]
    if not PROGRAMS.match(text):
        raise AssertionError("%s: not a command that this script runs: mark it as not run" % text)
    done = subprocess.run(["sh", "-c", text], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    out = done.stdout.replace(DATA.encode(), b"../shared/data")
    if done.returncode != block.status:
        raise AssertionError("%s: status %d, expected %d\n%s" %
                             (text, done.returncode, block.status, out.decode(errors="replace")[-600:]))
    if block.cut:
        out = subprocess.run(["sed", "-n", "-e", block.cut], input=out, stdout=subprocess.PIPE, check=True).stdout
    return [line.rstrip() for line in out.decode().splitlines()]


def why_not(command, block, lacking):
    """The reason that a command of a page is not run here. What it would have made is lacking from then on."""
    text, why = "".join(command), block.why
    if "$BATON_DATA" in text and not os.path.isdir(DATA):
        why = "no sample profiles"
    elif block.torch and not os.path.isdir(TORCH):
        why = "PyTorch is not installed"
    elif "/san-" in BUILD and " record " in text:
        why = "a preloaded library cannot bring a sanitizer's runtime"
    elif any(run in lacking for run in re.findall(r"runs/\w+", text)):
        why = "made by a command that was not run"
    if why is not None:
        lacking.update(re.findall(r"runs/\w+", text))
    return why


def run_page(path, write, failures):
    with open(path) as file:
        lines = file.read().split("\n")
    new, last, count, skipped, lacking = [], 0, 0, 0, set()
    with tempfile.TemporaryDirectory() as directory:
        place, environment = scratch_in(directory)
        for block in blocks_of(lines):
            new += lines[last:block.first]
            last = block.first + len(block.lines)
            body = list(block.lines) if block.file else []
            if block.file:
                with open(os.path.join(place, block.file), "w") as file:
                    file.write("\n".join(block.lines) + "\n")
            for command, shown in block.commands():
                body += command
                if why_not(command, block, lacking) is not None:
                    body += shown
                    skipped += 1
                    continue
                count += 1
                try:
                    printed = printed_by(command, block, place, environment)
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    failures.append("%s: %s" % (path, error))
                    printed = shown
                if block.varies:
                    printed = shown
                elif printed != shown and not write:
                    gone = [line for line in shown if line not in printed]
                    come = [line for line in printed if line not in shown]
                    failures.append("%s:%d: %s prints something else\n  page:    %s\n  command: %s" % (
                        path, block.first + 1, command[0], "\n           ".join(gone), "\n           ".join(come)))
                body += printed
            new += body
    new += lines[last:]
    if write and new != lines:
        with open(path, "w") as file:
            file.write("\n".join(new))
    return count, skipped


def main():
    write, pages = "--write" in sys.argv, [word for word in sys.argv[1:] if word != "--write"]
    failures, count, skipped = [], 0, 0
    for page in pages:
        ran, left = run_page(page, write, failures)
        count, skipped = count + ran, skipped + left
    for failure in failures:
        print("FAIL: " + failure)
    if not count and not skipped:
        sys.exit("screens.py: no command was found")
    print("%d commands run, %d not run, %d failed" % (count, skipped, len(failures)))
    sys.exit(bool(failures))


main()
