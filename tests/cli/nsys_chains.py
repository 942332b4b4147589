"""The call stacks of an imported nsys file beside its CUDA_CALLCHAINS: nsys_chains.py BATON FILE.sqlite IMPORTED

Each call's stack is that of its chain: lines of Python as they stand, a native frame by its library. Calls without a chain have none."""
import collections, glob, json, re, sqlite3, subprocess, sys

baton, path, run = sys.argv[1:]
db = sqlite3.connect(path)
chains = collections.defaultdict(list)
for id, symbol, module in db.execute("SELECT c.id, s.value, m.value FROM CUDA_CALLCHAINS c LEFT JOIN StringIds s ON s.id = symbol "
                                     "LEFT JOIN StringIds m ON m.id = module ORDER BY c.id, stackDepth DESC"):
    python = module and re.fullmatch(re.escape(module) + r":\d+ .*", symbol or "")
    chains[id].append(symbol if python or symbol == "[backward]" else "native in " + (module or "?"))
want = collections.Counter(";".join(chains.get(chain, [])) for chain, in db.execute("SELECT callchainId FROM CUPTI_ACTIVITY_KIND_RUNTIME"))
want.pop("", 0)
got = collections.Counter()
for name in glob.glob(run + "/*.baton"):
    if name.endswith("summary.baton"):
        continue
    known = {"string": {}, "code": {}, "module": {}, "stack": {}}
    for line in subprocess.run([baton, "dump", "--json", name], stdout=subprocess.PIPE, check=True).stdout.splitlines():
        row = json.loads(line)
        if row["record"] in known:
            known[row["record"]][row["id"]] = row
        if row["record"] != "call" or not row.get("stack"):
            continue
        frames = []
        for frame in known["stack"][row["stack"]]["frames"]:
            kind, of = frame["kind"], frame["of"]
            code, module = known["code"].get(of), known["module"].get(of)
            frames.append("[backward]" if kind == 3 else f"{code['file']}:{code['first_line']} {code['function']}" if kind == 1
                          else "native in " + (module["path"] if module else "?"))
        got[";".join(reversed(frames))] += 1
assert got == want, (list((got - want).items())[:2], list((want - got).items())[:2])
print(sum(got.values()), "calls with stacks,", len(got), "stacks")
