# Sourced: what communicators of the NCCL double leave in /dev/shm.
boards() { # their names
	ls /dev/shm | grep '^simnccl-' | sort
}

no_new_board() { # no_new_board BEFORE: other jobs of this machine meet too; their names are gone when they have met, ours would stay
	local left
	left=$(comm -13 <(echo "$1") <(boards))
	for _ in $(seq 60); do
		[ -n "$left" ] || return 0
		sleep 1
		left=$(comm -12 <(echo "$left") <(boards))
	done
	[ -z "$left" ] || { echo "left in /dev/shm: $left" && return 1; }
}
