# The probe's whole logic over the doubles: every section speaks, a crash, a hang or missing functions (planted.c) cost one section or
# part of it, fixtures are sound, and without a GPU it says so and steps aside. Times mean nothing here.
. tests/cli/lib.sh
: "${BUILD:=build/release}"
tool=tools/probe probe=$BUILD/probe/planted doubles=$PWD/$BUILD/simgpu
case $BUILD in *san-*) doubles=$PWD/build/release/simgpu ;; esac # a sanitizer is in the probe, not in them
[ -e "$doubles/libcupti.so.13" ] || skip "not built: make doubles cupti"
export LD_LIBRARY_PATH=$doubles ASAN_OPTIONS=detect_leaks=0:handle_segv=0
export SIMGPU_GAP_NS=900 SIMGPU_GRAPH_GAP_NS=900 SIMGPU_DURATIONS=probe_spin=100000 SIMGPU_CUPTI_INCOMPLETE=1
driver="--driver $doubles/libcuda.so.1 --quick" both="--driver $doubles/libcuda.so.1 --cupti $doubles/libcupti.so.13 --quick"

rows() { # rows EXPRESSION: over `s`, a map of sections, and `row(section, name)`
	checks=$((checks + 1))
	"$PYTHON" - "$work/run/probe.json" "$1" 2>"$work/why" <<-'EOF2' || fail "not true: $1 $(tail -n 1 "$work/why")"
		import json, sys
		s = {x["name"]: x for x in json.load(open(sys.argv[1]))["sections"]}
		def row(section, name):
		    return next(r for r in s[section]["rows"] if r["name"] == name)
		def value(section, name):
		    return row(section, name)["values"][-1]
		sys.exit(not eval(sys.argv[2]))
	EOF2
}

# whole
expect_status 0 "$probe" "$work/run" $both
expect_says "19 sections, 0 of them not whole"
expect_prints "Simulated GPU" "p99.9"
rows 'len(s) == 20 and all(x["status"] == "ok" for x in s.values())'
rows 'row("launch", "cuLaunchKernel, both")["n"] == 3 * 10 * 200'
rows 'len(row("launch", "cost of: kernel")["round_differences"]) == 3'
rows 'value("launch", "callbacks seen [both]") == 2 * (10 * 200 + 4)'
rows 'all(a <= b for r in s["launch"]["rows"] if "n" in r for a, b in [(r["min"], r["p05"]), (r["p05"], r["median"]), (r["median"], r["p99"]), (r["p99"], r["p999"]), (r["p999"], r["max"])])'
rows 'value("graph", "node records [nodes]") == 11 * 100 and value("graph", "graph trace records [trace]") == 11'
rows 'row("graph", "gap between nodes of a graph")["median"] == 900'
rows 'row("latency", "launch call to start, stream just idle")["n"] == 40'
rows 'value("latency", "launches without a complete record, stream just idle") == 0'
rows 'value("callbacks", "driver call shares the runtime call'"'"'s correlation") == 5'
rows 'value("callbacks", "exits that match no enter") == 0 and value("callbacks", "pairs of enter and exit") == value("callbacks", "of them with our data carried over")'
rows 'value("callbacks", "records with the id of no call") == 0'
rows 'value("events", "CONCURRENT_KERNEL record") == 216 and value("events", "MEMCPY record") == 96'
rows 'value("events", "CUDA_EVENT records") == 10 and value("order", "completed on the thread that flushed [default]") == 0'
rows 'value("order", "records [shared]") == 2 * 44 + 4 and value("order", "earlier start than the record before, same buffer [shared]") > 0'
rows 'row("subscribe", "second cuptiSubscribe")["text"].startswith("39 CUPTI_ERROR_MULTIPLE") and "CUPTI for" in row("subscribe", "it names the holder")["text"]'
rows 'value("timestamps", "records in our clock [first]") == 14 and value("timestamps", "records out of it [first]") == 0'
rows 'value("attributes", "bytes left as we filled them [default]") == 0 and value("attributes", "bytes left as we filled them [zeroed]") > 0'
rows 'value("dropped", "dropped without buffers") == 1000 and value("dropped", "records of them") == 1000'
rows 'row("teardown", "its flush gave records [late]")["values"] == [50, 0] and row("teardown", "callback of a context'"'"'s end [context]")["text"] == "reached"'
rows 'abs(row("clocks", "cuptiGetTimestamp - REALTIME")["median"]) < 10**6'
for fixture in graph_nodes graph_trace latency incomplete order callbacks events copies; do
	expect_status 0 "$BUILD/probe/fixture_dump" "$work/run/fixtures/$fixture.fixture"
	expect_prints "driver 13000" "gpu=Simulated GPU sm_80" "section=$fixture"
