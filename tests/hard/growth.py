"""Does memory grow steadily? Of samples taken at regular moments: what is added per sample, with an interval.

The first third is left out: until then buffers reach their size. The rest is cut into pieces, of each of which the middle sample counts:
what is in use for a moment comes and goes. What is added from one piece to the next is one observation, for memory grows in steps, so that
neighbouring samples say the same, and the error of a line fitted to them would be far too small. A leak is there in each piece; a buffer
that a busy machine makes larger once is not: the middle observation counts, and its interval is from the third to the tenth of twelve (96 %, whatever their
distribution is)."""

import statistics

BLOCKS = 12


def per_sample(kib):
    """(least, middle, most) KiB a sample."""
    late = kib[len(kib) // 3:]
    if len(late) <= 2 * BLOCKS:
        raise ValueError("%d samples are too few" % len(kib))
    edges = [i * len(late) // (BLOCKS + 1) for i in range(BLOCKS + 2)]
    middle = [statistics.median(late[a:b]) for a, b in zip(edges, edges[1:])]
    grown = sorted((b - a) * (BLOCKS + 1) / len(late) for a, b in zip(middle, middle[1:]))
    return grown[2], (grown[BLOCKS // 2 - 1] + grown[BLOCKS // 2]) / 2, grown[-3]


def verdict(grown, most):
    """"grows" where even the least is above `most`, "still" where even the most is below it, else "unknown"."""
    return "grows" if grown[0] > most else "still" if grown[2] < most else "unknown"
