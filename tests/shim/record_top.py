"""record_top.py BATON BIN WORK: `baton record --top` on a pseudo terminal, with a job of two ranks, rank 1 slow. A line for each thing that holds."""

import os
import re
import signal
import subprocess
import sys
import time

from pty_screen import Screen

baton, programs, work = sys.argv[1:]
TRAIN = [os.path.join(programs, "simlaunch"), "-n", "2", "--", os.path.join(programs, "simtrain"), "--layers", "4", "--slow-rank", "1=60"]


def holds(what):
    print(what)
    sys.stdout.flush()


def record(directory, *job, **how):
    return Screen([baton, "record", "--top", "-o", directory, "--", *job], width=132, height=30, **how)


def said(screen):
    """What stands on the terminal once the screen has gone."""
    return screen.raw[screen.raw.rindex(b"\x1b[?1049l"):].decode()


def out(directory):
    return open(os.path.join(directory, "job.out")).read()


def waits(name, then):
    """A job that goes on until let_go(NAME), and then does THEN."""
    return ["sh", "-c", "until [ -e %s.gone ]; do sleep 0.02; done; %s" % (os.path.join(work, name), then)]


def let_go(name):
    open(os.path.join(work, name + ".gone"), "w").close()


def children(pid):
    return [int(p) for p in open("/proc/%d/task/%d/children" % (pid, pid)).read().split()]


# while it runs the slow rank is on the screen; what the job prints is not; at its end all is as without --top
run = os.path.join(work, "run")
screen = record(run, "sh", "-c", '"$@"; s=$?; echo the end; echo "to stderr $(tty)" >&2; read line; echo "read $? $line"; exit $s', "sh", *TRAIN,
                "--steps", "1500")
screen.until(lambda text: re.search(r"^\*\s+1 \S+ +runs", text, re.M))
assert screen.other and screen.cursor_hidden
screen.keys("?")
screen.until("how long the others wait for it")
screen.keys("?")
holds("the live screen of a job")
assert screen.end() == 0 and screen.is_given_back()
text = said(screen)
assert re.search(r"baton: the job's output is in \S+run/job.out", text) and re.search(r"baton: 2 processes, .* 0 dropped", text), text
assert "the end\nto stderr not a tty\nread 1 \n" in out(run) and b"the end" not in screen.raw, out(run)
holds("its end")

# q closes the screen and not the job
run = os.path.join(work, "left")
screen = record(run, *TRAIN, "--steps", "600")
screen.until("ms/step")
screen.keys("q")
screen.until("the job goes on")
assert screen.is_given_back() and not screen.ended()
assert screen.end() == 0 and "2 processes" in said(screen)
holds("q leaves the job")

# Ctrl-C is the job's, and the screen stays until the job has ended; so are signals to baton
run = os.path.join(work, "interrupted")
screen = record(run, "sh", "-c", 'trap "echo cleaning; until [ -e %s.gone ]; do sleep 0.1; done; echo cleaned; exit 9" INT TERM; while :; do sleep 0.1; done' % run)
screen.until("no trace files")
screen.keys("\x03")
screen.read(0.5)
assert screen.other, "the screen ends before the job"
let_go("interrupted")
assert screen.end() == 9 and screen.is_given_back() and out(run).endswith("cleaning\ncleaned\n"), out(run)
assert "cleaned" in said(screen)
holds("Ctrl-C")
for number in (signal.SIGTERM, signal.SIGHUP):
    run = os.path.join(work, "signal%d" % number)
    screen = record(run, "sleep", "100")
    screen.until("no trace files")
    os.kill(screen.pid, number)
    assert screen.end() == -number and screen.is_given_back(), number
holds("signals")

# a screen that is killed leaves neither the terminal nor the job changed; nor does a baton that is killed
run = os.path.join(work, "killed")
screen = record(run, *waits("killed", "exit 4"))
screen.until("no trace files")
job, top = children(screen.pid)
os.kill(top, signal.SIGKILL)
let_go("killed")
assert screen.end() == 4 and screen.is_given_back()
screen = record(os.path.join(work, "killed2"), "sleep", "100")
screen.until("no trace files")
job, top = children(screen.pid)
os.kill(screen.pid, signal.SIGKILL)
screen.end()
end = time.monotonic() + 60
while screen.other and time.monotonic() < end:
    screen.read(0.1)
assert screen.is_given_back()
os.kill(job, signal.SIGKILL)
holds("kills")

# a job that prints elsewhere keeps its output, and there is no file; a command that is not there leaves no directory
run, log = os.path.join(work, "elsewhere"), os.path.join(work, "log")
screen = Screen(["sh", "-c", '"$@" >%s 2>&1' % log, "sh", baton, "record", "--top", "-o", run, "--", "sh", "-c", "echo here; until [ -e %s.gone ]; do sleep 0.02; done; echo there" % run], width=100)
screen.until("no trace files")
let_go("elsewhere")
assert screen.end() == 0 and screen.is_given_back()
assert open(log).read().startswith("here\nthere\nbaton: nothing recorded") and not os.path.exists(os.path.join(run, "job.out")), open(log).read()
screen = record(os.path.join(work, "absent"), "no-such-command-of-baton")
assert screen.end() == 127 and b"command not found" in screen.raw and not screen.other
assert not os.path.exists(os.path.join(work, "absent"))
holds("output elsewhere, and no job")

# where there can be no screen, the job does not begin
for name, command, how in (
        ("no terminal", ["setsid", "-w", baton], {}),
        ("TERM names no terminal", [baton], {"TERM": "dumb"}),
        ("the tasks of a launch have no terminal of their own", [baton], {"SLURM_JOB_ID": "1", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"})):
    done = subprocess.run(["setsid", "-w", *command, "record", "--top", "-o", os.path.join(work, "none"), "--", "touch", os.path.join(work, "ran")],
                          env=dict(os.environ, **dict({"TERM": "xterm"}, **how)), stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and name in done.stderr and "baton top DIR" in done.stderr, done
    assert not os.path.exists(os.path.join(work, "ran")) and not os.path.exists(os.path.join(work, "none"))
holds("no screen")
