"""Row 7: 4,096 short-lived threads in a job, 32 beside each other, which end while the writer writes: every launch is there, and the
memory of the process does not grow with threads that have ended.

Conservation is looked at with CUPTI; memory without it and with small rings, over the last 4,096 of three times as many threads,
because buffers and rings become resident as they are first used, and less what the job alone grows by (the simulated driver keeps 300
bytes of each thread)."""
import os
import re

import row

NUMBER, NAME = 7, "threads that come and go"
TARGET, UNIT = 10 * 4096, "threads"
NOTE = "ThreadSanitizer: `make test SAN=thread PARTS=shim/recorder`"
BESIDE, ROUNDS, LAUNCHES = 32, 128, 8
MOST_KIB = 1024
MANY = os.path.join(row.HARD, "many")


def grown_kib(out):
    kib = [int(n) for n in re.findall(rb"kib (\d+)", out)]
    return kib[-1] - kib[-ROUNDS - 1]


def look_at_memory(bench, first):
    run, command = bench.fresh(), [MANY, str(BESIDE), str(LAUNCHES), str(3 * ROUNDS)]
    status, out, _ = bench.preloaded(run, *command, BATON_CUPTI="none", BATON_RING_SLOTS="256")
    alone = bench.run(*command)
    if bench.expect(status == 0 and alone[0] == 0, "threads from %d on: status %s" % (first, status)):
        grown = max(grown_kib(out) - grown_kib(alone[1]), 0)
        bench.most(grown_kib=grown)
        bench.expect(grown < MOST_KIB, "threads from %d on: %d KiB more than 4,096 threads before" % (first, grown))


def piece(bench, first, most):
    row.needs(MANY, row.TALLY)
    rounds = max(2, min(ROUNDS, most // BESIDE))
    command, run = [MANY, str(BESIDE), str(LAUNCHES), str(rounds)], bench.fresh()
    status, _, err = bench.record(run, *command, seconds=300)
    if bench.expect(status == 0, "threads from %d on: status %s: %s" % (first, status, err.decode()[-300:])):
        held, launched = bench.tally(run), rounds * BESIDE * LAUNCHES
        bench.expect(held["launches"] + held["dropped"] + held["unheard"] == launched, "threads from %d on: %s" % (first, held))
        bench.expect(held["kernels"] + held["gpu"] + held["in_flight"] >= launched, "threads from %d on: kernels: %s" % (first, held))
        bench.add(launches=launched, gpu_records_dropped=held["gpu"])
    if rounds == ROUNDS:
        look_at_memory(bench, first)
    return rounds * BESIDE


if __name__ == "__main__":
    row.main(globals())
