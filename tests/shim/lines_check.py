"""lines_check.py [off]: what `baton dump --json` says of a recorded lines.py, on stdin. Every call must carry the line it was made
on (`off`: none may carry a stack), and the calls that have something to wait for or to name must be there."""
import sys

import dumped

NEEDED = """cudaMalloc cudaFree cudaHostAlloc cudaFreeHost cudaMemcpy cudaMemcpyAsync cudaMemset cudaMemsetAsync
    cudaStreamSynchronize cudaDeviceSynchronize cudaEventSynchronize cudaEventRecord cudaStreamWaitEvent cudaStreamCreate
    cudaGraphLaunch ncclCommInitAll ncclAllReduce ncclCommDestroy""".split()
OTHER_NAMES = {"cuGraphInstantiateWithFlags": "cudaGraphInstantiate"}


def functions(stack):
    return [codes[frame["of"]] for frame in stack if frame["kind"] == 1 and frame["of"] in codes]


codes, stacks, rows = dumped.read(sys.stdin)
calls = [(row["name"], functions(stacks.get(row.get("stack", 0), []))) for row in rows if row["record"] == "call"]

wrong = ["no " + name for name in NEEDED if name not in {name for name, _ in calls}]
for name, found in calls:
    if sys.argv[1:] == ["off"]:
        wrong += ["%s has a stack" % name] if found else []
    elif OTHER_NAMES.get(name, name) not in found[:2] or found[-1] != "<module>":
        wrong.append("%s was called in %s" % (name, found))
print("; ".join(wrong) or "%d calls" % len(calls))
sys.exit(bool(wrong))
