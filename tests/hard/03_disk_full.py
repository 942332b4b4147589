"""Row 3: the disk, or in every second pair of cases the user's quota, is full after N bytes of the trace, for any N: the job's output and
status stay, one line is said, what was written is readable, and every launch is recorded or counted as dropped. In every second case there
is room again some writes later. In every third case the rings are so small that launches are dropped while nothing can be written.

Every 32nd case has a disk that is really full (a tmpfs of some pages), and in half of these it is made larger while the job runs. That
needs root; without it these cases have a write() that fails, as all others have.

A case is mostly waiting, so four run beside each other."""
import concurrent.futures
import contextlib
import os
import subprocess
import time

import row

NUMBER, NAME, VERSION = 3, "disk full", 3
TARGET, UNIT = 10_000, "byte positions"
NOTE = "a real quota (write() says EDQUOT in half of the cases)"
LANES, IN_A_PIECE = 4, 64
SHORT, LONG = 10, 40  # steps; one case of eight has the long job
PAGE = 4096
known = {}


def job(number):
    return [os.path.join(row.BUILD, "simtrain"), "--steps", str(LONG if number % 8 == 7 else SHORT), "--layers", "4", "--host-ns", "200"]


def learn(bench, number):
    """Output and bytes of the job whose disk has room, and its launches."""
    count, run = os.path.join(bench.work, "count"), bench.fresh()
    plain = bench.run(*job(number))[:2]
    bench.preloaded(run, *job(number), before=os.path.join(row.HARD, "disk.so"), DISK="none", DISK_COUNT=count)
    return {"plain": plain, "bytes": int(open(count).read()), "held": bench.tally(run)}


def failing_write(bench, number, lane):
    """(what it is, bytes that have room, the run, (status, output, stderr)) of a job whose write() fails."""
    at = row.spread(number, of(number)["bytes"] + 1)
    disk = ("quota:%d" if number // 2 % 2 else "full:%d") % at + (":%d" % (1 + number // 4 % 4) if number % 2 else "")
    run = bench.fresh("run%d" % lane)
    end = bench.preloaded(run, *job(number), before=os.path.join(row.HARD, "disk.so"), DISK=disk, **rings(bench, number, lane))
    return "case %d, DISK=%s" % (number, disk), at, run, end


@contextlib.contextmanager
def small_disk(bench, number, lane):
    """(a tmpfs with room for less than the trace, its bytes), or None."""
    disk = bench.fresh("disk%d" % lane)
    room = PAGE * (1 + row.spread(number // 32, of(number)["bytes"] // PAGE))
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d,mode=700" % room, "none", disk], capture_output=True)
    try:
        yield (disk, room) if made.returncode == 0 else None
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", "-l", disk], capture_output=True)


def full_disk(bench, number, lane, disk, room):
    """As failing_write, on that disk; it is made larger after the job, or in every second case while the job runs."""
    run = os.path.join(disk, "run")
    os.mkdir(run, 0o700)
    env = dict(bench.env, LD_PRELOAD=row.LIBRARY, BATON_OUT=run, **rings(bench, number, lane))
    begun = subprocess.Popen(job(number), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    grows = number % 64 == 0
    if grows:
        time.sleep(0.02 + row.spread(number, 100) / 1000)
        subprocess.run(["mount", "-o", "remount,size=1m", disk], capture_output=True)
    out, err = begun.communicate(timeout=60)
    subprocess.run(["mount", "-o", "remount,size=1m", disk], capture_output=True)  # what is read of it stores a summary
    bench.add(disk_really_full=1, really_came_back=int(grows))
    return "case %d, a full tmpfs" % number, room, run, (begun.returncode, out, err)


def rings(bench, number, lane):
    return dict({"BATON_RING_DIR": bench.fresh("rings%d" % lane)}, **({"BATON_RING_SLOTS": "64"} if number % 3 == 2 else {}))


def of(number):
    return known["long" if number % 8 == 7 else "short"]


def judge(bench, number, lane, told):
    what, room, run, (status, out, err) = told
    wanted, shared = of(number), os.path.join(bench.work, "rings%d" % lane)
    bench.expect((status, out) == wanted["plain"], "%s: the job ends with %s, or prints something else" % (what, status))
    said = [line for line in err.decode().splitlines() if line.startswith("baton:")]
    why = "Disk quota exceeded" if "quota" in what else "No space left on device"
    bench.expect(not said or why in said[0], "%s: says %s" % (what, said[:1]))
    bench.expect(len(said) <= 1, "%s: %d lines: %s" % (what, len(said), said[:3]))
    bench.run(row.BATON, "reduce", run, BATON_RING_DIR=shared)  # takes what is in the rings, now that there is room
    bench.expect(not os.listdir(shared), "%s: %s stays in the rings" % (what, os.listdir(shared)))
    if not row.traces(run):
        bench.expect(room < PAGE, "%s: no trace at all" % what)
        return bench.add(no_trace=1)
    held = bench.sound(run, what, (0, 3, 4))  # 3: no GPU work found room
    launches = held["launches"] + held["dropped"] + held["unheard"]
    bench.expect(launches == wanted["held"]["launches"], "%s: %d launches of %d: %s" % (what, launches, wanted["held"]["launches"], held))
    ops = held["ops"] + held["gpu"] + held["in_flight"]
    bench.expect(ops == wanted["held"]["ops"] or (ops > wanted["held"]["ops"] and held["others"]),
                 "%s: %d GPU records of %d: %s" % (what, ops, wanted["held"]["ops"], held))
    return bench.add(came_back=number % 2, of_quota=int("quota" in what), launches_dropped=held["dropped"], gpu_records_dropped=held["gpu"])


def case(bench, number, lane):
    if number % 32:
        return judge(bench, number, lane, failing_write(bench, number, lane))
    with small_disk(bench, number, lane) as disk:
        if disk:
            return judge(bench, number, lane, full_disk(bench, number, lane, *disk))
    return judge(bench, number, lane, failing_write(bench, number, lane))


def piece(bench, first, most):
    row.needs(job(0)[0], os.path.join(row.HARD, "disk.so"), row.TALLY)
    if not known:
        known.update(short=learn(bench, 0), long=learn(bench, 7))
    n = min(most, IN_A_PIECE)

    def lane_of(lane):
        for number in range(first + lane, first + n, LANES):
            case(bench, number, lane)

    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        for done in [pool.submit(lane_of, lane) for lane in range(LANES)]:
            done.result()
    return n


if __name__ == "__main__":
    row.main(globals())