done

# while a kernel runs for so long that a busy machine can launch behind it: gaps, what fits behind it, and what a flush gives
export SIMGPU_DURATIONS=probe_spin=50000000
expect_status 0 "$probe" "$work/run" $both --only dependency
rows 'row("dependency", "gap across streams by an event")["min"] == 900'
export SIMGPU_DURATIONS=probe_spin=500000000
expect_status 0 "$probe" "$work/run" $both --only latency
rows 'row("latency", "gap between queued kernels of a stream")["median"] == 900'
expect_status 0 "$probe" "$work/run" $both --only queue
rows 'value("queue", "launches queued before one blocked [bare]") == 1021 and value("queue", "of them command buffer full [cupti]") == 1'
expect_status 0 "$probe" "$work/run" $both --only incomplete
rows 'value("incomplete", "of them incomplete [forced]") == 21 and value("incomplete", "records given later [forced]") == 0'
rows 'value("incomplete", "records it gave [unforced]") == 0 and value("incomplete", "records given later [unforced]") == 21'
export SIMGPU_DURATIONS=probe_spin=100000

# one section crashes, one hangs: only they are lost, and what they said before counts
expect_status 4 env PLANT_CRASH=cuGraphLaunch "$probe" "$work/run" $both
rows 's["graph"]["status"].endswith("died of signal 11") and s["latency"]["status"] == "ok" and s["callbacks"]["status"] != "ok"'
expect_status 4 env PLANT_EXIT=cuGraphLaunch "$probe" "$work/run" $both --only graph
rows 's["graph"]["status"] == "trace exit status 9"'
expect_status 4 env PLANT_HANG=cuEventRecord "$probe" "$work/run" $both --only dependency --timeout 2
rows '"killed after 2 s" in s["dependency"]["status"]'
expect_status 4 env PLANT_HANG=cuLaunchKernel "$probe" "$work/run" $both --only launch --timeout 1
rows '"killed after 1 s" in s["launch"]["status"] and s["launch"]["seconds"] < 7' # two of its 21 runs, not all

# functions are missing: said, and the rest goes on
missing="cuEventCreate cuEventRecord cuStreamWaitEvent cuEventSynchronize cuLaunchHostFunc cuStreamBeginCapture_v2 cuStreamEndCapture"
missing="$missing cuGraphInstantiateWithFlags cuGraphLaunch cuptiSubscribe_v2 cuptiActivityRegisterTimestampCallback"
missing="$missing cuptiActivityFlushPeriod cuptiActivityGetNumDroppedRecords"
expect_status 0 env PLANT_MISSING="$missing" "$probe" "$work/run" $both
rows '"cuStreamBeginCapture_v2 is not there: what needs it is left out" in s["graph"]["messages"]'
rows 'row("launch", "cuLaunchKernel, both")["n"] == 6000 and row("latency", "length of an empty kernel")["n"] > 0'
rows 'row("subscribe", "second cuptiSubscribe")["text"].startswith("39")'

# no CUPTI: what needs none is measured
expect_status 0 "$probe" "$work/run" $driver --cupti /nowhere/libcupti.so
rows 's["candidates"]["status"] == "no CUPTI that works here" and row("launch", "cuLaunchKernel, bare")["n"] == 6000'

# no GPU, no driver, no such option, no place to write to
expect_status 77 env SIMGPU_FAIL_INIT=100 "$probe" "$work/run" $both
expect_says "no usable GPU"
expect_status 77 "$probe" "$work/run" --driver /nowhere/libcuda.so.1
expect_says "no CUDA driver"
expect_status 2 "$probe" "$work/run" --nonsense
expect_status 5 "$probe" /proc/nowhere
[ -e "/dev/nvidia0" ] || {
	expect_status 77 env -u LD_LIBRARY_PATH sh "$tool/run.sh" "$work/other"
	expect_says "libcuda.so.1 not found"
}

# run.sh builds, runs and packs; a program without the sanitizer cannot load the libcupti double that is built with it
case $BUILD in *san-*) export CC="${CC:-gcc} -fsanitize=$(echo "${BUILD##*san-}" | tr - ,)" ;; esac
expect_status 0 sh "$tool/run.sh" "$work/packed" $both --only latency
checks=$((checks + 1))
tar -tzf "$work/packed/fixtures.tar.gz" | grep -q latency.fixture || fail "no fixture in the archive"
expect_nothing_in "$work/packed/fixtures"
finish
