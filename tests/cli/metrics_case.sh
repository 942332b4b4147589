#!/usr/bin/env bash
# baton metrics: what a run shows, in Prometheus' text format, with the names of docs/METRICS.md and of the Grafana board.
# Keeps out: a text that Prometheus refuses; a name, unit or label that the page or the board does not have; a file that is read half
# written; figures other than the report's; a service that dies because there is nothing to report yet, or no room, or of a file that a
# dead one left, or of a signal that is to be ignored; one that is silent about what is new, or does not end.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

told() { # told: of the text in $work/out; its samples as JSON take its place
	checks=$((checks + 1))
	"$PYTHON" tests/cli/prometheus.py docs/METRICS.md docs/grafana.json <"$work/out" >"$work/samples" 2>"$work/why" || fail "$(tail -n 1 "$work/why")"
	mv "$work/samples" "$work/out"
}

# a late rank, and gauges: all that the page lists is printed, and is what the report says
expect_status 0 "$sim" -o "$work/run" --ranks 4 --steps 12 --kernels 200 --fault slow_gpu=40@2
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/run" '*:1:1980:0' >/dev/null || fail "gauges_made.py"
expect_status 0 "$BATON" report --json --fresh "$work/run"
mv "$work/out" "$work/report.json"
cp -r "$work/run" "$work/again"
rm "$work/again/summary.baton"
expect_status 0 "$BATON" metrics "$work/again" --run 'a "quoted\" name'
checks=$((checks + 1))
[ ! -e "$work/again/summary.baton" ] || fail "metrics stored a summary"
told
cat >"$work/compare.py" <<'END'
import json, re, sys
m, r = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
value = lambda name, **labels: next(v for l, v in m[name] if all(l[k] == w for k, w in labels.items()))
near = lambda a, b: abs(a - b) <= 1e-6 * max(1e-9, abs(b))
listed = set(re.findall(r"^\| `(\w+)`", open("docs/METRICS.md").read(), re.M))
assert listed == set(m), listed ^ set(m)
for d in r["devices"]:
    assert near(value("baton_device_step_seconds", device=d["device"]), d["step_ns"]["mean"] * 1e-9), d["device"]
    idle = sum(ns for leaf, ns in d["time_ns"].items() if leaf.startswith("idle"))
    assert near(value("baton_device_idle_ratio", device=d["device"]), idle / d["window_ns"])
    assert value("baton_gpu_sm_clock_hertz", device=d["device"]) == 1.98e9
windows = sum(d["window_ns"] for d in r["devices"])
assert near(sum(v for _, v in m["baton_step_share_ratio"]), 1)
for labels, share in m["baton_step_share_ratio"]:
    ns = sum(d["time_ns"].get(labels["leaf"], 0) for d in r["devices"])
    assert abs(share - ns / windows) < 1e-3, (labels, share, ns / windows)
late = {int(l["rank"]): v for l, v in m["baton_rank_late_seconds"]}
assert sorted(late) == [0, 1, 2, 3] and late[2] > 0 and late[0] == late[1] == late[3] == 0, late
busbw = sorted(n["busbw_gbps"] * 1e9 for n in r["nccl"] if n["busbw_gbps"])
assert busbw and all(near(a, b) for a, b in zip(sorted(v for _, v in m["baton_nccl_bus_bandwidth_bytes_per_second"]), busbw))
assert all(l["run"] == r'a \"quoted\\\" name' for samples in m.values() for l, _ in samples)
rows = map(json.loads, sys.stdin)
newest_ns = max(row["start_ns"] + row["dur_ns"] for row in rows if row["record"] == "op")
assert near(value("baton_gpu_work_timestamp_seconds"), newest_ns * 1e-9)
assert value("baton_up") == 1 and value("baton_steps") == r["run"]["steps"] and value("baton_missing_ranks") == 0
END
checks=$((checks + 1))
"$BATON" dump --json "$work/again" 2>/dev/null | "$PYTHON" "$work/compare.py" "$work/out" "$work/report.json" 2>"$work/err" || fail "$(tail -n 1 "$work/err")"

# --last: as fewer steps, as long as all of them, as the same rank is late; what was reduced so is stored nowhere
expect_status 0 "$sim" -o "$work/long" --ranks 4 --steps 400 --kernels 200 --fault slow_gpu=40@2
expect_status 0 "$BATON" metrics "$work/long"
told
cp "$work/out" "$work/all.json"
expect_status 0 "$BATON" metrics "$work/long" --last 1s
told
cat >"$work/last.py" <<'END'
import json, sys
part, whole = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
value = lambda m, name, **labels: next(v for l, v in m[name] if all(l[k] == w for k, w in labels.items()))
mean = [value(m, "baton_step_seconds", stat="mean") for m in (part, whole)]
assert value(whole, "baton_steps") > 390
# 1 s and at most a block more: the simulator's blocks have 65,536 rows
assert 1 / mean[1] - 3 < value(part, "baton_steps") < 200, value(part, "baton_steps")
assert value(part, "baton_launches") < value(whole, "baton_launches") / 2
assert abs(mean[0] - mean[1]) < 0.01 * mean[1], mean
late = [value(m, "baton_rank_late_seconds", rank="2") for m in (part, whole)]
assert late[1] > 0 and abs(late[0] - late[1]) < 0.1 * late[1], late
END
checks=$((checks + 1))
"$PYTHON" "$work/last.py" "$work/out" "$work/all.json" 2>"$work/err" || fail "$(tail -n 1 "$work/err")"
expect_status 0 "$BATON" report --json "$work/long"
expect_true 'd["run"]["steps"] > 390'

