#!/usr/bin/env bash
# --classes: the user's own names decide a leaf, before the built-in ones.
. "$(dirname "$0")/lib.sh"

rules() { # rules LINE...: into $work/mine
	printf '%s\n' "$@" >"$work/mine"
}

report() { # report DIR: with those rules
	expect_status 0 "$BATON" report --json --classes "$work/mine" "$1"
}

kineto stalls "$work/stalls" --ranks 1
imported "$work/stalls" "$work/run"
time='d["devices"][0]["time_ns"]'
expect_status 0 "$BATON" report --json "$work/run"
expect_true "$time['idle.host.input'] > 19 * 10**6 and $time['idle.host.sync'] < 10**6"

# Keeps out: ranges whose names only their authors know counted as framework, and no way to say so.
rules '# mine' '' 'enumerate\(DataLoader\)  range:sync'
report "$work/run"
expect_true "$time['idle.host.sync'] > 19 * 10**6 and $time['idle.host.input'] == 0"
rules 'DataLoader   range:none' 'DataLoader range:alloc'
report "$work/run"
expect_true "$time['idle.host.input'] == 0 == $time['idle.host.alloc'] and $time['idle.host.code'] > 19 * 10**6"

# Keeps out: a rule for ranges that holds for calls or kernels of the same name, or the other way round.
rules '. call:none' 'sgemm custom.conv' 'cudaLaunchKernel range:alloc'
report "$work/run"
expect_true "$time['idle.host.input'] > 19 * 10**6 and $time['idle.host.alloc'] == 0 and any(k['class'] == 'custom.conv' for k in d['kernels'])"
rules '^cudaMemcpyAsync$ call:module_load'
report "$work/run"
expect_true "$time['idle.host.module_load'] > 0"

# Keeps out: the same of the frames of silent threads.
"$PYTHON" tests/cli/words_traces.py spread "$work/spread" || fail "no traces"
expect_status 0 "$BATON" report --json "$work/spread"
expect_true "$time['idle.host.blocked'] > 10**8 and $time['idle.host.input'] == 0"
rules '^/home/u/logs\.py:flush$ frame:input'
report "$work/spread"
expect_true "$time['idle.host.input'] > 10**8 and $time['idle.host.blocked'] == 0"

# Keeps out: a mistyped class that is nothing.
for line in 'a call:sinc' 'a range:' 'a frame:custom.conv' 'a kernel:sync' 'call:sync'; do
	rules "$line"
	expect_status 2 "$BATON" report --classes "$work/mine" "$work/run"
	expect_says "$work/mine:1: "
done
rules 'a call:sinc'
expect_status 2 "$BATON" report --classes "$work/mine" "$work/run"
expect_says "unknown class call:sinc (there are: alloc free input module_load nccl_host none sync )"
expect_status 2 sh -c '"$1" classify --classes "$2" </dev/null' sh "$BATON" "$work/mine"

# Keeps out: a stored summary with somebody's classes in it.
rules 'DataLoader range:none'
report "$work/run"
expect_status 0 "$BATON" report --json "$work/run"
expect_true "$time['idle.host.input'] > 19 * 10**6"
finish
