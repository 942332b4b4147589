#!/usr/bin/env bash
# The timeline of a step on the page of `report`: the steps of middle length and the longest one, their ranks, idle time and events are those that
# `baton dump` prints (tests/page/steps.py); many ranks share rows; what is left out is counted; where there is no step the page says why.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

steps() { # steps RUN WORDS: the page of RUN against dump; WORDS: of events left out
	expect_status 0 "$BATON" report --kernels 0 "$1" --html "$work/page.html"
	checks=$((checks + 1))
	"$PYTHON" tests/page/steps.py "$BATON" "$work/page.html" "$1" >"$work/why" || fail "$1: $(head -n 5 "$work/why")"
	grep -Eq "$2" "$work/why" || fail "$1: $(cat "$work/why")"
}
expect_status 0 "$sim" -o "$work/4" --ranks 4 --steps 9 --kernels 150 --fault slow_gpu=20@2
expect_status 0 "$sim" -o "$work/66" --ranks 66 --steps 4 --kernels 40 --seed 5
expect_status 0 "$sim" -o "$work/long" --ranks 4 --steps 3 --kernels 4000 --seed 6
steps "$work/4" ", 0 events left out"
steps "$work/66" ", 0 events left out"
steps "$work/long" ", [1-9][0-9]* events left out"

# What the GPUs showed in the steps: every second look at one of them is slow, for a reason.
expect_status 0 "$sim" -o "$work/hot" --ranks 2 --steps 12 --kernels 60
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/hot" '*:1:1980:0' '1:2:1500:0x4' || fail gauges_made.py
steps "$work/hot" ", 0 events left out"
grep -q '"with_readings":2,.*"name":"sm_mhz".*"reasons":\["SW power cap"\]' "$work/page.html" || fail "the page has no readings"

lack() { # lack WORDS: what the page says of its timeline
	"$PYTHON" - "$work/page.html" "$1" <<'PY' || fail "the page does not say: $1"
import json, re, sys
found = json.loads(re.search(r'id="timeline">(.*?)</script>', open(sys.argv[1], encoding="utf-8").read(), re.S).group(1))
assert sys.argv[2] in found["lack"] and found["steps"] == [], found
PY
	checks=$((checks + 1))
}
expect_status 0 "$sim" -o "$work/one" --ranks 2 --steps 1 --kernels 60 --nvtx off
expect_status 0 "$BATON" report "$work/one" --html "$work/page.html"
lack "this run has no steps"
expect_status 0 "$BATON" reduce "$work/4" -o "$work/4.baton"
expect_status 0 "$BATON" report "$work/4.baton" --html "$work/page.html"
lack "only its summary"

# What is wrong with a run gives one message, though it is read again for the events.
cp -r "$work/4" "$work/three"
rm "$work/three/summary.baton" "$(ls "$work/three"/*.baton | grep -v summary | tail -n 1)"
expect_status 4 "$BATON" report "$work/three" --html "$work/page.html"
checks=$((checks + 1))
[ "$(grep -c 'has no file' "$work/err")" = 1 ] || fail "said not once: $(cat "$work/err")"

# A run of more steps than a summary keeps one by one is read for their lengths.
expect_status 0 "$sim" -o "$work/many" --ranks 1 --steps 4200 --kernels 12
steps "$work/many" ", 0 events left out"
finish