# labels of any bytes
expect_status 0 "$BATON" metrics "$work/again" --run $'a\xff\x01b\xc3\xa9\xed\xa0\x80'
told
expect_true 'd["baton_up"][0][0]["run"] == "a\ufffd\ufffdb\xe9\ufffd\ufffd\ufffd"'

# into a file, again and again: a reader never meets half of it, and a signal ends it
mkdir "$work/wait"
(
	trap '' HUP
	echo stale >"$work/run.prom.$BASHPID.new"
	exec "$BATON" metrics "$work/wait" -o "$work/run.prom" --every 1s 2>"$work/said"
) &
service=$!
wait_to_say() { # wait_to_say TEXT: on stderr
	local n=0
	while ! grep -q -- "$1" "$work/said" && [ $((n += 1)) -lt 600 ]; do sleep 0.05; done
	checks=$((checks + 1))
	grep -q -- "$1" "$work/said" || fail "the service never says $1"
}
wait_for() { # wait_for TEXT: in the file; in the meantime it is whole, whenever it is there
	local n=0
	while ! grep -q "$1" "$work/run.prom" 2>/dev/null && [ $((n += 1)) -lt 600 ]; do
		[ ! -e "$work/run.prom" ] || tail -n 1 "$work/run.prom" | grep -q '^baton_.* [0-9.e+-]*$' || fail "half a file"
		sleep 0.05
	done
	checks=$((checks + 1))
	grep -q "$1" "$work/run.prom" || fail "the file never has $1"
}
wait_for '^baton_up{.*} 0$' # there is nothing yet
cp "$work"/run/[0-9a-f]*.baton "$work/wait"
wait_for '^baton_up{.*} 1$'
cp "$work/run.prom" "$work/out"
told
expect_true 'd["baton_steps"][0][1] > 0'
# what is new is said, once; a turn that cannot write does not end it, nor does a signal that was ignored
kill -HUP $service
echo "no trace" >"$work/wait/broken.baton"
wait_to_say broken.baton
until rm -f "$work/run.prom" && mkdir "$work/run.prom" 2>/dev/null; do :; done # it may come back between the two
wait_to_say 'run.prom: '
rmdir "$work/run.prom"
wait_for '^baton_up{.*} 1$'
rm "$work/run.prom"
wait_for '^baton_up{.*} 1$'
checks=$((checks + 3))
[ "$(grep -c broken.baton "$work/said")" = 1 ] || fail "it says of broken.baton: $(grep broken.baton "$work/said")"
kill -TERM $service
wait $service
status=$?
[ $status = 0 ] || fail "ended with $status"
[ -z "$(find "$work" -maxdepth 1 -name 'run.prom.*')" ] || fail "a file is left beside the metrics"

# it ends in the middle of a turn
expect_status 0 "$sim" -o "$work/large" --ranks 4 --steps 200 --kernels 800
"$BATON" metrics "$work/large" -o "$work/large.prom" --every 1h &
service=$!
while [ ! -e "$work/large.prom.$service.new" ] && kill -0 $service 2>/dev/null; do :; done
kill -TERM $service
wait $service
status=$?
checks=$((checks + 2))
[ $status = 0 ] || fail "ended with $status in a turn"
[ -z "$(find "$work" -maxdepth 1 -name 'large.prom*')" ] || fail "it finished its turn"

# once, of nothing
mkdir "$work/none"
expect_status 3 "$BATON" metrics "$work/none"
told
expect_true 'd["baton_up"][0][1] == 0 and "baton_steps" not in d'
expect_status 5 "$BATON" metrics "$work/run" -o "$work/no/such/place.prom"
expect_status 5 "$BATON" metrics "$work/run" -o "$work/no/such/place.prom" --every 1s
expect_says "$work/no/such/place.prom: "
expect_status 2 "$BATON" metrics "$work/run" --every 5
expect_says "--every needs -o FILE"
expect_status 2 "$BATON" metrics "$work/run" -o "$work/x.prom" --every 0
expect_says "--every wants a time of a second to a year, such as 15s or 1m, not '0'"
expect_status 2 "$BATON" metrics "$work/run" --last 1x
expect_says "--last wants a time of a second to a year, such as 15s or 1m, not '1x'"
expect_status 2 "$BATON" metrics
finish
