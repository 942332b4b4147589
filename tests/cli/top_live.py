"""top_live.py BATON WORK: `baton top` on a pseudo terminal, on the runs that top_case.sh made in WORK. A line for each thing that holds."""

import glob
import os
import re
import shutil
import signal
import sys
import time

from pty_screen import Screen

baton, work = sys.argv[1:]
run = os.path.join(work, "run")
BLOCK_MAGIC = b"TBLK"


def holds(what):
    print(what)
    sys.stdout.flush()


def top(*arguments, **how):
    return Screen([baton, "top", *arguments], **how)


def ranks(text):
    """The ranks in the order of the table."""
    return [int(rank) for rank in re.findall(r"^[*> ]\s+(\d+) \S", text.split("ms/step")[1].split("\n\n")[0], re.M)]


def fits(screen):
    assert len(screen.lines) == screen.height and all(len(line) <= screen.width for line in screen.lines)
    assert screen.lines[-1].startswith("q quit"), screen.text()


def sizes_and_keys():
    screen = top(run)
    text = screen.until("rank 2   node0/2")
    fits(screen)
    assert screen.other and screen.cursor_hidden
    assert re.search(r"^\*    2 node0/2 +ended ", text, re.M), text
    assert ranks(text) == [0, 1, 2, 3] and "late ms" not in text
    assert "Rank 2 arrives last" in text and "   0 lost" in text
    assert b"\x1b[1m" not in screen.raw, "bold text with NO_COLOR"
    holds("80x24")
    before = screen.bytes_read
    screen.read(2.5)
    assert screen.bytes_read == before, "%d bytes of a screen on which nothing changes" % (screen.bytes_read - before)
    holds("what does not change is not written")
    screen.keys("s")
    screen.until("sort: step")
    screen.keys("s")
    text = screen.until("sort: late")
    assert ranks(text)[0] == 2, text
    screen.keys("ssss")
    assert ranks(screen.until("sort: rank")) == [0, 1, 2, 3]
    holds("s sorts")
    screen.keys("\x1b[A")
    screen.until(lambda text: re.search(r"^>    1 node0/1", text, re.M) and "rank 1   node0/1   pid" in text)
    screen.keys("jj")
    screen.until("rank 3   node0/3   pid")
    screen.keys("\x1b[6~\x1b[B")
    screen.until("rank 3   node0/3   pid")
    screen.keys("g")
    screen.until("rank 0   node0/0   pid")
    holds("arrows choose")
    screen.keys("t")
    text = screen.until("4 GPUs of the run")
    fits(screen)
    assert "rank 3    NODE  SYS   PIX   X" in text and "ms/step" not in text, text
    screen.keys("t")
    screen.until("ms/step")
    holds("t shows the topology")
    screen.keys("?")
    screen.until("how long the others wait for it")
    fits(screen)
    screen.keys("\x1b")
    screen.until("ms/step")
    holds("? explains")
    screen.resize(132, 40)
    text = screen.until("launch/s")
    fits(screen)
    assert "late ms" in text and ranks(text) == [0, 1, 2, 3]
    for size in ((40, 10), (20, 4), (12, 3), (1, 1), (80, 24)):
        screen.resize(*size)
        text = screen.until(lambda text: not screen.stale and text.strip())
        screen.read(0.3)
        assert size[1] > 3 or text.strip() == ("too small" if size[1] > 1 else "t"), text
    screen.until("ms/step")
    fits(screen)
    holds("it follows the size")
    screen.keys("q")
    assert screen.end() == 0 and screen.is_given_back()
    holds("q ends it")


def ends():
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGSEGV", "SIGABRT"):
        number = getattr(signal, name)
        screen = top(run)
        screen.until("ms/step")
        os.kill(screen.pid, number)
        assert screen.end() == (0 if number == signal.SIGINT else -number) and screen.is_given_back(), name
        holds(name)
    screen = top(run)
    screen.until("ms/step")
    screen.keys("\x03")
    assert screen.end() == 0 and screen.is_given_back()
    holds("Ctrl-C")
    screen = top(run)
    screen.until("ms/step")
    screen.keys("\x1a")
    while open("/proc/%d/stat" % screen.pid).read().rsplit(")", 1)[1].split()[0] != "T":
        screen.read(0.05)
    screen.read(0.2)
    assert screen.is_given_back()
    screen.lines = [""] * screen.height
    os.kill(screen.pid, signal.SIGCONT)
    screen.until("ms/step")
    assert screen.other and screen.cursor_hidden
    screen.keys("q")
    assert screen.end() == 0 and screen.is_given_back()
    holds("Ctrl-Z, and on")


