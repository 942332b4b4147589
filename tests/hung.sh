#!/usr/bin/env bash
# A case that hangs: what runs of it and where each process stands, and the end of all that. Its processes are those of its group, and
# those that left it: they have TEST_CASE in their environment.
#   hung.sh describe|end TEST_CASE GROUP
set -u
marker=$2 group=$3 most=12

own() { # the processes, but not the group's leader, which is the shell that waits for the case
	{
		ps -eo pgid=,pid= | awk -v group="$group" '$1 == group { print $2 }'
		grep -lzxF -- "TEST_CASE=$marker" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3
	} | sort -nu | grep -vx "$group"
}

where() { # where PID: of each thread the kernel's function, and the frames of those that gdb can read
	local task
	for task in "/proc/$1/task"/*; do
		echo "  thread ${task##*/}: $(sed -n 's/^State:\s*//p' "$task/status" 2>/dev/null), $(head -n 3 "$task/stack" 2>/dev/null |
			sed 's/.*\] //; s/+.*//' | tr '\n' ' ')wchan $(cat "$task/wchan" 2>/dev/null), syscall $(cut -c 1-60 "$task/syscall" 2>/dev/null)"
	done | head -n 8
	command -v gdb >/dev/null || return 0
	timeout -k 2 20 gdb -nx -batch -p "$1" -ex 'set print frame-arguments scalars' -ex 'thread apply all backtrace 8' 2>/dev/null |
		grep -E '^(#|Thread )' | cut -c 1-110 | head -n 20 | sed 's/^/    /'
}

describe() {
	local pids pid
	pids=$(own)
	echo "---- what ran when its time was over ($(cut -d ' ' -f 1-3 /proc/loadavg) load, $(nproc) cores)"
	# shellcheck disable=SC2086
	ps -o pid=,ppid=,pgid=,stat=,etimes=,times=,wchan:20=,args= -p ${pids//$'\n'/,} | cut -c 1-220
	for pid in $(head -n $most <<<"$pids"); do
		[ -d "/proc/$pid" ] || continue # it was about to end
		echo "-- $pid: $(tr '\0\n' '  ' <"/proc/$pid/cmdline" | cut -c 1-120)"
		where "$pid"
	done
}

end() { # asked first, so that it can tidy up
	local pids until
	pids=$(own)
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill -TERM $pids 2>/dev/null
	until=$((SECONDS + 4))
	while pids=$(own) && [ $SECONDS -lt $until ]; do sleep 0.1; done
	until=$((SECONDS + 10))
	while pids=$(own) && [ $SECONDS -lt $until ]; do # again: what is killed may have begun another one
		# shellcheck disable=SC2086
		kill -KILL $pids 2>/dev/null
		sleep 0.1
	done
}

"$1"
