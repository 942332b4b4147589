"""Row 8: a job launches from four threads for up to half an hour a process; what the recorder has allocated grows by less than 1 MiB an
hour, and what it has mapped stays below 64 MiB. Both are counted to the byte by a library before it (held.c), after each of 200 rounds,
which exchange the threads; what libc and the simulated driver take is not in it. What it maps are
rings and buffers for CUPTI: a busy machine needs more of these, up to that limit (shim/base/memory.c). Of what is allocated the middle of
twelve pieces counts (growth.py); where 1 MiB an hour is inside its interval, `undecided` counts that. The job's open files stay as many.
Beside the job `baton metrics` reads its last ten seconds every five seconds: it must answer, stay, and end when it is told to.

    08_soak.py --leak KIB       a recorder that loses so many KiB an hour: is it found? --seconds: how long (60)"""
import os
import re
import subprocess
import sys

import growth
import row

NUMBER, NAME, VERSION = 8, "soak", 4
TARGET, UNIT = 7200, "seconds"
NOTE = "72 hours and a real GPU's 25 million records of graphs: never"
THREADS, POINTS, LAUNCHES_A_SECOND = 4, 200, 100_000
MOST_KIB_AN_HOUR, MOST_MAPPED_MIB = 1024, 64
MANY, HELD = os.path.join(row.HARD, "many"), os.path.join(row.HARD, "held.so")


class Reader:
    """`baton metrics` of a run that is being recorded, over and over."""

    def __init__(self, bench, run):
        self.bench, self.page = bench, os.path.join(bench.work, "soak.prom")
        self.process = subprocess.Popen([row.BATON, "metrics", "--last", "10s", "--every", "5s", "-o", self.page, run], env=bench.env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def end(self):
        alive = self.process.poll() is None
        with open("/proc/%d/status" % self.process.pid) as file:
            held = re.search(r"VmHWM:\s+(\d+)", file.read())
        self.process.terminate()
        try:
            said = self.process.communicate(timeout=120)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            said = self.process.communicate()[1] + b" (it did not end)"
            alive = False
        self.bench.expect(alive, "the reader beside the job has not stayed: %s" % said.decode(errors="replace")[-300:])
        page = open(self.page).read() if os.path.exists(self.page) else ""
        self.bench.expect(re.search(r"^baton_up\S* [01]$", page, re.M), "the reader has written nothing: %s" % said.decode(errors="replace")[-300:])
        self.bench.add(read_beside=int(bool(re.search(r"^baton_up\S* 1$", page, re.M))))
        self.bench.most(most_reader_mib=int(held[1]) >> 10 if held else 0)


def soak(bench, seconds, leak_kib_an_hour=0):
    """KiB that the recorder has allocated after each round, launches."""
    run = bench.fresh()
    env = dict(bench.env, MALLOC_ARENA_MAX="1", MANY_LEAK=str(leak_kib_an_hour * seconds / 3600 * 1024 / POINTS),
               LD_PRELOAD=HELD + ":" + row.LIBRARY, BATON_OUT=run)
    each = max(50, int(seconds * LAUNCHES_A_SECOND / THREADS / POINTS))
    reader = Reader(bench, run)
    job = subprocess.run([MANY, str(THREADS), str(each), str(POINTS), "1e9", str(seconds / POINTS)], env=env,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True)
    bench.expect(job.returncode == 0, "soak: status %s" % job.returncode)
    launched = int(re.search(r"launched (\d+)", job.stdout)[1])
    reader.end()
    told = bench.tally(run)
    bench.expect(told["launches"] + told["dropped"] + told["unheard"] == launched, "soak: %d launched: %s" % (launched, told))
    files = [int(n) for n in re.findall(r"files (\d+)", job.stdout)]
    bench.expect(files[-1] <= files[POINTS // 3], "soak: open files: %s" % files[POINTS // 3:])
    mapped = max(map(int, re.findall(r"mapped (\d+)", job.stdout)), default=0)
    bench.expect(mapped <= MOST_MAPPED_MIB << 20, "soak: %d bytes are mapped" % mapped)
    bench.most(most_mapped_mib=mapped >> 20)
    return [int(n) / 1024 for n in re.findall(r"held (\d+)", job.stdout)], launched


def judged(bench, seconds, leak_kib_an_hour=0):
    """((least, middle, most) KiB an hour, launches)."""
    held, launched = soak(bench, seconds, leak_kib_an_hour)
    bench.expect(len(held) == POINTS and min(held) > 1024, "soak: what the recorder holds is not counted: %s" % held[:3])
    bench.most(most_allocated_kib=round(max(held, default=0)))
    return [kib * POINTS * 3600 / seconds for kib in growth.per_sample(held)], launched


def piece(bench, first, most):
    row.needs(MANY, HELD, row.TALLY)
    seconds = int(min(most, 1800, max(bench.seconds, 10)))
    grown, launched = judged(bench, seconds)
    found = growth.verdict(grown, MOST_KIB_AN_HOUR)
    bench.add(launches=launched, undecided=int(found == "unknown"))
    bench.most(slope_kib_an_hour=round(grown[1]), most_kib_an_hour=round(grown[2]))
    bench.expect(found != "grows", "soak from %d s on: %.0f KiB an hour, at least %.0f, at most %.0f" % (first, grown[1], grown[0], grown[2]))
    return seconds


def planted(leak_kib_an_hour, seconds):
    """The judgement on a leak of known size: with it and without it."""
    row.needs(MANY, HELD, row.TALLY)
    with row.tempfile.TemporaryDirectory(prefix="baton-hard-") as work:
        bench = row.Bench(work)
        for leak in (leak_kib_an_hour, 0):
            grown, _ = judged(bench, seconds, leak)
            found = growth.verdict(grown, leak_kib_an_hour / 2)
            print("%d KiB an hour leak: %.0f found, at least %.0f, at most %.0f: %s" % (leak, grown[1], grown[0], grown[2], found), flush=True)
            bench.expect(found == ("grows" if leak else "still"), "a leak of %d KiB an hour: %s" % (leak, found))
        return bench.faults > 0


if __name__ == "__main__":
    if "--leak" not in sys.argv:
        row.main(globals())
    at = sys.argv.index("--leak")
    try:
        sys.exit(planted(int(sys.argv[at + 1]), float(sys.argv[sys.argv.index("--seconds") + 1]) if "--seconds" in sys.argv else 60))
    except row.Skip as reason:
        print(reason)
        sys.exit(77)
