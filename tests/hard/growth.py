"""Does memory grow? Of samples taken at regular moments: what is added per sample, with an interval.

The first third is left out: until then buffers reach their size. The rest is cut into pieces, of each of which the least counts: pages
come and go. What is added from one piece to the next is one observation, for memory grows in the steps of an allocator, so that neighbouring
samples say the same, and the error of a line fitted to them would be far too small. The interval is Student's, 99 %."""

BLOCKS = 12
T_99 = 3.106  # two-sided, 11 degrees of freedom


def per_sample(kib):
    """(KiB a sample, half of the interval)."""
    late = kib[len(kib) // 3:]
    if len(late) <= 2 * BLOCKS:
        raise ValueError("%d samples are too few" % len(kib))
    edges = [i * len(late) // (BLOCKS + 1) for i in range(BLOCKS + 2)]
    least = [min(late[a:b]) for a, b in zip(edges, edges[1:])]
    grown = [(b - a) * (BLOCKS + 1) / len(late) for a, b in zip(least, least[1:])]
    mean = sum(grown) / BLOCKS
    spread = (sum((g - mean) ** 2 for g in grown) / (BLOCKS - 1)) ** 0.5
    return mean, T_99 * spread / BLOCKS ** 0.5


def difference(of, without):
    """(KiB a sample, half of the interval): what the first grows more than the second."""
    (a, wide_a), (b, wide_b) = per_sample(of), per_sample(without)
    return a - b, (wide_a ** 2 + wide_b ** 2) ** 0.5


def verdict(grown, wide, most):
    """"grows" where even the least is above `most`, "still" where even the most is below it, else "unknown"."""
    return "grows" if grown - wide > most else "still" if grown + wide < most else "unknown"
