"""Row 3: the disk, or in every second pair of cases the user's quota, is full after N bytes of the trace, for any N: the job's output and
status stay, one line is said, what was written is readable, and every launch is recorded or counted as dropped. In every second case there
is room again some writes later."""
import os

import row

NUMBER, NAME, VERSION = 3, "disk full", 2
TARGET, UNIT = 10_000, "byte positions"
NOTE = "a real quota: write() says EDQUOT in half of the cases"
JOB = [os.path.join(row.BUILD, "simtrain"), "--steps", "40", "--layers", "4", "--host-ns", "200"]
known = {}


def learn(bench):
    """Output and bytes of the job whose disk has room, and its launches."""
    count, run = os.path.join(bench.work, "count"), bench.fresh()
    known["plain"] = bench.run(*JOB)[:2]
    bench.preloaded(run, *JOB, before=os.path.join(row.HARD, "disk.so"), DISK="none", DISK_COUNT=count)
    known["bytes"], known["held"] = int(open(count).read()), bench.tally(run)


def case(bench, number):
    at = row.spread(number, known["bytes"] + 1)
    quota = number // 2 % 2
    disk = ("quota:%d" if quota else "full:%d") % at + (":%d" % (1 + number // 4 % 4) if number % 2 else "")
    run, rings = bench.fresh(), bench.fresh("rings")
    status, out, err = bench.preloaded(run, *JOB, before=os.path.join(row.HARD, "disk.so"), DISK=disk, BATON_RING_DIR=rings)
    what = "case %d, DISK=%s" % (number, disk)
    bench.expect((status, out) == known["plain"], "%s: the job ends with %s, or prints something else" % (what, status))
    said = [line for line in err.decode().splitlines() if line.startswith("baton:")]
    why = "Disk quota exceeded" if quota else "No space left on device"
    bench.expect(not said or why in said[0], "%s: says %s" % (what, said[:1]))
    bench.expect(len(said) <= 1, "%s: %d lines: %s" % (what, len(said), said[:3]))
    bench.run(row.BATON, "reduce", run, BATON_RING_DIR=rings)  # takes what is in the rings, now that there is room
    bench.expect(not os.listdir(rings), "%s: %s stays in the rings" % (what, os.listdir(rings)))
    if row.traces(run):
        held = bench.sound(run, what, (0, 3, 4))  # 3: no GPU work found room
        launches = held["launches"] + held["dropped"] + held["unheard"]
        bench.expect(launches == known["held"]["launches"], "%s: %d launches of %d: %s" % (what, launches, known["held"]["launches"], held))
        ops = held["ops"] + held["gpu"] + held["in_flight"]
        bench.expect(ops == known["held"]["ops"], "%s: %d GPU records of %d: %s" % (what, ops, known["held"]["ops"], held))
        bench.add(came_back=number % 2, of_quota=quota, launches_dropped=held["dropped"], gpu_records_dropped=held["gpu"])
    else:
        bench.expect(at < 4096, "%s: no trace at all" % what)
        bench.add(no_trace=1)


def piece(bench, first, most):
    row.needs(JOB[0], os.path.join(row.HARD, "disk.so"), row.TALLY)
    if not known:
        learn(bench)
    n = min(most, 8)
    for number in range(first, first + n):
        case(bench, number)
    return n


if __name__ == "__main__":
    row.main(globals())
