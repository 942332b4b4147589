#!/usr/bin/env bash
# Pages of report, compare and jitter in Chromium (browser.mjs). PAGE_SHOTS=DIR: pictures of each view, light and dark, wide and narrow.
. "$(dirname "$0")/../cli/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}
sh tests/page/install.sh >"$work/installed" || skip "$(tail -n 1 "$work/installed")"
chromium=$(tail -n 1 "$work/installed")

"$PYTHON" tests/page/made.py "$work/hostile" && "$PYTHON" tests/page/made.py "$work/plain" --plain || fail made.py
"$PYTHON" - "$work/train.py" <<'PY' || fail "no source"
import sys
lines = [f"line {i}" for i in range(1, 40)]
lines[9], lines[19] = "        return '</script><script>window.ran=9</script><img src=x onerror=window.ran=10>' # net", "    loss = '\u2028window.ran=11' & \"quoted\" # \u202etxt\u202c"
open(sys.argv[1], "w", encoding="utf-8").write("\n".join(lines) + "\n")
PY
"$PYTHON" tests/page/made.py "$work/source" --plain --train "$work/train.py" || fail made.py
for n in 1 2 4; do
	expect_status 0 "$sim" -o "$work/$n" --ranks $n --steps 12 --kernels 200 $([ $n = 4 ] && echo --fault slow_gpu=20@2)
done
expect_status 0 "$sim" -o "$work/one" --ranks 2 --steps 1 --kernels 60 --nvtx off # no steps
expect_status 0 "$sim" -o "$work/large" --ranks 2 --steps 12 --kernels 300
expect_status 0 "$sim" -o "$work/several" --workload dataparallel --ranks 3 --steps 6 --kernels 60 # one process
expect_status 0 "$sim" -o "$work/stalls" --ranks 2 --steps 20 --kernels 120 --fault module_load --fault sync # a few steps have it
expect_status 0 "$sim" -o "$work/hot" --ranks 2 --steps 12 --kernels 60
"$PYTHON" tests/shim/gauges_made.py "$BATON" "$work/hot" '*:1:1980:0' '1:2:1500:0x4' || fail gauges_made.py
mkdir "$work/pages"
both() { # both NAME COMMAND...: the page and what --json prints
	expect_status 0 "${@:2}" --html "$work/pages/$1.html" --json
	mv "$work/out" "$work/pages/$1.json"
}
both plain "$BATON" report --gaps 5 "$work/plain"
both hostile "$BATON" report --gaps 5 "$work/hostile"
both four "$BATON" report "$work/4"
expect_status 0 "$sim" -o "$work/healthy" --ranks 4 --steps 12 --kernels 200
both paired "$BATON" compare "$work/healthy" "$work/4"
for run in healthy/base 4/run; do "$BATON" report --json "$work/${run%/*}" >"$work/pages/paired.${run#*/}"; done
both source "$BATON" report "$work/source"
both scaling "$BATON" compare "$work/1" "$work/2" "$work/4"
both twins "$BATON" compare "$work/plain" "$work/hostile"
both one "$BATON" report "$work/one"
both stalls "$BATON" report "$work/stalls"
both hot "$BATON" report "$work/hot"
both several "$BATON" report "$work/several"
both other "$BATON" compare "$work/2" "$work/large"
both jitter "$BATON" jitter --rank 2 "$work/4" --csv "$work/pages/jitter.csv"
checks=$((checks + 1))
[ -z "${PAGE_SHOTS:-}" ] || mkdir -p "$PAGE_SHOTS"
timeout 900 node tests/page/browser.mjs "$PWD/build/page-tests/node_modules" "$chromium" "$work/pages" ${PAGE_SHOTS:+"$PAGE_SHOTS"} >"$work/said" 2>&1 ||
	fail "browser.mjs: $(tail -n 25 "$work/said")"
finish "in Chromium: $(tail -n 1 "$work/said")"