def colour():
    screen = top(run, env={"NO_COLOR": None})
    screen.until("ms/step")
    assert b"\x1b[1m" in screen.raw
    screen.keys("q")
    assert screen.end() == 0
    dumb = top(run, height=100, env={"TERM": "dumb"})
    assert dumb.end() == 0 and b"\x1b" not in dumb.raw and "ms/step" in dumb.raw.decode()
    holds("bold where it may be, text on a dumb terminal")


def many():
    screen = top(os.path.join(work, "many"))
    screen.until(lambda text: re.search(r"rows \d+ to \d+ of 64", text))
    fits(screen)
    screen.keys("G")
    text = screen.until(lambda text: re.search(r"rows \d+ to 64 of 64", text) and "rank 63 " in text)
    assert ranks(text)[-1] == 63
    screen.keys("g")
    screen.until(lambda text: "rows 1 to " in text and "rank 0 " in text)
    screen.keys("q")
    assert screen.end() == 0
    holds("more rows than lines")


def unclose(path):
    """The trace of a process that still records: without its end block."""
    with open(path, "r+b") as file:
        at = file.read().rfind(BLOCK_MAGIC)
        assert at > 0
        file.truncate(at)


def job():
    """A directory that fills: nothing, two ranks that record, all of them; one is killed, one silent; the end."""
    live = os.path.join(work, "live")
    os.mkdir(live)
    screen = top("--every", "1s", live, width=132)
    screen.until("no trace files")
    traces = sorted(glob.glob(os.path.join(run, "[0-9a-f]*.baton")))
    names = [os.path.join(live, os.path.basename(path)) for path in traces]
    boot = open("/proc/sys/kernel/random/boot_id").read()[:8]

    def put(rank, closed, age_s=0, name=None):
        name = name or names[rank]
        shutil.copy(traces[rank], name + ".new")
        if not closed:
            unclose(name + ".new")
        then = time.time() - age_s
        os.utime(name + ".new", (then, then))
        os.rename(name + ".new", name)

    for rank in (0, 1):
        put(rank, closed=False)

    def written(text, what):
        for name in names[:2]:
            os.utime(name)
        return what(text)

    screen.until(lambda text: written(text, lambda text: "2 GPUs" in text and "2 ranks have no file" in text))
    holds("a job that begins")
    # the simulator's work ended long ago: a GPU without work, though the trace is written
    screen.until(lambda text: written(text, lambda text: len(re.findall(r"^. +\d node0/\d +stalls", text, re.M)) == 2))
    holds("a GPU without work")
    put(2, closed=False, age_s=100)
    put(3, closed=False, age_s=100, name=os.path.join(live, boot + os.path.basename(names[3])[8:]))
    text = screen.until(lambda text: "1 killed" in text and "1 silent" in text)
    assert re.search(r"^.\s+2 node0/2 +silent 1\d\ds", text, re.M) and re.search(r"^.\s+3 node0/3 +killed ", text, re.M), text
    assert "recording" in text.split("\n")[0]
    holds("a killed rank, and a silent one")
    screen.keys("p")
    screen.until("paused")
    put(0, closed=True)
    screen.read(2.5)
    assert "ended" not in screen.text(), screen.text()
    screen.keys("p")
    screen.until(lambda text: re.search(r"^.\s+0 node0/0 +ended ", text, re.M) and "paused" not in text)
    holds("p pauses")
    for rank in (1, 2):
        put(rank, closed=True)
    text = screen.until(lambda text: re.search(r"   ended, 1 killed   ", text))
    screen.keys("q")
    assert screen.end() == 0 and screen.is_given_back()
    holds("the end of the job")


def terminal_goes():
    screen = top(run)
    screen.until("ms/step")
    os.close(screen.slave)
    os.close(screen.master)
    _, status = os.waitpid(screen.pid, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGHUP or os.WIFEXITED(status), status
    holds("a terminal that goes away")


for part in (sizes_and_keys, ends, colour, many, job, terminal_goes):
    part()
