"""A command on a pseudo terminal, and what its screen shows: as much of a terminal as `baton top` uses.

Anything that it would not expect of a well-behaved screen (a byte below the last line, a sequence that it does not know) is an error.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

CSI = re.compile(rb"\x1b\[(\??)([0-9;]*)([A-Za-z])")
WAIT_S = 60  # a machine may be slow; what does not come by then does not come


class Screen:
    def __init__(self, command, width=80, height=24, env=None):
        self.master, self.slave = pty.openpty()
        self.resize(width, height, tell=False)
        self.before = termios.tcgetattr(self.slave)
        self.bytes_read, self.raw, self.rest = 0, b"", b""
        self.other, self.cursor_hidden, self.status = False, False, None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                self.become(command, dict({"TERM": "xterm"}, **(env or {})))
            finally:
                os._exit(127)

    def become(self, command, changes):
        os.close(self.master)
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for fd in range(3):
            os.dup2(self.slave, fd)
        environment = dict(os.environ, **{name: value or "" for name, value in changes.items()})
        for name in [name for name, value in changes.items() if value is None]:
            del environment[name]
        os.execvpe(command[0], command, environment)

    def resize(self, width, height, tell=True):
        self.width, self.height = width, height
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        if tell:
            os.kill(self.pid, signal.SIGWINCH)
        self.lines = [""] * height
        self.row = self.column = 0
        self.stale = tell  # what is under way is of the size before, until all is cleared

    # ---- what it prints ----

    def put(self, text):
        for char in text.decode("utf-8", "replace"):
            if self.stale:
                continue
            if not self.other and (char == "\n" or (char != "\r" and self.column >= self.width)):  # lines for a person: wrapped, scrolled
                self.row, self.column = self.row + 1, 0
                while self.row >= self.height:
                    self.lines, self.row = self.lines[1:] + [""], self.row - 1
            if char == "\n" and not self.other:
                continue
            if char == "\r":
                self.column = 0
            elif char == "\n":
                self.row += 1
            else:
                assert char >= " ", "control character %r" % char
                assert self.row < self.height, "a line below the screen"
                assert self.column < self.width, "a line wider than the screen: %r" % self.lines[self.row]
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
                self.column += 1

    def control(self, private, numbers, letter):
        n = [int(number) for number in numbers.split(b";") if number]
        if private:
            assert letter in b"hl" and n[0] in (25, 1049), (private, numbers, letter)
            if n[0] == 1049:
                self.other = letter == b"h"
                self.row = self.column = 0
            else:
                self.cursor_hidden = letter == b"l"
        elif letter == b"H":
            self.row, self.column = (n[0] - 1 if n else 0), (n[1] - 1 if len(n) > 1 else 0)
        elif letter == b"K":
            assert self.row < self.height or self.stale, "a line below the screen"
            self.lines[self.row:self.row + 1] = [line[:self.column] for line in self.lines[self.row:self.row + 1]]
        elif letter == b"J":
            assert n == [2], n
            self.lines = [""] * self.height
            self.stale = False
        else:
            assert letter == b"m", (numbers, letter)

    def feed(self, data):
        self.raw += data
        data = self.rest + data
        while data:
            at = data.find(b"\x1b")
            if at:
                end = at if at > 0 else len(data)
                cut = end
                while at < 0 and cut > 0 and cut > end - 3 and data[cut - 1] >= 0x80:  # a character that is cut
                    cut -= 1
                self.put(data[:cut])
                data = data[cut:]
                if cut < end:
                    break
                continue
            match = CSI.match(data)
            if not match:
                assert len(data) < 16, "not known: %r" % data[:16]
                break
            self.control(*match.groups())
            data = data[match.end():]
        self.rest = data

    def read(self, seconds):
        """Takes what comes within so many seconds, or until nothing more comes; False: the command has ended."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                return not self.ended()
            try:
                data = os.read(self.master, 1 << 16)
            except OSError:
                data = b""
            if not data:
                return False
            self.bytes_read += len(data)
            self.feed(data)

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    # ---- what is asked of it ----

    def text(self):
        return "\n".join(line.rstrip() for line in self.lines)

    def until(self, what, *how):
        """Waits until `what` holds: a text on the screen, or a function of its text."""
        holds = what if callable(what) else lambda text: what in text
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            if holds(self.text()):
                return self.text()
            if not self.read(0.05):
                break
        assert holds(self.text()), "never on the screen: %s; it shows\n%s" % (how or what, self.text())
        return self.text()

    def keys(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """Waits for its end. Its exit status, or minus the signal that ended it."""
        end = time.monotonic() + WAIT_S
        while not self.ended() and time.monotonic() < end:
            self.read(0.05)
        assert self.ended(), "it does not end; it shows\n" + self.text()
        self.read(0.05)
        return os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else -os.WTERMSIG(self.status)

    def is_given_back(self):
        now = termios.tcgetattr(self.slave)
        assert not self.other, "the other screen is still shown"
        assert not self.cursor_hidden, "the cursor is hidden"
        assert now == self.before, "the terminal's modes are changed"
        return True
