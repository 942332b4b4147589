"""Writes a timeline of a healthy job as CSV: stragglers_made.py FILE [--steps N] [--dp N] [--stages N] [--microbatches N]

All forwards, then all backwards; an operation computes for 9 us and is sent for 1 us.
"""

import argparse

COLUMNS = "step,dp_rank,stage,microbatch,type,start_us,end_us"


def rows(step, dp, stages, microbatches):
    """Those of a data-parallel rank in a step."""
    half = 10 * (microbatches + stages)
    done = 2 * half
    for stage in range(stages):
        for i in range(microbatches):
            for at, kind, first, last in ((10 * (i + stage), "forward", stage == 0, stage == stages - 1),
                                          (half + 10 * (i + stages - 1 - stage), "backward", stage == stages - 1, stage == 0)):
                yield step, dp, stage, i, kind + "-compute", at, at + 9
                if not first:
                    yield step, dp, stage, "", kind + "-recv", max(at - 10, 0), at
                if not last:
                    yield step, dp, stage, "", kind + "-send", at + 9, at + 10
        yield step, dp, stage, "", "grads-reduce-scatter", done, done + 5
        yield step, dp, stage, "", "optimizer", done + 5, done + 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    for name, default in (("--steps", 3), ("--dp", 2), ("--stages", 2), ("--microbatches", 4)):
        parser.add_argument(name, type=int, default=default)
    asked = parser.parse_args()
    with open(asked.file, "w") as out:
        out.write(COLUMNS + "\n")
        for step in range(asked.steps):
            for dp in range(asked.dp):
                out.writelines("%d,%d,%d,%s,%s,%d,%d\n" % row for row in rows(step, dp, asked.stages, asked.microbatches))


if __name__ == "__main__":
    main()
