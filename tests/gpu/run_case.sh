# The harness for a real GPU (tests/gpu/run.sh) over the doubles: every job runs, every answer is found, the table is whole.
. tests/cli/lib.sh
preloads simgpu/libcupti.so.13
[ -x "$BATON" ] || fail "no $BATON"
expect_status 0 sh tests/gpu/run.sh "$work/gpu" --simulated --no-torch --pairs 2
expect_says " 0 wrong"
expect_prints "simulated: no measurement" "injected sleep: idle time attributed to the host, of the time slept | right" "ns a launch, baton"
checks=$((checks + 1))
"$PYTHON" -c 'import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not (d["schema"] == "baton.gpu-run/0" and d["simulated"] and d["wrong"] == 0 and sum(v.startswith("right") for _, v in d["rows"]) >= 10))' \
	"$work/gpu/results.json" || fail "results.json"
[ -e /dev/nvidia0 ] || expect_status 77 env LD_LIBRARY_PATH= sh tests/gpu/run.sh "$work/none" --no-torch --pairs 1
finish
