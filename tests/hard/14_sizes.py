"""Row 14: counts, sizes and offsets of a trace, a summary and their blocks are 0, 2^31, 2^32 - 1, 2^63 - 1 and the like, with right
checksums; a file of 1 TB with nothing in it; a directory of many tiny files: every command ends within 5 s, with a status that the
page names, and takes no more than 64 MiB + 64 times what the files hold."""
import os
import random
import signal
import subprocess
import sys
import time

import row

sys.path.insert(0, os.path.join(row.ROOT, "tests/format"))
import mutate  # noqa: E402
from writer import reseal  # noqa: E402

NUMBER, NAME = 14, "hostile sizes"
TARGET, UNIT = 10_000, "files and directories"
NOTE = "1,000,000 tiny files: 20,000"
LEAST_BYTES, FOLD, SECONDS = 64 << 20, 64, 5
COMMANDS = ["check", "report --json", "dump", "reduce"]
known = {}


def judge(bench, what, command, directory, limit):
    begun = time.monotonic()
    job = subprocess.Popen([row.BATON, *command.split(), directory], env=bench.env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    signal.signal(signal.SIGALRM, lambda *_: job.kill())
    signal.setitimer(signal.ITIMER_REAL, 4 * SECONDS)
    _, status, usage = os.wait4(job.pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    job.returncode = os.waitstatus_to_exitcode(status)
    seconds, held = time.monotonic() - begun, usage.ru_maxrss * 1024
    what = "%s: %s" % (what, command)
    bench.expect(job.returncode in range(6), "%s ends with %d" % (what, job.returncode))
    bench.expect(usage.ru_utime + usage.ru_stime < SECONDS, "%s takes %.1f s (%.1f by the clock)" %
                 (what, usage.ru_utime + usage.ru_stime, seconds))
    bench.expect(held <= limit, "%s takes %d MiB of %d" % (what, held >> 20, limit >> 20))
    bench.most(most_mib=held >> 20)


def spoilt(number):
    """The trace with one field of its file header or of a block changed, sealed again in two of three cases."""
    rng, data = random.Random(number), bytearray(known["trace"])
    spans = mutate.block_spans(data)
    at, width = rng.choice(mutate.BLOCK_FIELDS) if number % 8 else rng.choice(mutate.FILE_FIELDS)
    mutate.put_number(rng, data, (rng.choice(spans)[0] if number % 8 else 0) + at, width)
    return reseal(bytes(data)) if number % 3 else bytes(data)


def sparse(bench):
    run = bench.fresh()
    with open(os.path.join(run, "0.baton"), "wb") as file:
        file.write(known["trace"])
    with open(os.path.join(run, "1.baton"), "wb") as file:
        file.write(known["trace"])
        file.truncate(1 << 40)
    for command in COMMANDS:
        judge(bench, "1 TB of nothing after a trace", command, run, LEAST_BYTES + FOLD * 2 * len(known["trace"]))


def tiny(bench, n):
    run = bench.fresh()
    for i in range(n):
        with open(os.path.join(run, "%d.baton" % i), "wb") as file:
            file.write(known["trace"][:i % 200])
    for command in COMMANDS[:2]:
        judge(bench, "%d tiny files" % n, command, run, LEAST_BYTES + FOLD * 200 * n)


def piece(bench, first, most):
    row.needs(row.SIM)
    if not known:
        out = os.path.join(bench.work, "sim")
        bench.run(row.SIM, "-o", out, "--ranks", "1", "--steps", "4")
        known["trace"] = open(row.traces(out)[0], "rb").read()
    if first == 0:
        sparse(bench)
        tiny(bench, 20_000 if most > 1000 else 500)
    n, run = min(most, 16), bench.fresh()
    for number in range(first, first + n):
        with open(os.path.join(run, "0.baton"), "wb") as file:
            file.write(spoilt(number))
        judge(bench, "case %d" % number, COMMANDS[number // 2 % len(COMMANDS)], run, LEAST_BYTES + FOLD * len(known["trace"]))
    return n


if __name__ == "__main__":
    row.main(globals())
