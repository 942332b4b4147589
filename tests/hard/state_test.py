"""hard.py's state over commits: counts add up, a row goes on where another commit stopped, an older kind of case begins anew, what was
wrong counts until a newer commit is right, not until one is skipped. Keeps out: cases that count twice, a fault that is forgotten, a table
that is not the state's."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hard  # noqa: E402

ROW = """
import json, sys
if WRONG is None: print("no compiler") or sys.exit(77)
first, most = int(sys.argv[sys.argv.index("--first") + 1]), int(sys.argv[sys.argv.index("--most") + 1])
if WRONG: print("wrong: case %d" % first)
print(json.dumps({"done": min(4, most), "seconds": 1.5, "wrong": WRONG, "sums": {"begins": first, "most_mib": 7}}))
"""


def expect(true, text):
    if not true:
        sys.exit("state: " + text)


def go(folder, at, version=1, wrong=0):
    """One campaign of a row of 10 cases, 4 at a time, at commit `at`."""
    path = os.path.join(folder, "row.py")
    with open(path, "w") as file:
        file.write("WRONG = %s\n" % wrong + ROW)
    module = types.SimpleNamespace(NUMBER=1, NAME="a row", TARGET=10, UNIT="cases", NOTE="the rest", VERSION=version)
    hard.commit = lambda: at
    hard.rows = lambda: {1: (path, module)}
    sys.argv = ["hard.py", "--state", folder, "--seconds", "1"]
    status = hard.main()
    with open(os.path.join(folder, "01.json")) as file:
        return status, json.load(file), "\n".join(hard.table(folder))


def marks():
    """A commit is marked when what was tried is not what it has, but not when only counts are newer."""
    with tempfile.TemporaryDirectory() as folder:
        def git(*words):
            subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)
        here = os.path.join(folder, "tests", "hard")
        os.makedirs(os.path.join(here, "reached"))
        script, count = shutil.copy(hard.__file__, here), os.path.join(here, "reached", "01.json")
        open(count, "w").write("1")
        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "all")
        hard.HERE = here
        for path, marked in ((count, False), (script, True)):
            open(path, "a").write("\n")
            expect(hard.commit() and hard.commit().endswith("+") == marked, "%s is changed: %s" % (path, hard.commit()))


def main():
    if shutil.which("git"):
        marks()
    with tempfile.TemporaryDirectory() as folder:
        go(folder, "aaa")
        status, state, table = go(folder, "bbb", wrong=2)
        expect(status and [part["reached"] for part in state["parts"]] == [4, 4], "two commits: %s" % state)
        expect(state["parts"][1]["sums"]["begins"] == 4, "the second commit does not go on: %s" % state)
        expect("| 10 cases | 8 cases | 2 |" in table and "4 at aaa, 4 (2 wrong) at bbb" in table, table)
        status, skipped, table = go(folder, "nnn", wrong=None)
        expect(status and skipped["parts"] == state["parts"] and "nnn" not in table, "a row that is skipped hides what was wrong: %s" % table)
        status, state, table = go(folder, "ccc")
        expect(not status and "10 cases | 2 |" in table and "2 at ccc" in table and "most mib 7" in table, "mended: %s" % table)
        before = state
        status, state, _ = go(folder, "ddd")
        expect(state == before, "a row that is done runs again")
        status, state, table = go(folder, "ddd", version=2)
        expect(len(state["parts"]) == 1 and "| 4 cases | 0 |" in table, "another kind of case: %s" % table)
    print("counts of several commits add up")


main()
