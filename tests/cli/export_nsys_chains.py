"""The call stacks of an nsys export beside those of the tables: export_nsys_chains.py BATON RUN WORK_DIR"""

import collections, csv, glob, sqlite3, subprocess, sys
baton, run, work = sys.argv[1:]
subprocess.run([baton, "export", "--format", "csv", "--partition", "none", "-o", f"{work}/tables", run], check=True, capture_output=True)
subprocess.run([baton, "export", "--format", "nsys-sqlite", "-o", f"{work}/chains.sqlite", run], check=True, capture_output=True)
def rows(table):
    return [row for path in sorted(glob.glob(f"{work}/tables/{table}/*.csv")) for row in csv.DictReader(open(path))]
frames = collections.defaultdict(list)
for row in rows("stacks"):
    frames[row["rank"], row["pid"], row["stack"]].append((int(row["depth"]), row["frame"], row["file"] or row["library"]))
want = collections.Counter()
for call in rows("calls"):
    stack = tuple(f for f in sorted(frames.get((call["rank"], call["pid"], call["stack"]), [])))
    want[int(call["dur_ns"]), call["name"], int(call["correlation"] or 0) > 0, stack] += 1
db = sqlite3.connect(f"{work}/chains.sqlite")
chains = collections.defaultdict(list)
for id, depth, symbol, module in db.execute("SELECT c.id, stackDepth, s.value, m.value FROM CUDA_CALLCHAINS c "
                                            "LEFT JOIN StringIds s ON s.id = symbol LEFT JOIN StringIds m ON m.id = module"):
    chains[id].append((depth, symbol, module or ""))
got = collections.Counter()
for dur, name, correlated, chain in db.execute("SELECT end - start, n.value, COALESCE(correlationId, 0) > 0, callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME "
                                               "JOIN StringIds n ON n.id = nameId"):
    got[dur, name, bool(correlated), tuple(sorted(chains.get(chain, [])))] += 1
assert got == want, (list((got - want).items())[:2], list((want - got).items())[:2])
n = sum(count for key, count in got.items() if key[3])
assert n > 0 and db.execute("SELECT COUNT(*) FROM (SELECT id, stackDepth FROM CUDA_CALLCHAINS GROUP BY 1, 2 HAVING COUNT(*) > 1)").fetchone() == (0,)
print(n, "calls with stacks,", len(chains), "stacks")
