#!/usr/bin/env bash
# baton top, the pager and progress in a terminal multiplexer.
# Keeps out: sequences that a real terminal takes otherwise than the pseudo terminal of top_live.py; a screen that is not given back, or
# does not follow the size of a pane.
. "$(dirname "$0")/lib.sh"
sim=${SIM:-${BUILD:-build/release}/baton-sim}
command -v tmux >/dev/null || skip "there is no tmux (Debian: tmux)"
unset TMUX NO_COLOR LESS BATON_PAGER PAGER
export TERM=xterm
expect_status 0 "$sim" -o "$work/run" --ranks 4 --steps 40 --kernels 100 --fault slow_gpu=40@2

tm() { tmux -S "$work/socket" -f /dev/null "$@"; }
end() {
	tm kill-server 2>/dev/null
	leave
}
trap end EXIT
tm new-session -d -x 90 -y 30 "PS1='ready> ' exec sh" || skip "tmux does not start"
shows() { # shows PATTERN: within a minute, on the pane
	checks=$((checks + 1))
	for ((i = 0; i < 600; i++)); do
		tm capture-pane -p >"$work/pane"
		! grep -qE -- "$1" "$work/pane" || return 0
		sleep 0.1
	done
	fail "never on the pane: $1; it shows"
	cat "$work/pane"
}
shows_not() {
	checks=$((checks + 1))
	! grep -qE -- "$1" "$work/pane" || fail "on the pane: $1"
}

shows '^ready>'
tm send-keys "echo before; $BATON top $work/run" Enter
shows '^\*    2 node0/2 +ended '
shows '^q quit   s sort: rank   t topology'
shows_not 'before'
checks=$((checks + 1))
[ "$(tm display-message -p '#{alternate_on} #{cursor_flag}')" = "1 0" ] || fail "not the other screen, or a cursor on it"
tm send-keys t
shows '^ +0 +1 +2 +3 +NUMA'
tm send-keys Escape
shows 'ms/step'
tm resize-window -x 130 -y 20
shows 'launch/s'
checks=$((checks + 1))
[ "$(wc -l <"$work/pane")" = 20 ] && sed -n 20p "$work/pane" | grep -q '^q quit' || fail "the foot is not in the last line"
tm resize-window -x 60 -y 12
shows '^q quit'
shows_not 'launch/s'
tm resize-window -x 90 -y 30
tm send-keys Up
shows '^>    1 node0/1'
tm send-keys q
shows '^ready> *$'
shows '^before'
checks=$((checks + 1))
[ "$(tm display-message -p '#{alternate_on} #{cursor_flag}')" = "0 1" ] || fail "the other screen, or no cursor"

# Ctrl-Z and back
tm send-keys "clear; set -m; $BATON top $work/run" Enter
shows 'ms/step'
tm send-keys C-z
shows '(Stopped|Suspended)'
tm send-keys fg Enter
shows 'ms/step'
tm send-keys C-c
shows '^ready> *$'

# the pager: more than a screen stays in less, less than one does not
if command -v less >/dev/null; then
	tm send-keys "clear; $BATON report $work/run" Enter
	shows '^:'
	shows '^Why is this slow\?'
	tm send-keys q
	shows '^ready> *$'
	tm send-keys "clear; $BATON stats -r nccl_sum $work/run; echo status \$?" Enter
	shows '^status 0'
	shows 'NCCL Range Summary'
fi
finish
