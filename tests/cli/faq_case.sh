#!/usr/bin/env bash
# Keeps out: a message of `baton record` or of the recorder that docs/FAQ.md does not explain, or explains in words of yesterday.
. "$(dirname "$0")/lib.sh"
checks=1
"$PYTHON" tests/cli/faq.py docs/FAQ.md >"$work/out" || fail "$(cat "$work/out")"
finish "$(tail -n 1 "$work/out")"
