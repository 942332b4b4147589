#!/usr/bin/env bash
# Limits of a process are the job's: at each limit under which it runs alone it runs recorded, or recorded with less, or unrecorded, with a
# line that says why. Keeps out: a recorder that takes what the job needs later; one that takes nothing where less would do.
# (The libraries themselves need some 30 MiB of address space, 10 of data.)
. tests/cli/lib.sh
preloads simtrain simgpu/libcupti.so.13 tests/shim/limits_test
export LD_LIBRARY_PATH=$PWD/$BUILD/simgpu SIMGPU_MEMORY_MB=32 BATON_RING_DIR=$work/rings
mkdir "$BATON_RING_DIR"
job="$BUILD/simtrain --steps 3 --layers 2"
checks=$((checks + 1))
"$BUILD/tests/shim/limits_test" >"$work/read" || fail "$(cat "$work/read")"
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fno-builtin -fPIC -shared -o "$work/fake.so" tests/shim/limits_fake.c ||
	fail "the fake"

# one LIMIT_WORDS COMMAND...: the job after COMMAND (of bash), recorded. Adds 1 to whole, less or refused
one() {
	local words=$1
	shift
	last="$*" checks=$((checks + 1))
	rm -rf "$work/run"
	mkdir "$work/run"
	bash -c "$*; BATON_OUT=$work/run LD_PRELOAD=$work/fake.so:$PWD/$BUILD/libbaton.so exec $job" >"$work/out" 2>"$work/err"
	status=$?
	{ [ $status = 0 ] && cmp -s "$work/plain" "$work/out"; } || fail "status $status, or another output"
	if [ -z "$(ls "$work/run")" ]; then
		refused=$((refused + 1))
		expect_says "$words leaves the recorder too little" "is not recorded"
	elif [ -s "$work/err" ]; then
		less=$((less + 1))
		expect_says "$words leaves the recorder little" "is recorded with small"
		"$BATON" dump --json "$work/run" >"$work/dump"
		checks=$((checks + 1))
		grep -q "\"recorder.limited\".*small.*$words" "$work/dump" || fail "the trace does not say it: $(grep -m1 limited "$work/dump")"
		"$BATON" report "$work/run" 2>"$work/err" | tr -s ' \n' ' ' | grep -q "a limit left a recorder less than it wants" || fail "the report does not say it"
		[ "$(grep -c '"record":"call".*LaunchKernel' "$work/dump")" = "$launches" ] || fail "not all launches"
	else
		whole=$((whole + 1))
		[ -n "${launches:-}" ] || launches=$("$BATON" dump --json "$work/run" | grep -c '"record":"call".*LaunchKernel')
	fi
	[ "$(wc -l <"$work/err")" -le 1 ] || fail "more than one line"
	expect_nothing_in "$BATON_RING_DIR"
}

tried() { # tried NAME: there was each of the three (of data, what has less lies close together)
	checks=$((checks + 1))
	{ [ $whole -gt 0 ] && { [ $less -gt 0 ] || [ "$1" = -d ]; } && [ $refused -gt 0 ]; } || fail "$1: $whole recorded, $less with less, $refused refused"
	whole=0 less=0 refused=0
}

sweep() { # sweep OPTION STEP MORE...: limits in KiB beyond the least under which the job runs alone
	local option=$1 step=$2 enough=10000 more
	shift 2
	while [ $enough -lt 4000000 ] && ! bash -c "ulimit $option $enough; exec $job" >"$work/plain" 2>/dev/null; do enough=$((enough + step)); done
	for more; do one "(ulimit $option)" "ulimit $option $((enough + more))"; done
	tried "$option"
}

group() { # group BYTES: all groups above the job have room; its own has so much, of which a file has 2 MiB
	mkdir -p "$work/fake/proc/self" "$work/fake/sys/fs/cgroup/job/rank"
	echo "0::/job/rank" >"$work/fake/proc/self/cgroup"
	for at in . job job/rank; do echo max >"$work/fake/sys/fs/cgroup/$at/memory.max"; done
	echo "$1" >"$work/fake/sys/fs/cgroup/job/rank/memory.max"
	echo $((10 << 20)) >"$work/fake/sys/fs/cgroup/job/rank/memory.current"
	printf 'anon 0\ninactive_file %d\n' $((2 << 20)) >"$work/fake/sys/fs/cgroup/job/rank/memory.stat"
}

whole=0 less=0 refused=0
$job >"$work/plain"
one "none" true # how many launches it has
[ $whole = 1 ] || fail "not recorded: $(cat "$work/err")"
sweep -v 10000 30000 60000 140000 250000 350000 450000 550000 650000 700000 800000 900000 1200000
sweep -d 5000 20000 30000 50000 60000 70000 80000 90000 100000 120000 150000 200000 300000
for kib in 40000 15000 9000; do one "the limit of its files (ulimit -f)" "ulimit -f $kib"; done
checks=$((checks + 1))
[ "$whole,$less" = 1,2 ] || fail "-f: $whole recorded, $less with less"
whole=0 less=0
for kib in 8000 4300 3000; do one "the room in /dev/shm, TMPDIR and the output directory" "export FAKE_ROOM=$((kib << 10))"; done
checks=$((checks + 1))
[ "$whole,$less" = 1,2 ] || fail "room: $whole recorded, $less with less"
rm -rf "$work/run" && mkdir "$work/run"
# shellcheck disable=SC2086
expect_status 0 env FAKE_ROOM=$((2000 << 10)) BATON_OUT="$work/run" LD_PRELOAD="$work/fake.so:$PWD/$BUILD/libbaton.so" $job
expect_says "no room for the rings in /dev/shm, TMPDIR or $work/run" "is not recorded"
expect_nothing_in "$work/run"
whole=0 less=0
for mib in 20 60 120 170 200 230 280 500; do
	group $((mib << 20))
	one "the memory limit of its control group" "export FAKE_LIMITS=$work/fake"
done
tried "control group"

most=$(cat /proc/sys/vm/max_map_count)
if [ "$most" -le 300000 ]; then
	for left in 60 120 200 250 350 450 600 1000; do
		one "the limit of its mappings (vm.max_map_count)" "export FAKE_MAPS=$left"
	done
	tried "mappings"
fi

# where stacks are left out each call that would have had one is counted
group $((182 << 20))
expect_status 0 env FAKE_LIMITS="$work/fake" LD_PRELOAD="$work/fake.so" "$BATON" record -o "$work/python" -- "$PYTHON" tests/shim/lines.py
"$BATON" dump --json "$work/python" >"$work/dump"
checks=$((checks + 2))
grep -q '"record":"loss".*"names and stacks"' "$work/dump" || fail "stacks that are left out are not counted: $(cat "$work/err")"
! grep -q '"record":"stack"\|"record":"sched"' "$work/dump" || fail "there are stacks or samples"
finish "$checks checks"
