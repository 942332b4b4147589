"""merge_trees.py BATON OUT SEED COUNT STATUS PART...: merges the parts COUNT times in random trees and orders. All have to give one file,
which becomes OUT; the last merge of each has to end with STATUS."""

import os
import random
import subprocess
import sys

baton, out, seed, count, status = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
parts = sys.argv[6:]
rng = random.Random(seed)
wanted = None
for tree in range(count):
    left, made = list(parts), 0
    rng.shuffle(left)
    while len(left) > 1 or made == 0:
        some = [left.pop(rng.randrange(len(left))) for _ in range(min(len(left), rng.choice((1, 2, 2, 3, 5))))]
        path = "%s.%d" % (out, made)
        ended = subprocess.run([baton, "merge", *some, "-o", path], stderr=subprocess.PIPE, text=True)
        if ended.returncode not in (0, 4):
            sys.exit("seed %d, tree %d: status %d: %s" % (seed, tree, ended.returncode, ended.stderr))
        left.append(path)
        made += 1
    if ended.returncode != status:
        sys.exit("seed %d, tree %d: status %d, expected %d" % (seed, tree, ended.returncode, status))
    merged = open(left[0], "rb").read()
    if wanted is None:
        wanted = merged
        open(out, "wb").write(merged)
    if merged != wanted:
        sys.exit("seed %d, tree %d: other bytes" % (seed, tree))
    for i in range(made):
        os.unlink("%s.%d" % (out, i))
print("ok")
