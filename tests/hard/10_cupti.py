"""Row 10: CUPTI is of another release, busy with another tool, not there, not a CUPTI, gives its records in any order or drops some:
the job's output and status stay, and launches are recorded all the same."""
import os

import row

NUMBER, NAME = 10, "CUPTI unavailable or busy"
TARGET, UNIT = 300, "jobs"
NOTE = "nsys beside baton and 1,000 hot starts: they need a GPU, and windows that repeat"
TRAIN = [os.path.join(row.BUILD, "simtrain"), "--steps", "3", "--layers", "2"]
TRAIN13 = [os.path.join(row.BUILD, "simtrain13"), *TRAIN[1:]]
KINDS = [(TRAIN if release.startswith("12") else TRAIN13, {"SIMGPU_CUPTI": release}, True)
         for release in ("12.0", "12.4", "12.9", "13.0", "13.2", "13.5")]
KINDS += [
    (TRAIN, {"SIMGPU_CUPTI": "11.8", "BATON_CUPTI": os.path.join(row.SIMGPU, "libcupti.so.11.8")}, True),
    (TRAIN, {"SIMGPU_CUPTI_BUSY": "other"}, False),
    (TRAIN, {"BATON_CUPTI": "none"}, False),
    (TRAIN, {"BATON_CUPTI": "/nowhere/libcupti.so"}, False),
    (TRAIN, {"BATON_CUPTI": "/etc/passwd"}, False),
    (TRAIN, {"BATON_CUPTI": os.path.join(row.SIMGPU, "libcuda.so.1")}, False),
    (TRAIN, {"SIMGPU_CUPTI_SHUFFLE": "1"}, True),
    (TRAIN, {"SIMGPU_CUPTI_DROP": "7"}, True),
]
known = {}


def case(bench, number):
    command, env, delivers = KINDS[number % len(KINDS)]
    command = command + (["--threads", "4"] if number // len(KINDS) % 2 else [])
    key = " ".join(command)
    if key not in known:
        run = bench.fresh()
        known[key] = bench.run(*command)[:2], bench.preloaded(run, *command) and bench.tally(run)["launches"]
    run = bench.fresh()
    status, out, err = bench.preloaded(run, *command, **env)
    what = "case %d, %s" % (number, env)
    bench.expect((status, out) == known[key][0], "%s: the job ends with %s, or prints something else" % (what, status))
    held = bench.tally(run)
    bench.expect(held["launches"] + held["dropped"] == known[key][1], "%s: %s, not %d launches" % (what, held, known[key][1]))
    if delivers:
        bench.expect(held["kernels"] + held["gpu"] + held["in_flight"] >= held["launches"], "%s: %s" % (what, held))
    else:
        lines = [line for line in err.decode().splitlines() if line.startswith("baton:")]
        bench.expect(held["ops"] == 0 and len(lines) == 1, "%s: %d ops; it says %s" % (what, held["ops"], lines))
    bench.add(**{"with_gpu_work" if delivers else "host_only": 1})


def piece(bench, first, most):
    row.needs(TRAIN[0], TRAIN13[0], row.TALLY)
    n = min(most, len(KINDS))
    for number in range(first, first + n):
        case(bench, number)
    return n


if __name__ == "__main__":
    row.main(globals())
