# Cases, some at a time. Sourced by tests/run.sh, which fills names[] and commands[]; case i is names[i] and the words of commands[i]. Each
# line of output is whole; a case that fails shows the end of what it said. `limit_of NAME` says how many seconds a case may take.
# A case that fails where `may_be_the_machine NAME LOG` holds is in again[], once: `once_more` gives it a second try, with nothing beside it.
passed=0 failed=0 skipped=0 again=() tried=()
pool_dir=$(mktemp -d)
: >"$pool_dir/times"
running=() # case of each process
watching=() # and the process that ends it when it hangs
end_pool() {
	local pid
	for pid in "${!running[@]}" "${watching[@]}"; do kill -TERM -- "-$pid" 2>/dev/null; done
	rm -rf "$pool_dir"
}
trap end_pool EXIT
trap 'exit 1' HUP INT TERM

case_run() { # case_run I: in a process of its own; what it says goes to I.log, its status and seconds to I.end
	local TIMEFORMAT='%R %U %S' status
	# shellcheck disable=SC2086
	{ time TEST_CASE=$pool_dir/$1 ${commands[$1]} >"$pool_dir/$1.log" 2>&1; } 2>"$pool_dir/$1.time"
	status=$?
	echo "$status $(tail -n 1 "$pool_dir/$1.time")" >"$pool_dir/$1.end" # above that: the shell, of a case that was killed
}

case_watch() { # case_watch I GROUP SECONDS: ends the case when that is over; what ran then, and where it stood, goes to I.hung
	sleep "$3"
	bash tests/hung.sh describe "$pool_dir/$1" "$2" >"$pool_dir/$1.hung" 2>&1
	bash tests/hung.sh end "$pool_dir/$1" "$2"
}

case_ended() { # case_ended I
	local name=${names[$1]} log=$pool_dir/$1.log status wall user system
	read -r status wall user system <"$pool_dir/$1.end" || status=1 wall=0 user=0 system=0
	: "${wall:=0}"
	[ ! -e "${log%log}hung" ] || [ "$status" != 0 ] || status=1
	echo "$wall $user $system $name" >>"$pool_dir/times"
	case $status in
	0) passed=$((passed + 1)) && echo "ok      $name   ${wall%??} s${tried[$1]+, second try}: $(tail -n 1 "$log" | cut -c 1-110)" ;;
	77) skipped=$((skipped + 1)) && echo "skip    $name   $(tail -n 1 "$log" | cut -c 1-110)" ;;
	*)
		[ ! -e "${log%log}hung" ] || status="$status: still running after $(limit_of "$name") s"
		if [ -z "${tried[$1]:-}" ] && may_be_the_machine "$name" "$log"; then
			again+=("$1")
			echo "again   $name (status $status)   ${wall%??} s: it will have a second try"
		else
			failed=$((failed + 1))
			echo "FAIL    $name (status $status)   ${wall%??} s${tried[$1]+, second try}"
		fi
		tail -n 40 "$log" | sed 's/^/        /'
		[ ! -e "${log%log}hung" ] || sed 's/^/        /' "${log%log}hung"
		;;
	esac
}

leave_out() { # leave_out NAME REASON: a case that is not run
	skipped=$((skipped + 1))
	echo "skip    $1   $2"
}

pool() { # pool N I...: the cases I, N at a time
	local most=$1 i pid
	shift
	for i; do
		while [ "${#running[@]}" -ge "$most" ]; do case_next; done
		set -m # a process group of its own; else SIGINT would be ignored in all of it, and some cases send it
		case_run "$i" </dev/null &
		pid=$!
		case_watch "$i" $pid "$(limit_of "${names[i]}")" </dev/null >/dev/null 2>&1 &
		watching[pid]=$!
		set +m
		running[pid]=$i
	done
	while [ "${#running[@]}" -gt 0 ]; do case_next; done
}

case_next() { # waits for one that ends
	local pid i status
	wait -n -p pid "${!running[@]}" 2>/dev/null
	if [ -z "${pid:-}" ]; then # one that bash does not remember: a signal ended it, or it ended at once
		for pid in "${!running[@]}"; do kill -0 "$pid" 2>/dev/null || break; done
	fi
	i=${running[$pid]}
	unset "running[$pid]"
	[ -s "$pool_dir/$i.hung" ] || kill -KILL -- "-${watching[pid]}" 2>/dev/null
	wait "${watching[pid]}" 2>/dev/null
	unset "watching[$pid]"
	kill -KILL -- "-$pid" 2>/dev/null # what it left running
	read -r status _ <"$pool_dir/$i.end" || status=1
	[ "$status" = 0 ] || [ "$status" = 77 ] || bash tests/hung.sh end "$pool_dir/$i" "$pid" # and what left its group
	case_ended "$i"
}

once_more() {
	local second=(${again[@]+"${again[@]}"}) i
	for i in ${second[@]+"${second[@]}"}; do
		tried[i]=1
		rm -f "$pool_dir/$i".*
	done
	pool 1 ${second[@]+"${second[@]}"}
}

slowest() { # slowest N: seconds, and those in which a core worked for it: the rest is waiting
	[ "$(wc -l <"$pool_dir/times")" -ge "$1" ] || return 0
	printf '\nslowest, s       wall      CPU\n'
	sort -rn "$pool_dir/times" | head -n "$1" | awk '{ printf "  %16.1f %8.1f  %s\n", $1, $2 + $3, $4 }'
	awk '{ w += $1; c += $2 + $3 } END { printf "  %16.1f %8.1f  all\n", w, c }' "$pool_dir/times"
}

counts() { # the last line, and before it what passed at a second try; status 1 when one failed or none passed
	[ "${#again[@]}" = 0 ] || echo "tried twice: $(for i in "${again[@]}"; do echo "${names[i]}"; done | sort | tr '\n' ' ')"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
