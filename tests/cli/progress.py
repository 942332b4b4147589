"""progress.py COMMAND...: runs it with stderr on a terminal, on a machine that seems slow. Prints the lines of progress, then what is left on the
terminal at the end; stdout goes where ours goes. The status is the command's."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

master, slave = pty.openpty()
job = subprocess.Popen(sys.argv[1:], stderr=slave)
os.close(slave)
raw, turn = b"", 0
while True:
    ready = select.select([master], [], [], 0.001)[0]
    try:
        data = os.read(master, 1 << 16) if ready else None
    except OSError:
        break  # all ends of the terminal are closed
    raw += data or b""
    turn += 1
    if job.poll() is None and turn < 200:  # it runs for 1 ms of each 41
        job.send_signal(signal.SIGSTOP)
        time.sleep(0.04)
        job.send_signal(signal.SIGCONT)
status = job.wait()

shown, left = [], ""
for piece in raw.decode().split("\r\x1b[K"):
    line = piece.split("\r\n")
    if len(line) == 1 and piece:
        shown.append(piece)
for line in raw.decode().split("\n"):
    left += line.split("\r\x1b[K")[-1].replace("\r", "") + "\n"
for line in shown:
    print("shown: " + line, file=sys.stderr)
print("left: " + left.strip(), file=sys.stderr)
sys.exit(status)
