#!/usr/bin/env bash
# The tools for which timelines are made, beside `baton dump` (tests/tools/timelines.py): Perfetto's trace processor reads both forms
# without an error, with the same slices and flows. Skipped where it cannot be had. With BATON_KINETO_TOOLS=1 also
# HolisticTraceAnalysis and TensorBoard's profiler plugin (800 MB).
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
command -v node >/dev/null || skip "no node: Perfetto's trace processor runs in it"
sh tests/tools/install_tools.sh perfetto >"$work/why" || skip "$(tail -n 1 "$work/why")"

expect_status 0 "$sim" -o "$work/run" --workload ddp --ranks 4 --per-host 2 --steps 4
expect_status 0 "$BATON" export --format perfetto -o "$work/run.pftrace" "$work/run"
expect_status 0 "$BATON" export --format chrome -o "$work/run.json" "$work/run"
expect_status 0 build/tools/perfetto/bin/python tests/tools/timelines.py perfetto "$BATON" "$work/run" "$work/run.pftrace" "$work/run.json"
said=$(paste -sd ';' "$work/out")
# Keeps out: a check that agrees with anything.
expect_status 0 "$BATON" export --format perfetto --max-slices 1000 -o "$work/part.pftrace" "$work/run"
expect_status 1 build/tools/perfetto/bin/python tests/tools/timelines.py perfetto "$BATON" "$work/run" "$work/part.pftrace"

if [ "${BATON_KINETO_TOOLS:-}" = 1 ]; then
	sh tests/tools/install_tools.sh kineto >"$work/why" || skip "$(tail -n 1 "$work/why")"
	expect_status 0 "$BATON" export --format kineto -o "$work/kineto" "$work/run"
	expect_status 0 build/tools/kineto/bin/python tests/tools/timelines.py hta "$BATON" "$work/run" "$work/kineto"
	expect_status 0 build/tools/kineto/bin/python tests/tools/timelines.py tb "$BATON" "$work/run" "$work/kineto"
fi
finish "$said"
