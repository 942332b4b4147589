"""top_job.py BATON BIN WORK: `baton top` on a pseudo terminal beside a job of two ranks, rank 1 slow. A line for each thing that holds."""

import os
import re
import signal
import subprocess
import sys

from pty_screen import Screen

baton, programs, work = sys.argv[1:]
run = os.path.join(work, "run")
TRAIN = [os.path.join(programs, "simlaunch"), "-n", "2", "--", os.path.join(programs, "simtrain"), "--layers", "4", "--slow-rank", "1=60"]


def holds(what):
    print(what)
    sys.stdout.flush()


def record(directory, steps):
    return subprocess.Popen([baton, "record", "-o", directory, "--", *TRAIN, "--steps", str(steps)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def row(text, rank):
    """The line of a rank: its mark, its state."""
    found = re.search(r"^(.)\s+%d \S+ +(\w+)" % rank, text, re.M)
    return found.groups() if found else (None, None)


def top(directory):
    return Screen([baton, "top", "--every", "1s", directory], width=132, env={"LD_LIBRARY_PATH": None})


# one that is killed: the screen says so before and after `baton record` has completed its trace
job = record(run, 1 << 20)
while not os.path.isdir(run):
    assert job.poll() is None, job.stderr.read()
screen = top(run)
screen.until(lambda text: row(text, 0)[1] == "runs" and row(text, 1) == ("*", "runs"))
text = screen.until(lambda text: "ank 1 arrives last" in text and re.search(r"^rank 1 .* pid \d+ ", text, re.M))
holds("the slow rank")
pid = int(re.search(r"^rank 1 .* pid (\d+) ", text, re.M)[1])
assert re.search(r"\b%d\b" % pid, " ".join(os.listdir(run))), "no trace of process %d" % pid
os.kill(pid, signal.SIGKILL)
screen.until(lambda text: row(text, 1)[1] == "killed")
holds("a killed rank")
job.terminate()
job.wait()
text = screen.until(lambda text: re.search(r"   ended, \d killed", text.split("\n")[0]))
assert row(text, 1)[1] == "killed", text
screen.keys("q")
assert screen.end() == 0 and screen.is_given_back()
holds("a job that was ended")

# one that ends: nothing is lost, nothing in flight
job = record(run + "2", 300)
while not os.path.isdir(run + "2"):
    assert job.poll() is None, job.stderr.read()
screen = top(run + "2")
screen.until(lambda text: "   ended   " in text.split("\n")[0] and row(text, 0)[1] == "ended" and row(text, 1)[1] == "ended")
said = job.communicate()[1]
assert job.returncode == 0 and " 0 dropped" in said, said
screen.keys("q")
assert screen.end() == 0
holds("a job that ends")
