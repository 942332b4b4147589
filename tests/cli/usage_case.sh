#!/usr/bin/env bash
# The command line itself: what is wrong with it, help, output that cannot be written, input that is not there.
. "$(dirname "$0")/lib.sh"

built="record import reduce report top metrics compare jitter stragglers stats classify export dump check doctor"

# Keeps out: a misspelt command or option that does something, or ends with the status of another trouble.
expect_status 2 "$BATON"
expect_prints "usage: baton COMMAND"
expect_status 2 "$BATON" reprot runs/x
expect_says "unknown command 'reprot'"
expect_status 2 "$BATON" --nope
for command in $built; do
	expect_status 2 "$BATON" "$command" --nope
	expect_says "$command: unknown option '--nope'"
	expect_status 2 "$BATON" "$command" -Z
	expect_says "$command: unknown option '-Z'"
done
for command in record import reduce report top metrics compare jitter stragglers export dump check; do
	expect_status 2 "$BATON" "$command"
	expect_says "usage: baton $command "
done
expect_status 2 "$BATON" classify a-name
expect_status 2 "$BATON" import "$work/x.json"
expect_says "-o DIR is missing"
expect_status 2 "$BATON" import -o
expect_says "missing value after '-o'"
for number in x 1x -1 '' 99999999999999999999; do
	expect_status 2 "$BATON" import --rank "$number" "$work/x.json" -o "$work/out.d"
	expect_says "--rank wants a whole number, not '$number'"
done
expect_status 2 "$BATON" import --rank 3000000000 "$work/x.json" -o "$work/out.d"
expect_nothing_in "$work/out.d"

# Keeps out: help that needs operands, goes to stderr or belongs to another command.
for command in $built; do
	for option in --help -h; do
		expect_status 0 "$BATON" "$command" $option
		expect_prints "usage: baton $command "
		checks=$((checks + 1))
		[ ! -s "$work/err" ] || fail "help on stderr"
	done
	expect_status 0 "$BATON" man "$command"
	expect_prints ".TH BATON-${command^^} 1"
done
expect_status 0 "$BATON" --help
expect_prints $built
expect_status 0 "$BATON" --version
expect_prints "baton "

# Keeps out: a gate that never closes, closes always, or is misread; a mode that is not known taken for none.
kineto ranks "$work/json"
imported "$work/json" "$work/run"
expect_status 1 "$BATON" report --fail-if 'idle>0.01' "$work/run"
expect_says "gate failed: idle is "
expect_status 0 "$BATON" report --fail-if 'idle>0.99' "$work/run"
expect_status 1 "$BATON" report --json --fail-if 'work.matmul<0.9' "$work/run"
expect_true "len(d['devices']) == 2"
expect_status 0 "$BATON" compare --fail-if 'efficiency<0.85' "$work/run" "$work/run"
expect_status 1 "$BATON" compare --fail-if 'efficiency<1.01' "$work/run" "$work/run"
for expression in '' idle 'idle>' '>0.5' 'idle>x' 'idle>0.5x' 'idel>0.5' 'idl>0.5'; do
	expect_status 2 "$BATON" report --fail-if "$expression" "$work/run"
	expect_says "--fail-if"
done
expect_status 2 "$BATON" compare --fail-if 'idle>0.5' "$work/run" "$work/run"
expect_status 2 "$BATON" compare --scaling nope "$work/run" "$work/run"
expect_status 2 "$BATON" compare "$work/run"
expect_status 2 "$BATON" report --steps nope "$work/run"
expect_status 2 "$BATON" dump --idle --steps nope "$work/run"
expect_says "--steps must be 'period' or 'none'"
expect_status 2 "$BATON" report --kernels some "$work/run"
expect_status 2 "$BATON" report --taxonomy nope "$work/run"
expect_status 2 "$BATON" report --classes "$work/absent" "$work/run"
expect_status 3 "$BATON" compare "$work/run" "$work/absent"
expect_says "$work/absent: No such file"

# Keeps out: status 0 for output that went nowhere (a full disk).
full() { # full COMMAND...: the command with its output on a full disk
	expect_status 5 sh -c '"$@" >/dev/full' sh "$@"
	expect_says "standard output: No space left on device"
}
for command in report "report --json" dump "dump --json" check "check --json"; do
	# shellcheck disable=SC2086 # two words
	full "$BATON" $command "$work/run"
