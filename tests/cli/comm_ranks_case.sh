#!/usr/bin/env bash
# Ranks of a job whose launcher names none (torch.multiprocessing.spawn, Lightning): the recorded places in its widest NCCL communicator.
. "$(dirname "$0")/lib.sh"

cat >"$work/comm_ranks.py" <<'EOF'
"""comm_ranks.py DIR PID[@RANK]:HASH/SIZE/PLACE,... ...: traces of one kernel each, with these communicators."""
import os
import sys

sys.path.insert(0, "tests/format")
from writer import TraceWriter

os.makedirs(sys.argv[1])
for number, job in enumerate(sys.argv[2:]):
    who, comms = job.split(":")
    pid, rank = [int(n) for n in (who + "@-1").split("@")[:2]]
    out = TraceWriter(os.path.join(sys.argv[1], "%d.baton" % pid))
    out.process(pid, rank=rank, host="node", source=os.environ.get("SOURCE", "baton"))
    thread, stream = out.thread("python", pid, pid), out.stream(out.device(number, "GPU", "GPU-%d" % number), 1, 7)
    for comm in filter(None, comms.split(",")):
        name, size, place = comm.split("/")
        out.communicator(int(size), int(name), ranks=place)
    out.rows("call", [{"start_ns": 0, "dur_ns": 5000, "thread": thread, "name": "cudaLaunchKernel", "correlation": 1}])
    out.rows("op", [{"start_ns": 9000, "dur_ns": 1000, "op_kind": 1, "stream": stream, "correlation": 1, "name": "k"}])
    out.close()
EOF

# ranks RANKS WORLD_SIZE MISSING JOB...: what `baton report` says of the traces; ranks in order of pid
ranks() {
	rm -rf "$work/run"
	"$PYTHON" "$work/comm_ranks.py" "$work/run" "${@:4}" || fail "comm_ranks.py ${*:4}"
	"$BATON" report --json "$work/run" >"$work/json" 2>"$work/err"
	checks=$((checks + 1))
	"$PYTHON" - "$work/json" "$1" "$2" "$3" <<-'EOF' || fail "${*:4}"
		import json, sys
		report = json.load(open(sys.argv[1]))
		by_pid = sorted((d["pids"][0], d["ranks"][0]) for d in report["devices"])
		told = "%s of %s, missing %s" % ([rank for _, rank in by_pid], report["run"]["world_size"], report["quality"]["missing_ranks"])
		wanted = "%s of %s, missing %s" % tuple(sys.argv[2:5])
		assert told == wanted, "%s instead of %s" % (told, wanted)
	EOF
}

# Keeps out: "device vm/GPU-... is last" where "rank 3 is last" could be said, in whatever order processes were made.
ranks "[1, 0]" 2 "[]" 100:7/2/1 101:7/2/0
# A rank whose file is not there is missed, as with a launcher.
ranks "[2, 0]" 4 "[1, 3]" 100:7/4/2 101:7/4/0
# The widest one numbers the job, not the pairs that stages of a pipeline make; a process without NCCL stays without.
ranks "[0, 1, 2, -1]" 3 "[]" 100:9/2/0,7/3/0 101:9/2/1,8/2/0,7/3/1 102:8/2/1,7/3/2 103:
# Of several as wide, the one with most members here.
ranks "[1, 0]" 2 "[]" 100:5/2/0,7/2/1 101:7/2/0
# Nobody's number: two halves of a job, one process with a device for each rank, ranks that the launcher names.
ranks "[-1, -1, -1, -1]" 4 "[]" 100:7/2/0 101:7/2/1 102:8/2/0 103:8/2/1
ranks "[-1]" 1 "[]" 100:7/2/0,7/2/1
ranks "[5, -1]" 2 "[]" 100@5:7/2/0 101:7/2/1
# Text of another tool, places that cannot be.
SOURCE=kineto ranks "[-1, -1]" 2 "[]" 100:7/2/0 101:7/2/1
ranks "[-1, -1]" 2 "[]" 100:7/2/2 101:7/2/-1
ranks "[-1, -1]" 2 "[]" 100:7/2/x 101:7/2/
finish
