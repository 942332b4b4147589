#!/usr/bin/env bash
# Keeps out: a template that is checked in and is not what its sources build.
. "$(dirname "$0")/../cli/lib.sh"
sh tools/page/build.sh "$work/template.html" >"$work/said" 2>&1 || skip "$(tail -n 1 "$work/said")"
checks=$((checks + 1))
cmp "$work/template.html" reducer/page/template.html || fail "reducer/page/template.html is not what tools/page builds: make page"
finish
