"""on_terminal.py [--keys TEXT] COMMAND...: runs it with stdout and stderr on a terminal of 90 columns; what it prints there goes to stdout,
without the line of progress that a slow build or a busy machine shows for a while. The status is the command's, or 128 + its signal."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
import time

keys = b""
command = sys.argv[1:]
if command[0] == "--keys":
    keys, command = command[1].encode(), command[2:]
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 90, 0, 0))
    os.execvp(command[0], command)
out = b""
while True:
    try:
        data = os.read(master, 1 << 16)
    except OSError:
        break
    if not data:
        break
    out += data
    if keys and len(out) > 500:
        time.sleep(0.3)
        os.write(master, keys)
        keys = b""
out = re.sub(rb"(?:\r\x1b\[K[^\r\n]+)+\r\x1b\[K", b"", out)
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
status = os.waitpid(pid, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
