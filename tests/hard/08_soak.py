"""Row 8: a job launches from four threads for up to half an hour a process; the slope of its resident memory, over the second half and
less what the simulated driver keeps of each thread, is less than 1 MiB an hour. (Threads are exchanged now and then, 200 times in all:
each leaves 100 bytes of names.)"""
import os
import re
import subprocess
import time

import row

NUMBER, NAME = 8, "soak"
TARGET, UNIT = 7200, "seconds"
NOTE = "2 hours; 72 hours and a real GPU's 25 million records of graphs: never"
THREADS, POINTS, LAUNCHES_A_SECOND = 4, 200, 100_000
MOST_KIB_AN_HOUR = 1024
MANY = os.path.join(row.HARD, "many")


def slope(points):
    """Least squares, of (seconds, KiB); KiB an hour, and its standard error."""
    n = len(points)
    mean_x, mean_y = (sum(p[i] for p in points) / n for i in (0, 1))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    per_s = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    rest = sum((y - mean_y - per_s * (x - mean_x)) ** 2 for x, y in points) / max(n - 2, 1)
    return per_s * 3600, (rest / spread) ** 0.5 * 3600


def soak(bench, seconds, *, recorded):
    """(seconds, KiB) after each round of launches; how many launches."""
    run, points = bench.fresh(), []
    env = dict(bench.env, **({"LD_PRELOAD": row.LIBRARY, "BATON_OUT": run} if recorded else {}))
    each = max(500, int(seconds * LAUNCHES_A_SECOND / THREADS / POINTS))
    job = subprocess.Popen([MANY, str(THREADS), str(each), "1000000000", str(seconds)], env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, text=True)
    begun = time.monotonic()
    for line in job.stdout:
        kib = re.search(r"kib (\d+)", line)
        if kib:
            points.append((time.monotonic() - begun, int(kib[1])))
    bench.expect(job.wait() == 0, "soak: status %s" % job.returncode)
    launched = int(re.search(r"launched (\d+)", line)[1])
    if recorded:
        held = bench.tally(run)
        bench.expect(held["launches"] + held["dropped"] + held["unheard"] == launched, "soak: %d launched: %s" % (launched, held))
    return points, launched


def piece(bench, first, most):
    row.needs(MANY, row.TALLY)
    seconds = int(min(most, 1800, max(bench.seconds, 10)))
    points, launched = soak(bench, seconds, recorded=True)
    plain, _ = soak(bench, max(2, seconds / 20), recorded=False)
    by_round = (plain[-1][1] - plain[len(plain) // 4][1]) / (len(plain) - len(plain) // 4)  # of the simulated driver
    late = [(x, kib - by_round * i) for i, (x, kib) in enumerate(points)][len(points) // 2:]
    found, error = slope(late)
    bench.add(launches=launched)
    bench.most(slope_kib_an_hour=round(found), give_or_take=round(2 * error))
    if seconds >= 600:  # shorter ones say too little of an hour
        bench.expect(found < MOST_KIB_AN_HOUR + 2 * error, "soak from %d s on: %d KiB an hour" % (first, found))
    return seconds


if __name__ == "__main__":
    row.main(globals())
