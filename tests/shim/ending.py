"""ending.py FILE COMMAND...: runs the command on our own stdin, stdout and stderr and writes how it ended into FILE: "exit N",
"signal N", or "absent". A shell cannot tell exit status 139 from SIGSEGV."""
import signal
import subprocess
import sys

for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them; a job expects the defaults
    signal.signal(ignored, signal.SIG_DFL)
try:
    status = subprocess.run(sys.argv[2:], close_fds=False).returncode
    text = f"signal {-status}" if status < 0 else f"exit {status}"
except OSError as error:
    text = f"absent {error.errno}"
with open(sys.argv[1], "w") as file:
    file.write(text + "\n")
