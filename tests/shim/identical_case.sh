#!/usr/bin/env bash
# A job is the same with and without the recorder, and the trace holds what the simulated driver executed. Each job runs twice; stdout,
# stderr but for baton's own lines, exit status and signal must be equal. Then its traces are checked.
. tests/cli/lib.sh
preloads simtrain simtrain13 simlaunch simcaller simgpu/libcount.so simgpu/libcupti.so.13
here=$PWD double=$here/$BUILD/simgpu bin=$here/$BUILD
export LD_LIBRARY_PATH=$double SIMGPU_MEMORY_MB=256
ulimit -c 0
mkdir "$work/job"
counter=0
without="" # environment of both runs, as NAME=VALUE words
with=""    # and of the recorded one
jobs="$PYTHON $here/tests/shim/jobs.py"

run() { # run WHICH COMMAND...: in a directory of its own, what it says in $work/WHICH.*
	local which=$1
	shift
	rm -rf "$work/job" && mkdir "$work/job"
	# shellcheck disable=SC2086
	(cd "$work/job" && timeout 300 "$PYTHON" "$here/tests/shim/ending.py" "$work/$which.end" env $without "$@") \
		</dev/null >"$work/$which.out" 2>"$work/$which.all"
	grep -v '^baton:' "$work/$which.all" >"$work/$which.err"
	grep '^baton:' "$work/$which.all" >"$work/$which.said"
}

same() { # same COMMAND...: the traces are in $trace
	local part
	trace=$work/trace.$((counter += 1))
	last="$*"
	run plain "$@"
	rm -f "$work/counts"
	# shellcheck disable=SC2086
	run recorded $with "$BATON" record -o "$trace" -- "$@"
	cp "$work/recorded.all" "$work/err"
	[ -z "$shorter" ] || cut_out
	for part in end out err; do
		checks=$((checks + 1))
		cmp -s "$work/plain.$part" "$work/recorded.$part" || fail "$part differs: $(diff "$work/plain.$part" "$work/recorded.$part" | head -n 4 | tr '\n' '|')"
	done
}

# When a launcher kills the ranks that are left, how far they came is chance: what both runs printed is compared.
shorter=
cut_out() {
	local lines which
	lines=$(wc -l <"$work/plain.out")
	[ "$(wc -l <"$work/recorded.out")" -ge "$lines" ] || lines=$(wc -l <"$work/recorded.out")
	[ "$lines" -ge "$shorter" ] || fail "$lines lines, not $shorter"
	for which in plain recorded; do
		head -n "$lines" "$work/$which.out" >"$work/cut" && mv "$work/cut" "$work/$which.out"
	done
}

