"""keep_full.py DISK: a recorded job with --keep-last 1s whose disk gets full twice. Prints as JSON how many writes the recorder asked
for in the two seconds after that (writes), and whether the copy went when the disk was full beside it (removed)."""
import glob
import json
import os
import sys
import time

sys.path.insert(0, "tests/shim")
from jobs import driver, launch

disk = sys.argv[1]
cuda = driver()


def fill():
    """All of the room that is left."""
    fd = os.open(disk + "/filler", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for size in (65536, 4096, 512):
        try:
            while os.write(fd, bytes(size)) == size:
                pass
        except OSError:
            pass
    os.close(fd)


def work(seconds, until=lambda: False):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not until():
        launch(30, cuda)
        time.sleep(0.002)
    return until()


def writes():
    return int(next(line for line in open("/proc/self/io") if line.startswith("syscw")).split()[1])


def copies():
    return bool(glob.glob(os.environ["BATON_OUT"] + "/*.keep"))


# full at any moment: what cannot be written is not tried again and again
work(1.5)
fill()
work(1.5)
before = writes()
work(2)
asked = writes() - before
os.unlink(disk + "/filler")

# full while a copy is there: the copy is what has to go
work(10, copies)
fill()
removed = work(10, lambda: not copies())
work(1)
os.unlink(disk + "/filler")
work(4)
print(json.dumps({"writes": asked, "removed": removed}))
