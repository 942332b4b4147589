#!/usr/bin/env bash
# Perfetto's user interface in Chromium opens what `export --format perfetto` writes: no error of the page, and the track of each rank
# (tests/tools/perfetto_ui.js). Skipped where Perfetto, node or Chromium cannot be had, or where port 10000, the only one that the page
# may ask, is taken.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-$(dirname "$BATON")/baton-sim}
command -v node >/dev/null || skip "no node: it drives the browser"
sh tests/tools/install_tools.sh perfetto >"$work/why" || skip "$(tail -n 1 "$work/why")"
sh tests/page/install.sh >"$work/installed" || skip "$(tail -n 1 "$work/installed")"
CHROMIUM=$(tail -n 1 "$work/installed")
export CHROMIUM NODE_PATH=$PWD/build/page-tests/node_modules
"$PYTHON" -c 'import socket; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", 10000))' 2>/dev/null ||
	skip "port 10000 of 127.0.0.1 is taken: Perfetto's page asks no other"

expect_status 0 "$sim" -o "$work/run" --workload pipeline --ranks 4 --steps 3
expect_status 0 "$BATON" export --format perfetto -o "$work/run.pftrace" "$work/run"
expect_status 0 timeout 300 node tests/tools/perfetto_ui.js "$work/run.pftrace" 4
said=$(tail -n 1 "$work/out")
# Keeps out: a check that any page passes.
head -c 3000 /dev/urandom >"$work/noise.pftrace"
expect_status 1 timeout 300 node tests/tools/perfetto_ui.js "$work/noise.pftrace" 4
finish "$said"
