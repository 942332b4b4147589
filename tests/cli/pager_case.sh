#!/usr/bin/env bash
# The pager and colours of long output.
# Keeps out: a pager where nobody reads, or none where somebody does; another status because of it; an error because its reader has left;
# colours that NO_COLOR, BATON_COLOR or --color forbid, or none where they are wanted; a name that steers the terminal behind it.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}
unset NO_COLOR BATON_COLOR BATON_PAGER PAGER LESS COLUMNS
export TERM=xterm

expect_status 0 "$sim" -o "$work/run" --ranks 4 --steps 20 --kernels 60 --fault slow_gpu@2
terminal() { # terminal STATUS COMMAND...: what stands on the terminal is in $work/out
	local want=$1
	shift
	expect_status "$want" "$PYTHON" tests/cli/on_terminal.py "$@"
}
paged() { # every line went through the pager
	checks=$((checks + 1))
	[ -s "$work/out" ] && ! grep -qv '^P:' "$work/out" || fail "not paged: $(grep -v '^P:' "$work/out" | head -n 2)"
}
bold=$'\033[1m'

export BATON_PAGER='sed s/^/P:/' PAGER='sed s/^/Q:/'
for command in "report" "report --json" "report --by op" "report --gaps 3" "report --critical" "report --by device --taxonomy seed" jitter whatif stats dump \
	"dump --idle" "dump --step-list"; do
	terminal 0 "$BATON" $command "$work/run"
	paged
done
terminal 0 "$BATON" compare "$work/run" "$work/run"
paged
# messages too, as they would stand between the lines; the status stays
terminal 1 "$BATON" report --fail-if 'step_ms>0.001' "$work/run"
paged
expect_prints "P:baton: gate failed"
terminal 0 env -u BATON_PAGER "$BATON" report "$work/run"
expect_prints "Q:"
terminal 0 env BATON_PAGER='echo "LESS is $LESS"; cat' "$BATON" report "$work/run"
expect_prints "LESS is FRX" "Why is this slow?"
terminal 0 env LESS=-S BATON_PAGER='echo "LESS is $LESS"; cat' "$BATON" report "$work/run"
expect_prints "LESS is -S"

# none
for pager in "$work" "$work/" "" cat no-such-pager; do
	terminal 0 env BATON_PAGER="$pager" "$BATON" report "$work/run"
	expect_prints "Why is this slow?"
	expect_prints_not "P:" "Q:" "not found"
done
terminal 0 "$BATON" report --no-pager "$work/run"
expect_prints_not "P:"
terminal 0 env TERM=dumb "$BATON" report "$work/run"
expect_prints_not "P:" $'\033'
expect_status 0 "$BATON" report "$work/run"
expect_prints_not "P:" $'\033'
# mpirun reads what its processes print from terminals that are not theirs
expect_status 0 "$PYTHON" - "$BATON" report "$work/run" <<'P'
import os, pty, subprocess, sys
master, slave = pty.openpty()
job = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=slave, start_new_session=True)
os.close(slave)
text = b""
try:
    while more := os.read(master, 65536):
        text += more
except OSError:  # the last writer has gone
    pass
sys.stdout.write(text.decode())
sys.exit(job.wait())
P
expect_prints "Why is this slow?"
expect_prints_not "P:"
terminal 0 "$BATON" report --help
expect_prints_not "P:"

# who leaves the pager has read enough
terminal 0 env BATON_PAGER="head -n 1" "$BATON" dump "$work/run"
checks=$((checks + 1))
[ "$(wc -l <"$work/out")" = 1 ] || fail "$(sed -n 2p "$work/out")"
terminal 1 env BATON_PAGER=true "$BATON" report --fail-if 'step_ms>0.001' "$work/run"
if command -v less >/dev/null; then
	terminal 0 --keys q env -u BATON_PAGER -u PAGER "$BATON" dump "$work/run"
	terminal 0 env -u BATON_PAGER -u PAGER "$BATON" stats -r nccl_sum "$work/run" # it fits: less ends by itself
fi

# colours
terminal 0 "$BATON" report "$work/run"
expect_prints "P:$bold"
for never in "NO_COLOR=1" "BATON_COLOR=never" "NO_COLOR=1 BATON_COLOR=auto"; do
	terminal 0 env $never "$BATON" report "$work/run"
	expect_prints_not $'\033'
done
terminal 0 env BATON_COLOR=always "$BATON" report --color=never "$work/run"
expect_prints_not $'\033'
for always in "--color=always" "--color always"; do
	expect_status 0 env NO_COLOR=1 BATON_COLOR=never "$BATON" report $always "$work/run"
	expect_prints "$bold"
done
expect_status 0 env NO_COLOR=1 BATON_COLOR=always "$BATON" report "$work/run"
expect_prints "$bold"
terminal 0 env NO_COLOR= "$BATON" report --color auto "$work/run"
expect_prints "$bold"
expect_status 2 "$BATON" report --color=red "$work/run"
expect_says "--color must be auto, always or never, not 'red'"
finish
