#!/usr/bin/env bash
# Which failures have a second try, and that both are shown. Keeps out: a busy machine that costs a whole run; a failure that is hidden.
set -u
unset TRIES
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*" && exit 1; }
cat >"$work/once" <<'E2'
echo "try $(($(cat "$1" 2>/dev/null || echo 0) + 1))" && [ -e "$1" ] && exit 0
echo 1 >"$1"
exit 1
E2
# shellcheck disable=SC2034
names=(cli/once cli/never cli/well unit/once)
# shellcheck disable=SC2034
commands=("bash $work/once $work/a" "false" "true" "bash $work/once $work/b")
limit_of() { echo 100; }
eval "$(sed -n '/^may_be_the_machine() {/,/^}/p' tests/run.sh)"
run() {
	. tests/pool.sh
	pool 2 0 1 2 3
	once_more
	counts
}
said=$(run) && fail "a run with failures has status 0: $said"
for wanted in "again   cli/once (status 1)" "        try 1" "s, second try: try 2" "FAIL    cli/never (status 1)" \
	"FAIL    unit/once (status 1)" "tried twice: cli/never cli/once" "2 passed, 2 failed, 0 skipped"; do
	grep -qF -- "$wanted" <<<"$said" || fail "lacks '$wanted': $said"
done
rm -f "$work/a" "$work/b"
said=$(TRIES=1 run)
grep -qF "1 passed, 3 failed, 0 skipped" <<<"$said" || fail "TRIES=1: $said"
for report in "==1==ERROR: AddressSanitizer: heap-use-after-free" "WARNING: ThreadSanitizer: data race" "a.c:3:5: runtime error: signed"; do
	echo "$report" >"$work/log"
	may_be_the_machine cli/x "$work/log" && fail "a second try hides '$report'"
done

# tests/torch/run.sh has its own: a job is several checks
eval "$(sed -n '/^tries() {/,/^}/p' tests/torch/run.sh)"
work_of() { rm -rf "$work/job" && (work=$work/job tries "$@"); }
checks() { # the second one fails once
	echo "ok      torch/a   0.1 s" && bash "$work/../once" "$work/../c" >/dev/null && echo "ok      torch/b   0.1 s" && return
	printf 'FAIL    torch/b (status 1)   0.1 s\n        why\nok      torch/c   0.1 s\n'
}
said=$(work_of checks | tr '\n' ';')
[ "$said" = "again   torch/b (status 1)   0.1 s;        why;ok      torch/a   0.1 s;ok      torch/b   0.1 s;" ] || fail "torch: $said"
rm -f "$work/c"
said=$(TRIES=1 work_of checks)
grep -q '^FAIL    torch/b' <<<"$said" || fail "torch, TRIES=1: $said"
# A job that ends in its first try. Keeps out: what it had said before is lost.
eval "$(sed -n '/^job() {/,/^}/p; /^next() {/,/^}/p' tests/torch/run.sh)"
breaks() { echo "FAIL    torch/d (status 1)   0.1 s" && exit 1; }
# shellcheck disable=SC2034
said=$(
	all=$work/jobs JOBS=1 jobs=() job_names=() n_jobs=0
	mkdir "$all" && job breaks
	next
)
[ "${said//$'\n'/;}" = "FAIL    torch/d (status 1)   0.1 s;FAIL    torch/breaks: ended before its last check" ] || fail "torch, a job that ends: $said"
echo "a failure of the machine's has a second try, one of the program's has none"
