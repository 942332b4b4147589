"""Row 6: a process with 64 launching threads forks (fork, vfork, clone, posix_spawn; children that call the driver, end at once or run
the exit handlers): no deadlock, no record twice, no child that writes into its parent's file."""
import os
import re

import row

NUMBER, NAME = 6, "forks"
TARGET, UNIT = 10_000, "forks"
NOTE = ""
AT_ONCE = 300
LAUNCHING = 6  # of so many children one calls the driver, and so gets a trace of its own


def piece(bench, first, most):
    row.needs(os.path.join(row.HARD, "forks"), row.TALLY)
    n, run = min(most, AT_ONCE), bench.fresh()
    status, out, err = bench.record(run, os.path.join(row.HARD, "forks"), str(n), seconds=300)
    told = re.search(rb"launched (\d+) children (\d+)", out)
    if not bench.expect(status == 0 and told, "forks from %d on: status %s: %s" % (first, status, err.decode()[-300:])):
        return n
    held, called = bench.tally(run), (n + LAUNCHING - 2) // LAUNCHING
    what = "forks from %d on: %s" % (first, held)
    bench.expect(held["files"] == 1 + called and not held["unreadable"] and not held["damaged"] and not held["open"], what)
    all_launches = held["launches"] + held["dropped"] + held["unheard"]
    bench.expect(all_launches == int(told[1]) + called, "%d launched, %d in children: %s" % (int(told[1]), called, what))
    bench.add(launches=int(told[1]), traces_of_children=called)
    return n


if __name__ == "__main__":
    row.main(globals())
