"""Row 2: 256 threads launch at once, all the time; each launch is recorded or counted as dropped, thread by thread, and each kernel
has its record or is counted as lost. In every fourth case only the last second is kept (--keep-last): what was left out counts too. The
program itself says how many launches it made.

The first 49,152,000 launches have kernels of 5 us each, so that the threads wait for the simulated GPU most of the time. Those after them
take no time (QUICK): a launch costs 1.4 us of a core instead of 5, and more of them are dropped."""
import os

import row

NUMBER, NAME, VERSION = 2, "conservation", 3
TARGET, UNIT = 1_000_000_000, "launches"
NOTE = "a mode that overwrites rings: there is none; --keep-last shortens the trace instead"
THREADS = 256
QUICK_FROM, QUICK = 49_152_000, {"SIMGPU_KERNEL_NS": "1", "SIMGPU_GAP_NS": "0", "SIMGPU_LATENCY_NS": "0"}


def check(bench, number, each, held, launched):
    what = "case %d, %d launches on each thread: %s" % (number, each, held)
    left = held["left_launches"]
    bench.expect(left + held["launches"] + held["dropped"] + held["unheard"] == launched, "launches: " + what)
    bench.expect(left or held["unheard"] or held["least"] == held["most"] == each, "of a thread: " + what)
    kernels = held["left_kernels"] + held["kernels"] + held["gpu"] + held["in_flight"]
    # CUPTI counts what it drops of its own overhead among all. That is told apart, because the job has neither copies nor graphs
    bench.expect(kernels == launched, "kernels: " + what)
    bench.expect(not held["unreadable"] and not held["damaged"] and not held["open"], what)
    bench.add(dropped=held["dropped"], left_out=left, gpu_records_dropped=held["gpu"])


def piece(bench, first, most):
    row.needs(os.path.join(row.HARD, "many"), row.TALLY)
    each = max(1, min(16_000, most // THREADS))
    slots = (64, 1024, 16384)[first // THREADS % 3]
    keep = ["--keep-last", "1"] if first // (THREADS * 16_000) % 4 == 3 else []
    quick = QUICK if first >= QUICK_FROM else {}
    run = bench.fresh()
    status, out, err = bench.run(row.BATON, "record", *keep, "-f", "-o", run, "--", os.path.join(row.HARD, "many"), str(THREADS), str(each),
                                 BATON_RING_SLOTS=str(slots), seconds=600, **quick)
    if bench.expect(status == 0, "case %d: status %s: %s" % (first, status, err.decode()[-300:])):
        check(bench, first, each, bench.tally(run), THREADS * each)
    bench.fresh()
    return THREADS * each


if __name__ == "__main__":
    row.main(globals())
