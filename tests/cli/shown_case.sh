#!/usr/bin/env bash
# The commands that the pages show without a prompt: run, checked, or an exception with its reason (shown.py). Those behind a prompt are
# run by readme_case.sh. Keeps out: an option, a command or a target of make that a page names and that is no more.
. "$(dirname "$0")/lib.sh"
pages=(README.md docs/*.md)
for page in CONTRIBUTING.md tests/README.md tools/*/README.md; do [ ! -e "$page" ] || pages+=("$page"); done
expect_status 0 "$PYTHON" "$lib/shown.py" "$BATON" "${pages[@]}"
[ "$failed" = 0 ] || cat "$work/out"
said=$(tail -n 1 "$work/out")
printf '```\nbaton report --nope x\nmake nothing-such\nwhat is this\n```\n' >"$work/README.md"
expect_status 1 "$PYTHON" "$lib/shown.py" "$BATON" "$work/README.md"
expect_prints "report has no --nope" "nothing-such" "neither run nor an exception"
finish "$said"
