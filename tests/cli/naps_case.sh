#!/usr/bin/env bash
# Whom a sleeping thread waits for is found in time that grows with the trace. Keeps out: sleeps that are kept and sorted again at
# each gap (60 s), and every thread of the process looked at in each gap (4 s). Within one gap of very many sleeps the search ends, and a line
# says so; keeps out: four times the time for twice the sleeps.
. "$(dirname "$0")/lib.sh"
limit=3
case ${BUILD:=build/release} in *san-*) limit=30 ;; esac
for kind in long threads; do
	"$PYTHON" tests/cli/naps_traces.py "$kind" "$work/$kind" || fail "naps_traces.py $kind"
	expect_status 0 timeout "$limit" "$BATON" reduce --steps none "$work/$kind"
done
spent() { # spent SLEEPS: milliseconds that the reduction takes on a core
	"$PYTHON" tests/cli/naps_traces.py gap "$work/gap$1" "$1" || fail "naps_traces.py gap $1"
	"$PYTHON" - "$BATON" "$work/gap$1" 2>"$work/err" <<-'PY'
		import resource, subprocess, sys
		subprocess.run([sys.argv[1], "reduce", "--steps", "none", sys.argv[2]], check=True, stdout=subprocess.DEVNULL, timeout=300)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(round(1000 * (used.ru_utime + used.ru_stime)))
	PY
}
once=$(spent 12000) twice=$(spent 24000)
checks=$((checks + 2))
[ "$twice" -lt $((5 * once / 2 + 50)) ] || fail "12,000 sleeps in a gap take $once ms, 24,000 $twice ms"
grep -q "threads have too many rows in 1 gap of a GPU:" "$work/err" || fail "no line says that the search ended"
finish "$once ms, of twice as many $twice ms"
