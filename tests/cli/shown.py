#!/usr/bin/env python3
"""shown.py BATON PAGE.md...: the commands that pages show without a prompt (tools/screens.py runs those behind a "$ ").

Each line of such a block is run, checked, or one of EXCEPTIONS, which says why it is not run here. `baton COMMAND` must be a command
and its options must be options of that command, wherever it stands in a block; a target of make must exist; Python must compile.
Prints what is wrong and at last what was done; status 1.
"""
import os
import re
import shlex
import subprocess
import sys
import textwrap

EXCEPTIONS = {  # first word: why it is not run here
    "apt-get": "installs; tools/deps.sh is what knows the packages",
    "git": "clones",
    "cd": "where the clone is",
    "nsys": "NVIDIA's",
    "srun": "Slurm's", "sbatch": "Slurm's", "mpirun": "MPI's", "mpiexec": "MPI's", "ssh": "another node", "docker": "containers",
    "pip": "installs",
    "sh": "a script of this tree: it must be there",
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BATON = re.compile(r"(?:^|[\s/\"'&|])baton ([a-z]+)((?: [^|&;]*)?)")
STRICT = ("README.md", "QUICKSTART.md")  # pages that a newcomer types from: a line that is not known is wrong


class Pages:
    def __init__(self, baton):
        self.baton, self.wrong, self.done, self.options = baton, [], {}, {}

    def count(self, what):
        self.done[what] = self.done.get(what, 0) + 1

    def fail(self, line, why):
        self.wrong.append("%s: %s: %s" % (self.page, line.strip()[:80], why))

    def options_of(self, command):
        if command not in self.options:
            told = subprocess.run([self.baton, command, "--help"], capture_output=True, text=True)
            found = re.findall(r"^ +(?:(-\w), )? *(--[\w-]+)", told.stdout, re.MULTILINE)
            self.options[command] = {word for pair in found for word in pair if word} if told.returncode == 0 else None
        return self.options[command]

    def check_baton(self, line):
        for command, rest in BATON.findall(line.split("  # ")[0]):
            if command in ("man", "completion", "help"):
                continue  # main.c's own, without options
            known = self.options_of(command)
            if known is None:
                self.fail(line, "no command '%s'" % command)
                continue
            self.count("baton")
            for word in rest.split(" -- ")[0].split():
                if re.match(r"--?[a-z]", word) and word.split("=")[0] not in known:
                    self.fail(line, "%s has no %s" % (command, word))

    def check_make(self, line):
        words = [word for word in shlex.split(line, comments=True)[1:] if not re.match(r"-j|[A-Z_]+=", word)]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
        made = subprocess.run(["make", "-n", *words], capture_output=True, text=True, env=environment)
        self.count("make")
        if made.returncode:
            self.fail(line, made.stderr.strip().splitlines()[-1])

    def check_line(self, line):
        line = re.sub(r"^(\w+=\S+ )+", "", line)
        first = os.path.basename(line.split()[0]) if line.split() else ""
        if first in ("baton", "baton-sim", ""):
            return
        if first == "make":
            self.check_make(line)
        elif first == "export":
            self.count("run")
            if subprocess.run(["sh", "-ec", line]).returncode:
                self.fail(line, "sh does not take it")
        elif first in EXCEPTIONS:
            self.count("not run")
            if first == "sh" and not os.path.exists(line.split()[1]):
                self.fail(line, "no such script")
        elif os.path.basename(self.page) in STRICT and not self.page.startswith(("tools/", "tests/")):
            self.fail(line, "neither run nor an exception with a reason (tests/cli/shown.py)")

    def check_block(self, language, text, mark):
        text = re.sub(r"\\\n\s*", "", text)
        lines = [line for line in text.splitlines() if line.strip()]
        for line in lines:
            self.check_baton(line)
        if any(line.startswith("$ ") for line in lines) or language not in ("", "sh", "bash", "python"):
            return
        if language == "python" or mark == "file" or re.match(r"(from \w\S* )?import ", lines[0] if lines else ""):
            self.count("Python")
            try:
                compile(textwrap.dedent(text), self.page, "exec")
            except SyntaxError as error:
                self.fail(lines[0], "no Python: %s" % error)
            return
        for line in lines:
            self.check_line(line)

    def check(self, page):
        self.page = page
        with open(page) as file:
            text = file.read()
        for block in FENCE.finditer(text):
            before = text[:block.start()].splitlines()[-1:]
            self.check_block(block[1], block[2], "file" if before and "screen: file" in before[0] else "")


pages = Pages(sys.argv[1])
for name in sys.argv[2:]:
    pages.check(name)
for said in pages.wrong:
    print(said)
print(", ".join("%d %s" % (n, what) for what, n in sorted(pages.done.items())))
sys.exit(bool(pages.wrong) or not pages.done)
