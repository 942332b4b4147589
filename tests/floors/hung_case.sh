#!/usr/bin/env bash
# A case that hangs says what ran, and is ended with all of it. Keeps out: a hang that nobody can explain afterwards; processes of a
# case that left its group, and go on beside all cases that follow.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/hangs" <<'E2'
trap 'echo tidied; exit 0' TERM
setsid sleep "3210.$2" &
sleep "3211.$2" &
(trap '' TERM; touch "$1"; while :; do sleep 0.1; done) &
wait
E2
# shellcheck disable=SC2034
names=(of/hangs) commands=("bash $work/hangs $work/begun $$") # its own seconds: another checkout may run this case too
limit_of() { echo 1; }
may_be_the_machine() { false; }
fail() { echo "FAIL: $*" && exit 1; }
said=$(
	. tests/pool.sh
	case_watch() { # the limit is over once all of it has begun
		for _ in {1..3000}; do [ ! -e "$work/begun" ] || break; sleep 0.02; done
		sleep "$3"
		bash tests/hung.sh describe "$pool_dir/$1" "$2" >"$pool_dir/$1.hung" 2>&1
		bash tests/hung.sh end "$pool_dir/$1" "$2"
	}
	pool 1 0
	counts
	[ -z "$(pgrep -f "$work/[h]angs")" ] || echo "it still runs"
)
for wanted in "FAIL    of/hangs (status 1: still running after 1 s)" "        tidied" " sleep 3210.$$" " sleep 3211.$$" "1 failed, 0 skipped"; do
	grep -qF -- "$wanted" <<<"$said" || fail "lacks '$wanted': $said"
done
! grep -qF "it still runs" <<<"$said" || fail "$said"
for n in 3210.$$ 3211.$$; do
	! ps -eo args= | grep -qxF "sleep $n" || fail "sleep $n still runs"
done
echo "what hung is said, and has ended"
