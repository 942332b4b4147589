"""Row 13: every bit of a trace of 64 KiB flipped, and the trace cut at every length (tests/hard/flips.c): the reader says that
something is damaged or reads the same as before, and of the blocks that were not touched at least 99 % are read."""
import os
import re

import row

NUMBER, NAME = 13, "bit flips and truncation"
TARGET, UNIT = 9 * 65_536, "changed files"
NOTE = ""
AT_ONCE, LEAST_RECOVERED = 20_000, 0.99
known = {}


def piece(bench, first, most):
    row.needs(os.path.join(row.HARD, "flips"), row.SIM)
    if not known:
        out = os.path.join(bench.work, "sim")
        bench.run(row.SIM, "-o", out, "--ranks", "1", "--steps", "12", "--seed", "3")
        known["trace"] = row.traces(out)[0]
        bench.expect(os.path.getsize(known["trace"]) >= 65_536, "the trace has %d bytes" % os.path.getsize(known["trace"]))
    n = min(most, AT_ONCE)
    status, out, err = bench.run(os.path.join(row.HARD, "flips"), known["trace"], str(first), str(n), seconds=600)
    told = re.search(rb"cases (\d+) told (\d+) harmless (\d+) wrong (\d+) untouched (\d+) recovered (\d+)", out)
    if not bench.expect(status == 0 and told, "changes from %d on: %s %s" % (first, out.decode()[-300:], err.decode())):
        return n
    _, told, harmless, _, untouched, recovered = (int(text) for text in told.groups())
    bench.add(told=told, harmless=harmless, untouched_blocks=untouched, recovered_blocks=recovered)
    bench.expect(recovered >= LEAST_RECOVERED * untouched, "changes from %d on: %d of %d blocks" % (first, recovered, untouched))
    return n


if __name__ == "__main__":
    row.main(globals())