said() { # said LINES [TEXT]: of baton's, before the one at the end
	checks=$((checks + 1))
	[ "$(sed '$d' "$work/recorded.said" | wc -l)" = "$1" ] || fail "$(sed '$d' "$work/recorded.said" | wc -l) lines of baton's, not $1"
	[ $# = 1 ] || grep -qF -- "$2" "$work/recorded.said" || fail "baton did not say: $2"
}

traces() { find "$trace" -name '*.baton' ! -name 'gpus.*' | wc -l; } # what the GPUs showed is of no process

whole() { # whole FILES: that many traces, none damaged; a job without any leaves nothing else either
	checks=$((checks + 2))
	[ "$(traces)" = "$1" ] || fail "$(traces) trace files, not $1"
	[ "$1" != 0 ] || expect_nothing_in "$trace"
	[ "$1" = 0 ] || "$BATON" check "$trace" >"$work/check" 2>&1 || fail "$(grep -v ': ok' "$work/check" | head -n 2)"
}

holds() { # holds OPTION...: of conserved.py
	checks=$((checks + 1))
	"$BATON" dump --json "$trace" | "$PYTHON" "$here/tests/shim/conserved.py" "$@" >"$work/why" || fail "$(cat "$work/why")"
}

# ---- jobs that end well: what the driver counted is in the trace ----
counted() { # counted FILES OPTION... -- COMMAND...: the options are conserved.py's
	local files=$1 options=()
	shift
	while [ "$1" != -- ]; do options+=("$1") && shift; done
	shift
	with="env SIMGPU_COUNTS=$work/counts LD_PRELOAD=$double/libcount.so $knobs"
	same "$@"
	with=
	whole "$files"
	holds "${options[@]}" "$work/counts"
}
knobs=
counted 1 -- "$bin/simtrain" --steps 4 --layers 4
counted 2 -- "$bin/simlaunch" -n 2 -- "$bin/simtrain" --steps 3 --layers 2
counted 1 -- "$bin/simtrain13" --steps 3 --layers 2
# Keeps out: the recording of a job that begins with a launch ended behind the driver, without a GPU record.
${CC:-gcc} -std=gnu11 -O1 -Itools/simtrain -rdynamic -o "$work/window_job" tests/shim/window_job.c "$double/libcudart.so.12" "$double/libnccl.so.2" -lpthread ||
	fail "window_job.c"
counted 1 -- "$work/window_job" first 100
for caller in static_cudart triton_like getproc; do
	for threads in 1 16; do counted 1 -- "$bin/simcaller" "$double/$caller.so" 60 $threads; done
done
for threads in 1 16; do
	burst=
	[ $threads = 1 ] || burst=--ops-may-drop
	counted 1 $burst -- "$bin/simtrain" --launches 1500 --threads $threads --host-ns 200
	knobs="BATON_RING_SLOTS=64"
	counted 1 --drops $burst -- "$bin/simtrain" --launches 1500 --threads $threads --host-ns 200
	knobs="SIMGPU_CUPTI_DROP=7"
	counted 1 --ops-drop -- "$bin/simtrain" --launches 1500 --threads $threads --host-ns 200
	knobs="SIMGPU_CUPTI_SHUFFLE=1"
	counted 1 $burst -- "$bin/simtrain" --launches 1500 --threads $threads --host-ns 200
	knobs=
done
for release in 12.0 12.4 12.9 13.0 13.2 13.5; do
	program=simtrain
	[ "${release%.*}" = 12 ] || program=simtrain13
	knobs="SIMGPU_CUPTI=$release"
	counted 1 -- "$bin/$program" --steps 2 --layers 2
done
knobs="SIMGPU_CUPTI=11.8 BATON_CUPTI=$double/libcupti.so.11.8"
counted 1 -- "$bin/simtrain" --steps 2 --layers 2
# launch wrappers: a runtime call and the driver call in it are one launch
for stacks in off both; do
	knobs="BATON_CUPTI=none"
	with_stacks="-s $stacks"
	for job in "$bin/simtrain --steps 3 --layers 2 --threads 3" "$bin/simtrain13 --steps 3 --layers 2" \
		"$bin/simcaller $double/static_cudart.so 50 3" "$bin/simcaller $double/triton_like.so 50 3" \
		"$bin/simcaller $double/getproc.so 50 3"; do
		[ "$stacks" = off ] || [ "$job" = "${job#*simcaller}" ] || continue
		# shellcheck disable=SC2086
		counted 1 --no-ops -- $job
		said 1 "launches are recorded, GPU work is not"
	done
done
knobs="BATON_CUPTI=none BATON_RING_SLOTS=64"
counted 1 --no-ops --drops -- "$bin/simtrain" --launches 1500 --threads 4 --host-ns 200
knobs="SIMGPU_CUPTI_BUSY=other"
counted 1 --no-ops -- "$bin/simtrain" --steps 2 --layers 2
said 1 "another tool"
knobs=
# a captured launch makes a node, not an op; the graph's launch makes the ops
counted 1 -- "$bin/simtrain" --steps 3 --layers 2 --graph

# ---- jobs that end badly: what they launched is there all the same ----
for end in "segv 300" "abort 300" "leave 300" "fails 300"; do
	# shellcheck disable=SC2086
	same $jobs ${end% *}
	whole 1
	holds --killed --launches "${end#* }"
done
shorter=1
same "$bin/simlaunch" -n 2 -- "$bin/simtrain" --steps 200 --layers 2 --kill-rank 1=3
shorter=
whole 2

# ---- jobs of other kinds ----
same sh -c 'exit 4'
same bash -c 'set -o pipefail; seq 100000 | head -n 3; echo "${PIPESTATUS[@]}" >&2; (echo sub >&2; exit 3) | cat; false | true'
same bash -c 'yes | head -n 2; ulimit -Sn; ulimit -Hn; exec 3>own; echo 3 >&3; ls /proc/self/fd | wc -l; kill -USR2 $$'
whole 0
# shellcheck disable=SC2086
{
	same $jobs spawn
	whole 2
	holds --killed --launches 200
	same $jobs fork
	whole 2
	holds --killed --launches 200
	same $jobs fork_after # its call in the child failed, as it does without us: a call in a trace of its own
	whole 2
	holds --killed --launches 101
	same $jobs children
	whole 1
	same $jobs bomb
	whole 50
	holds --killed --launches 100
	same $jobs descriptors
	whole 1
	holds --killed --launches 1005
	same $jobs close_all
	whole 1
	holds --killed --launches 300
	same $jobs signals
	same $jobs directory_goes
	said 1
}

# ---- limits ----
# shellcheck disable=SC2086
{
	same bash -c "ulimit -Sn 64; exec $jobs descriptors"
	whole 1
	holds --killed --launches 1005
	same bash -c "ulimit -Sn 64; ulimit -Hn 64; exec $bin/simtrain --steps 2 --layers 2"
	whole 1
}
# address space: from enough for the job and two more libraries in it (ours, CUPTI: some 30 MiB with their threads' stacks) to enough
# for rings too. At each limit the job must do what it does alone.
small="$bin/simcaller $double/triton_like.so 50 1"
enough=60000
while [ $enough -lt 4000000 ] && ! bash -c "ulimit -v $enough; exec $small" >/dev/null 2>&1; do enough=$((enough + 20000)); done
recorded=0 gave_up=0
for more in 60000 200000 600000 1000000; do
	same bash -c "ulimit -v $((enough + more)); exec $small"
	if [ "$(traces)" = 1 ] && "$BATON" dump --json "$trace" | "$PYTHON" tests/shim/conserved.py --killed --launches 50 >/dev/null; then
		recorded=$((recorded + 1))
	else
		gave_up=$((gave_up + 1))
		said 1
	fi
done
checks=$((checks + 2))
[ "$recorded" -gt 0 ] || fail "no limit of $enough to $((enough + 1000000)) KiB is enough to record"
[ "$gave_up" -gt 0 ] || fail "$enough KiB were enough to record: nothing was refused"

# ---- disks ----
disk() { # disk SIZE: an empty one at $disk; false: we may not mount
	disk=$work/disk
	mkdir -p "$disk"
	[ -z "${mounted:-}" ] || umount "$disk"
	mounted=
	mount -t tmpfs -o "size=$1" none "$disk" 2>/dev/null && mounted=$disk
}
not_done=
if disk 64k; then
	full() { # full WHEN: the same job with its directory on the disk; one line is said
		last="steady, $1"
		# shellcheck disable=SC2086
		run recorded env BATON_OUT="$disk/out" LD_PRELOAD="$bin/libbaton.so" $jobs steady
		cp "$work/recorded.all" "$work/err"
		for part in end out err; do
			checks=$((checks + 1))
			cmp -s "$work/plain.$part" "$work/recorded.$part" || fail "$1: $part differs"
		done
		said_all=$(wc -l <"$work/recorded.said")
		checks=$((checks + 1))
		[ "$said_all" = 1 ] || fail "$1: $said_all lines, not 1"
	}
	mkdir "$disk/out"
	# shellcheck disable=SC2086
	run plain $jobs steady
	dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
	full "full from the start"
	expect_says "No space left on device" "is not recorded"
	expect_nothing_in "$disk/out"
	checks=$((checks + 1))
	# room for the first write and no more: what had no room is counted, when there is room again
	dd if=/dev/zero of="$disk/filler" bs=4k 2>/dev/null
	truncate -s -4096 "$disk/filler"
	full "full after the first write"
	expect_says "No space left on device"
	rm "$disk/filler"
	trace=$disk/out
	"$BATON" report "$trace" >/dev/null 2>&1 # takes the rest out of the rings
	rm -f "$trace/summary.baton"
	whole 1
	holds --killed --launches 1200 --ops-may-drop
	# live files: a tiny place of the user's choice is passed over for /dev/shm
	disk 16k
	without="BATON_RING_DIR=$disk"
	same "$bin/simtrain" --steps 3 --layers 2
	whole 1
	expect_nothing_in "$disk"
	# so is one with room for names alone: keeps out that no launch of the process is heard
	disk 3m
	knobs="BATON_RING_DIR=$disk"
	counted 1 -- "$bin/simtrain" --steps 3 --layers 2
	knobs=
	expect_nothing_in "$disk"
	# one with room for the first ring but not for all: those threads' launches are counted as not heard, nobody waits
	disk 10m
	without="BATON_RING_DIR=$disk"
	same "$bin/simtrain" --launches 500 --threads 16
	whole 1
	expect_nothing_in "$disk"
	without=
	umount "$disk" && mounted=
else
	not_done="full disks not tried: may not mount"
fi
finish "$not_done"
