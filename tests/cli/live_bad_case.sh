#!/usr/bin/env bash
# A live file that a run directory brought along: what is whole is salvaged, and anything else ends with a line that names the
# file, and status 4. The files come from tests/fuzz/live_seed.c.
. "$(dirname "$0")/lib.sh"

seed=$work/live_seed
# the codec as `make install` places it: .c files that see the headers of baton/ and nothing else
mkdir "$work/include" "$work/codec" && cp -r include/baton "$work/include" && cp include/codec/*.c "$work/codec"
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -I"$work/include" -o "$seed" tests/fuzz/live_seed.c "$work"/codec/*.c -lzstd -lxxhash ||
	fail "the maker of live files"
n=0

made() { # made FIELD=VALUE...: in a new directory, $run; its live file is $live
	run=$work/run$((n += 1))
	mkdir "$run"
	run=$(realpath "$run")
	live=$("$seed" "$run" "$@") || fail "live_seed $*"
}

launches() { # launches N: so many calls are in the trace now
	expect_status '0|3' "$BATON" check --json "$run"
	checks=$((checks + 1))
	[ "$("$BATON" dump "$run"/*.baton 2>/dev/null | grep -c '^call ')" = "$1" ] || fail "not $1 calls"
}

# Keeps out: a maker of files that are wrong by themselves.
made
expect_status 0 "$BATON" report "$run"
expect_says "300 records of 1 process that ended without closing its trace were taken from shared memory"
checks=$((checks + 1))
[ ! -e "$live" ] || fail "the live file stays"
launches 300

# Keeps out: losses that a process told itself, and could not close its trace, told once more.
for told in 0 1; do
	made gpu_recorded=1 gpu_lost=5 unheard_launches=9 dropped_strings=3 losses_told=$told
	"$BATON" report "$run" >/dev/null 2>&1
	checks=$((checks + 1))
	losses=$("$BATON" dump --json "$run" | grep '"record":"loss"' | sed 's/.*"count":\([0-9]*\).*/\1/' | sort -n | tr '\n' ' ')
	case "$told $losses" in '0 3 5 9 104 ' | '1 ') ;; *) fail "told: $told, losses $losses" ;; esac
done

# Keeps out: a tick of the host's clock that no recorder writes.
for tick in 32 7 0xffffffff; do
	made host_tick_ns=$tick begin=1
	"$BATON" report "$run" >/dev/null 2>&1
	checks=$((checks + 1))
	first=$("$BATON" dump --json "$run" | grep -m 1 '"record":"call"')
	case "$tick $first" in 32*'"start_ns":0,'* | [!3]*'"start_ns":1,'*) ;; *) fail "ticks of $tick ns: $first" ;; esac
done

# Keeps out: a header that is believed before it is compared with the file and with the names.
left_alone() { # left_alone WORDS FIELD=VALUE...
	local words=$1
	shift
	made "$@"
	expect_status 4 "$BATON" report "$run"
	expect_says "$live: offset 0x0: " "$words" "it is left alone"
	expect_status 4 "$BATON" report --json "$run"
	checks=$((checks + 1))
	[ -e "$live" ] || fail "$live is gone"
	launches 0
}
left_alone "of another version" layout=99
left_alone "of another size than it says" file_bytes=1
left_alone "of another size than it says" file_bytes=0x8000000000000000
for offset in 0 64 0xffffffffffffffc0 0x7fffffffffffffc0 8200; do
	left_alone "whose lanes lie outside of it" lanes_offset=$offset
done
left_alone "whose names lie outside of it" dictionary_offset=0xfffffffffffffff8
left_alone "whose names lie outside of it" dictionary_bytes=0xffffffffffffffff
left_alone "whose names lie outside of it" dictionary_offset=9
left_alone "of another process than" pid=4194305
left_alone "of another process than" name="baton-0-0badc0de.4194304.8.0.live"

# Keeps out: a live file that has a file of the directory removed or written over.
run=$work/run$((n += 1))
mkdir "$run"
run=$(realpath "$run")
echo mine >"$run/notes.txt"
live=$("$seed" "$run" trace="$run/notes.txt" head=0)
expect_status 4 "$BATON" report "$run"
expect_says "of another process than its name and its trace say"
checks=$((checks + 1))
[ "$(cat "$run/notes.txt")" = mine ] || fail "notes.txt is changed"

# Keeps out: a count of slots times their size that wraps to 0, and all that reads outside of the file.
bad_ring() { # bad_ring FIELD=VALUE...
	made "$@"
	expect_status 4 "$BATON" report "$run"
	expect_says "$live: 1 of its rings and 0 of its records are damaged: they are lost"
	launches 0
}
bad_ring slots=0x800000000000000
bad_ring slots=0x800000000000000 head=0x700000000000000
bad_ring slots=0
bad_ring slots=1000
bad_ring slots=2048
bad_ring offset=0xfffffffffffffff8
bad_ring offset=0x7ffffffffffffff8
bad_ring offset=1
bad_ring head=1025
bad_ring head=0xffffffffffffffff

# Keeps out: a slot that spoils the block of all others, a name that does, times that overflow.
made type=2 aux=300
expect_status 4 "$BATON" report "$run"
expect_says "0 of its rings and 1 of its records are damaged"
launches 299
for field in begin=0x8000000000000000 mult=0xffffffffffffffff dictionary_reserved=0xffffffffffffffff dictionary_reserved=7 type=255; do
	made "$field"
	expect_status '0|4' "$BATON" report "$run"
	expect_status 0 "$BATON" check "$run"
done
finish
