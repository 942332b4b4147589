#!/usr/bin/env bash
# What the README shows of the sample traces is what the commands print: every line of these blocks but "...".
. "$(dirname "$0")/lib.sh"
[ -d "$BATON_DATA/kineto" ] || skip "no sample traces at $BATON_DATA"
readme=$PWD/README.md
for run in workers0 workers4; do expect_status 0 "$BATON" import "$BATON_DATA/kineto/resnet50_$run.pt.trace.json.gz" -o "$work/runs/$run"; done
cd "$work" || exit 1

shows() { # shows WORD...: `baton WORD...`, as it stands behind a prompt in the README
	local line
	expect_status 0 "$BATON" "$@"
	awk -v prompt="\$ baton $*" '/^```/ || (/^\$ / && $0 != prompt) { on = 0 } on; $0 == prompt { on = 1 }' "$readme" >"$work/shown"
	[ -s "$work/shown" ] || fail "the README does not show it"
	while IFS= read -r line; do
		[ -n "${line//[ .]/}" ] || continue
		checks=$((checks + 1))
		grep -qxF -- "$line" "$work/out" || fail "not printed: $line"
	done <"$work/shown"
}
shows report runs/workers0
shows compare runs/workers0 runs/workers4
shows report runs/workers0 --by op --top 4
finish
