#!/usr/bin/env bash
# baton reduce on some of the machine's cores, with as many threads: the same bytes.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}

# on_cores.py N COMMAND...: on N of the cores that this process may use, or as many as it may
cat >"$work/on_cores.py" <<-'END'
	import os, sys
	os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(sys.argv[1])])
	os.execvp(sys.argv[2], sys.argv[2:])
END

# Keeps out: a result that depends on which thread took which device: `quality.records` once did, where rows are read ahead.
for workload in inference short_backward; do
	expect_status 0 "$sim" -o "$work/$workload" --workload $workload --ranks 8 --steps 12
	for cores in 1 2 64; do
		for round in 1 2; do
			rm -f "$work/$workload/summary.baton"
			expect_status 0 "$PYTHON" "$work/on_cores.py" $cores "$BATON" report --json "$work/$workload"
			mv "$work/out" "$work/$workload.$cores.$round.json"
			mv "$work/$workload/summary.baton" "$work/$workload.$cores.$round.baton"
			checks=$((checks + 1))
			cmp "$work/$workload.1.1.json" "$work/$workload.$cores.$round.json" &&
				cmp "$work/$workload.1.1.baton" "$work/$workload.$cores.$round.baton" || fail "$workload: $cores cores differ"
		done
	done
done
finish
