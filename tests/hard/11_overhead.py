"""Row 11: what recording adds to a job, in pairs of a run with and one without, in turns; and the same of two runs without, which
must not differ. A measurement: nothing here fails. (`make bench-record` measures a single launch.)"""
import os
import random
import statistics
import time

import row

NUMBER, NAME = 11, "overhead, in pairs"
TARGET, UNIT = 20, "pairs"
NOTE = "a machine of other users: the interval is theirs; a GPU's share needs a GPU"
JOB = [os.path.join(row.BUILD, "simtrain"), "--steps", "60", "--layers", "8"]
ratios, alike = [], []


def seconds_of(bench, recorded):
    run = bench.fresh()
    begun = time.monotonic()
    status = bench.preloaded(run, *JOB)[0] if recorded else bench.run(*JOB)[0]
    bench.expect(status == 0, "the job ends with %s" % status)
    return time.monotonic() - begun


def interval(values):
    """The median, and the bounds between which 95 % of the medians of samples drawn again lie."""
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(1000))
    return statistics.median(values), medians[25], medians[974]


def piece(bench, first, most):
    row.needs(JOB[0])
    order = [True, False, False] if first % 2 else [False, True, False]
    took = {True: [], False: []}
    for recorded in order:
        took[recorded].append(seconds_of(bench, recorded))
    ratios.append(took[True][0] / took[False][0])
    alike.append(took[False][1] / took[False][0])
    for name, values in (("recorded", ratios), ("alike", alike)):
        middle, low, high = interval(values)
        bench.sums.update({name + "_percent": round(100 * middle - 100, 1), name + "_from": round(100 * low - 100, 1),
                           name + "_to": round(100 * high - 100, 1)})
    return 1


if __name__ == "__main__":
    row.main(globals())
