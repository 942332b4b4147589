"""growth.py: a leak is found in memory that comes in pages and steps, a buffer that becomes larger once is none, and what is too noisy is not
judged. Keeps out: a warm-up or a step that counts as a leak, a slope with an error that is too small."""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import growth  # noqa: E402


def memory(seed, leak_kib, warm=40, noise_kib=12, step_kib=4, samples=200):
    """KiB: buffers that fill until sample `warm`, a leak in steps, and pages that come and go."""
    rng = random.Random(seed)
    return [20000 + min(i, warm) * 50 + int(i * leak_kib / step_kib) * step_kib + rng.choice((0, 0, 0, 4, noise_kib)) for i in range(samples)]


def expect(true, text):
    if not true:
        sys.exit("growth: " + text)


def main():
    found = {leak: [growth.verdict(growth.per_sample(memory(seed, leak)), 1) for seed in range(200)] for leak in (0, 0.2, 1, 2, 8)}
    for leak in (0, 0.2):
        expect(found[leak].count("grows") == 0 and found[leak].count("still") > 190, "%g KiB a sample: %s" % (leak, found[leak]))
    for leak in (2, 8):
        expect(found[leak].count("still") == 0 and found[leak].count("grows") > 190, "%g KiB a sample: %s" % (leak, found[leak]))
    # at the limit itself both answers are wrong: mostly it says that it does not know
    expect(found[1].count("unknown") > 190, "at the limit: %s" % found[1])
    # steps that are larger than what leaks in a piece: not known, instead of a wrong answer
    coarse = [growth.verdict(growth.per_sample(memory(seed, 1, step_kib=32)), 1) for seed in range(100)]
    expect(coarse.count("grows") + coarse.count("still") < 5, "large steps: %s" % coarse)
    stepped = [[kib + 16000 * (i > 130) for i, kib in enumerate(memory(seed, leak))] for leak in (0, 3) for seed in range(100)]
    found = [growth.verdict(growth.per_sample(kib), 1) for kib in stepped]
    expect(found[:100].count("still") > 90 and "grows" not in found[:100], "a buffer that becomes larger: %s" % found[:100])
    expect(found[100:].count("grows") > 90 and "still" not in found[100:], "a leak beside it: %s" % found[100:])
    try:
        growth.per_sample([1] * 12)
    except ValueError:
        print("leaks of 2 and 8 KiB a sample found in noise of 12, none of 0 and 0.2")
        return
    sys.exit("growth: 12 samples are enough")


main()