done
full "$BATON" compare "$work/run" "$work/run"
full "$BATON" compare --json "$work/run" "$work/run"
echo gemm >"$work/names"
full sh -c '"$1" classify <"$2"' sh "$BATON" "$work/names"
full "$BATON" --help
full "$BATON" report --help
expect_status 5 sh -c '"$@" >&-' sh "$BATON" report "$work/run"
expect_status 5 sh -c '"$@" >&-' sh "$BATON" dump "$work/run"

# Keeps out: "Broken pipe" after `baton dump ... | head`, which has read what it wanted.
checks=$((checks + 1))
mkfifo "$work/gone"
{
	read -r _ <"$work/gone"
	"$BATON" dump tests/golden/format/good-columns-limit.baton 2>"$work/err"
	echo $? >"$work/status"
} | { exec <&- && echo gone >"$work/gone"; }
[ ! -s "$work/err" ] && [ "$(cat "$work/status")" = 5 ] || fail "a reader that has gone: $(cat "$work/status" "$work/err")"

# Keeps out: an end by SIGPIPE, or endless work for a reader who has gone.
expect_status 5 "$PYTHON" -c "import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
sys.exit(subprocess.call(sys.argv[1:], stdout=writer))" "$BATON" dump --json "$work/run"

# Keeps out: messages written into the trace whose file took the number of a closed stderr.
kineto truncated "$work/cut"
for closed in '2>&-' '2>&- >&-' '2>&- >&- <&-'; do
	expect_status 4 sh -c "\"\$@\" $closed" sh "$BATON" import -f "$work/cut" -o "$work/quiet"
	expect_status 0 "$BATON" check "$work/quiet"
done

# Keeps out: a missing or unreadable input taken for an empty one.
expect_status 3 sh -c '"$1" classify <&-' sh "$BATON"
expect_says "standard input: "
expect_status 3 sh -c '"$1" classify <"$2"' sh "$BATON" "$work"
expect_says "standard input: "
expect_status 0 sh -c '"$1" classify </dev/null' sh "$BATON"
checks=$((checks + 1))
[ ! -s "$work/out" ] || fail "output for no input"

# Keeps out: lines that scripts cannot split. Names as they come: empty, without a newline at the end, of 100,000 characters, with
# bytes that are not text.
{
	printf 'ampere_sgemm_128x64_nn\nvoid at::native::vectorized_elementwise_kernel<4, F<float> >(int)\n\n%s\n' 'MEMCPY HtoD'
	head -c 100000 /dev/zero | tr '\0' 'k'
	printf '\nname \xff\xfe \xe2\x82\n%%s %%n %%d\nncclDevKernel_AllReduce_Sum_f32_RING_LL(args)'
} >"$work/names"
expect_status 0 sh -c '"$1" classify <"$2"' sh "$BATON" "$work/names"
checks=$((checks + 1))
"$PYTHON" - "$work/names" "$work/out" <<-'EOF' || fail "classify: columns"
	import sys
	names, out = (open(name, "rb").read().removesuffix(b"\n").split(b"\n") for name in sys.argv[1:])
	rows = [line.split(b"\t") for line in out]
	assert [row[0] for row in rows] == names, "the names"
	for row in rows:
	    assert len(row) == 5 and row[1] in (b"matmul", b"memory", b"custom", b"nccl", b"other"), row[1:]
	    assert row[2].split(b".")[0] == row[1] and row[3] in (b"yes", b"no", b"unknown") and row[4], row[1:]
	assert [rows[i][1] for i in (0, 1, 7)] == [b"matmul", b"custom", b"nccl"], [row[1] for row in rows]
EOF
expect_status 2 sh -c '"$1" classify --taxonomy nope <"$2"' sh "$BATON" "$work/names"
expect_says "unknown taxonomy 'nope'"
expect_status 2 sh -c '"$1" classify --classes "$2.absent" <"$2"' sh "$BATON" "$work/names"
expect_says "$work/names.absent: "
finish
