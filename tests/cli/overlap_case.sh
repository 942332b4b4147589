#!/usr/bin/env bash
# The replay of a damaged trace in which a thread sleeps many times at once. Keeps out: memory and time that grow with the
# square of such rows (900 MiB for 8,000 of them, where their threads wait for Python's lock and for a core).
. "$(dirname "$0")/lib.sh"
case ${BUILD:-} in
*san-*) skip "a sanitizer keeps freed memory" ;;
esac

expect_status 0 "$(dirname "$BATON")/baton-sim" -o "$work/run" --ranks 2 --steps 6 --fault slow_host@0
trace=$(ls "$work/run"/*.1.0.baton)
PYTHONPATH=tests/format "$PYTHON" - "$trace" <<-'EOF' || fail "the trace was not changed"
	import struct, sys
	import second_reader, writer
	ROWS = 4000
	data = open(sys.argv[1], "rb").read()
	end = second_reader.BLOCK_HEADER_BYTES + 8
	trace = writer.TraceWriter(sys.argv[1])
	trace.parts, trace.sequence = [data[:-end]], struct.unpack("<Q", data[-8:])[0]
	first = 1760000001300000000
	rows = []
	for i in range(ROWS):
	    ns = 200000000 - i
	    rows.append({"start_ns": first + i, "dur_ns": ns, "thread": 1, "slept_ns": ns, "waited_ns": 0, "holder": 2})
	    rows.append({"start_ns": first + i, "dur_ns": ns, "thread": 2, "slept_ns": 0, "waited_ns": ns, "holder": 0})
	trace.rows("sched", rows)
	trace.close()
EOF
expect_status 0 "$BATON" check "$trace"
checks=$((checks + 1)) last="report --critical of rows that overlap"
"$PYTHON" - "$work/kib" "$BATON" report --critical --fresh "$work/run" <<-'EOF' || fail "it was not replayed"
	import resource, subprocess, sys
	status = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL).returncode
	print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=open(sys.argv[1], "w"))
	sys.exit(status)
EOF
checks=$((checks + 1)) last="memory of report --critical"
[ "$(cat "$work/kib")" -lt 200000 ] || fail "$(cat "$work/kib") KiB"
finish
