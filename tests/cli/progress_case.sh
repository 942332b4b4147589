#!/usr/bin/env bash
# The line of progress of what takes over half a second.
# Keeps out: a line where stderr is no terminal or with --quiet; one that stays at the end, that the next message is written into, or
# that lacks the rate and the time left; a command that has none.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}

expect_status 0 "$sim" -o "$work/run" --ranks 4 --steps 600 --kernels 300
expect_status 0 "$sim" -o "$work/small" --ranks 2 --steps 40 --kernels 200
expect_status 0 "$BATON" export --format chrome "$work/small" -o "$work/lines.json"
slowly() { # slowly STATUS COMMAND...: the lines are in $work/err
	local want=$1
	shift
	expect_status "$want" "$PYTHON" tests/cli/progress.py "$@"
}
shows() { # shows PATTERN...: each in one of the lines, and nothing of them is left
	local pattern
	for pattern; do
		checks=$((checks + 1))
		grep -q "^shown: $pattern" "$work/err" || fail "no line $pattern"
	done
	checks=$((checks + 1))
	! sed -n '/^left: /,$p' "$work/err" | grep -v '^left: *$' | grep -qv '^\(left: \)\?baton: ' || fail "something is left"
}
rate='[0-9.]* [kMG]\?B/s   [0-9.]* m\?s left$'

slowly 0 "$BATON" report --fresh "$work/run"
shows "reduce [^ ]*run   [0-9]* %   [0-9.]* [kMG]\?B of [0-9.]* [kMG]\?B   $rate"
expect_prints "Where a step goes"
expect_prints_not $'\033'
slowly 0 "$BATON" jitter "$work/run"
shows "reduce .*$rate"
slowly 0 "$BATON" jitter --csv "$work/csv" --svg "$work/svg" "$work/run"
shows "\\(reduce\\|jitter\\)"
slowly 0 "$BATON" report --html "$work/page.html" "$work/run"
shows "\\(reduce\\|page\\)"
slowly 0 "$BATON" compare "$work/run" "$work/run"
slowly 0 "$BATON" export --format chrome "$work/small" -o "$work/again.json"
shows "export   [0-9]* %.*$rate"
slowly 0 "$BATON" stats "$work/run"
shows "tables   [0-9]* %   .* of "
slowly "0|4" "$BATON" import "$work/lines.json" -o "$work/imported"
shows "import [^ ]*lines.json   [0-9]* %.*$rate"
expect_says "baton: "

# A name that is too long loses its begin, never the figures. Keeps out: bytes that count as columns, and half of a wide character.
for name in 日日日日日日日日日日日日日日日日日日日日 a日日日日日日日日日日日日日日日日日日日日 ab日日日日日日日日日日日日日日日日日日日日; do
	mv "$work/run" "$work/$name"
	slowly 0 "$BATON" report --fresh "$work/$name"
	shows "reduce \.\.[^ ]*日   [0-9]* %.*\(left\|/s\|B\)$"
	checks=$((checks + 1))
	! grep -v 'left$\|/s$\|B$' "$work/err" | grep '^shown: ' || fail "figures are cut"
	mv "$work/$name" "$work/run"
done

# nothing
slowly 0 "$BATON" report --fresh --quiet "$work/run"
expect_says_not "shown: "
expect_status 0 "$BATON" report --fresh "$work/run"
checks=$((checks + 1))
[ ! -s "$work/err" ] || fail "a line where stderr is no terminal"
finish
