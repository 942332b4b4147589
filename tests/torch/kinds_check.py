"""Programs of many kinds (programs/kinds.py), each with and without the recorder: the same output, exit status and files, and a trace.

    kinds_check.py BATON WORK [--jobs N] [--of PROGRAM] [KIND...]     PROGRAM: kinds.py, or library_kinds.py beside it

The last line says how many were the same; status 1 when one was not, with what was other. Each run has an empty directory of its own."""
import argparse
import concurrent.futures
import glob
import hashlib
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LONGEST_S = 240
RACE = -6  # a known race of PyTorch's at its end, with and without a recorder (run.sh: ended)


def command(program, kind):
    return [sys.executable, os.path.join(HERE, "programs", program), kind]


def digests(folder):
    """What lies in the directory of a run, by name."""
    found = {}
    for path in sorted(glob.glob(folder + "/**", recursive=True)):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()[:12]
    return found


def ended(words, folder, own):
    """(status, what it printed, the last line of its own errors, its files)"""
    os.makedirs(folder)
    end = None
    for _ in range(3):
        end = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LONGEST_S)
        if end.returncode not in (RACE, -RACE + 128) and "SIGABRT" not in end.stderr:  # of a child, as its parent says
            break
    errors = [line for line in end.stderr.splitlines() if line.strip() and not line.startswith("baton: ")]
    last = errors[-1] if errors and own else ""
    return end.returncode, end.stdout, last, digests(folder)


def status_of(status):
    """A shell's number for a signal, as `baton record` ends with it too or by the signal itself."""
    return 128 - status if status < 0 else status


def pair(baton, work, words):
    """What is other with the recorder; None: nothing."""
    kind = words[-1]
    folder = os.path.join(work, kind)
    own = kind == "raises"  # the message of the exception
    try:
        plain = ended(words, folder + "/plain", own)
        recorded = ended([baton, "record", "-f", "-o", folder + "/run", "--", *words], folder + "/recorded", own)
    except subprocess.TimeoutExpired as error:
        return "%s: still at it after %d s" % (" ".join(error.cmd[:2]), LONGEST_S)
    plain, recorded = (status_of(plain[0]), *plain[1:]), (status_of(recorded[0]), *recorded[1:])
    if plain != recorded:
        return "%s, not %s" % (str(recorded)[-600:], str(plain)[-600:])
    if plain[0] in (1, 2) and kind != "raises":
        return "it fails by itself: status %d" % plain[0]
    return None if glob.glob(folder + "/run/*.baton") else "no trace was written"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("baton")
    parser.add_argument("work")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--of", default="kinds.py")
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_args()
    kinds = options.kinds or subprocess.run(command(options.of, "--list"), capture_output=True, text=True, check=True).stdout.split()
    work, wrong = os.path.abspath(options.work), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(pair, os.path.abspath(options.baton), work, command(options.of, kind)): kind for kind in kinds}
        for run in concurrent.futures.as_completed(runs):
            wrong += run.result() is not None
            print("%s: %s" % (runs[run], run.result() or "the same"), flush=True)
    print("%d of %d kinds of program the same with and without: output, status, files" % (len(kinds) - wrong, len(kinds)))
    return wrong > 0 or not kinds


if __name__ == "__main__":
    sys.exit(main())
