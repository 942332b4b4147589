#!/usr/bin/env bash
# A comparison charges waits to who causes them, and to the leaf that makes it late: one rank, one link, one host; exactly.
. tests/cli/lib.sh
sim=${SIM:-$(dirname "$BATON")/baton-sim}
[ -x "$sim" ] || skip "not built: $sim"

run() { "$sim" -o "$work/$1" --noise-seed "$2" "${@:3}" >"$work/out" 2>"$work/err" || fail "baton-sim $*"; }
# compare BASE RUN: as JSON, of which `b` stands for the bridge; what has to hold of every one is asked.
compare() {
	expect_status 0 "$BATON" compare --json "$work/$1" "$work/$2"
	is "sum(b['terms_ns'].values()) == sum(b['charged_ns'].values()) == b['loss_ns'] and b['residual_ns'] == 0"
	is "all(b['terms_ns'][leaf] + sum(m['ns'] * ((m['leaf'] == leaf) - (m['from'] == leaf)) for c in b['culprits'] for m in c['moved']) == ns for leaf, ns in b['charged_ns'].items())"
}
is() { expect_true "[0 for b in [d['bridge'][0]] if not ($1)] == []"; }
most() { is "b['changed_most']['ns'] and $1"; } # of what is named
culprit="b['culprits'][b['changed_most']['culprit']]"
near_loss="0.95 * b['loss_ns'] < b['changed_most']['ns'] < 1.05 * b['loss_ns']"

# Keeps out: a rank's stall that counts 1 / n in its own leaf, and as somebody's wait for the rest.
for n in 1 2 4 8; do
	on=@$((n - 1))
	[ "$n" != 1 ] || on=
	run "base$n" 1 --ranks "$n" --steps 24
	run "input$n" 2 --ranks "$n" --steps 24 --fault "input=130000$on"
	compare "base$n" "input$n"
	most "b['changed_most']['leaves'] == ['idle.host.input'] and b['changed_most']['rest_is_noise'] and $near_loss"
	[ "$n" = 1 ] || is "not b['noise']['charged']['nccl.wait']['changed']"
	[ "$n" = 1 ] || most "$culprit['rank'] == $((n - 1)) and $culprit['cause'] == 'input' and $culprit['waits_ns'] > 0.4 * b['loss_ns']"
	[ "$n" != 1 ] || is "b['culprits'] == [] and b['late_by'] is None"
	expect_status 0 "$BATON" compare "$work/base$n" "$work/input$n"
	[ "$n" = 1 ] || expect_prints "input on rank $((n - 1)) changed most: 0.00 -> " "; the rest is within noise" " waiting for rank $((n - 1))" \
		"(the terms add up exactly)"
done

# Keeps out: a gain that is nobody's; a fault of both runs, or of another size of run, that is called a change.
compare input4 base4
most "$culprit['rank'] == 3 and b['changed_most']['ns'] < 0 and $culprit['base_waits_ns'] > 0 and $culprit['waits_ns'] == 0"
run again4 3 --ranks 4 --steps 24 --fault input=130000@3
compare input4 again4
is "b['changed_most'] is None and len(b['culprits']) == 1"
run first4 4 --ranks 4 --steps 24 --fault input=130000@0
compare input4 first4
is "b['changed_most'] is None and sorted(c['rank'] for c in b['culprits']) == [0, 3]"
compare input1 first4
is "b['changed_most'] is None or b['changed_most']['leaves'] == ['nccl.transfer']"
is "abs(b['charged_ns']['idle.host.input']) < 0.01 * d['runs'][0]['step_ns'] < 0.1 * -b['terms_ns']['idle.host.input']"

# Keeps out, in strong scaling: a base's own time that counts in full where half of it is ideal, so that nobody is named.
run whole2 1 --ranks 2 --accumulate 2 --steps 24 --fault input=130000@1
run parts4 2 --ranks 4 --steps 24 --fault input=162000@1
compare whole2 parts4
is "d['scaling'] == 'strong'"
most "b['changed_most']['leaves'] == ['idle.host.input'] and $culprit['rank'] == 1"
expect_status 0 "$BATON" compare "$work/whole2" "$work/parts4"
expect_prints "input on rank 1 changed most: ideal 17.0 -> "

# Keeps out: two changes that cancel out in nccl.wait, and no culprit for either.
run alloc4 5 --ranks 4 --steps 24 --fault alloc=200@1
compare input4 alloc4
is "b['charged_ns']['idle.host.alloc'] > 8e6 and b['charged_ns']['idle.host.input'] < -14e6 and abs(b['charged_ns']['nccl.wait']) < 5e5"

# Keeps out: a slow GPU or a slow host told by one of the leaves where it shows.
run gpu 2 --ranks 4 --steps 24 --fault slow_gpu=10@2
compare base4 gpu
most "$culprit['rank'] == 2 and $culprit['cause'] == 'kernels' and len(b['changed_most']['leaves']) > 1 and $near_loss"
run even 1 --ranks 8 --per-host 4 --steps 24
run host 2 --ranks 8 --per-host 4 --steps 24 --fault slow_host=300@4 --fault slow_host=300@5 --fault slow_host=300@6 --fault slow_host=300@7
compare even host
most "$culprit['host'] == 'node1' and $culprit['rank'] is None and $culprit['cause'] == 'host' and $near_loss"
expect_status 0 "$BATON" compare "$work/even" "$work/host"
expect_prints "CPU work on host node1 changed most: "

# Keeps out: ranks that wait for the slow link of others, in communicators that are not slow, told as waits of nobody.
run plain 1 --ranks 16 --workload tensor --steps 10
run link 2 --ranks 16 --workload tensor --steps 10 --fault slow_link=400@5
compare plain link
most "b['changed_most']['leaves'] == ['nccl.transfer'] and $near_loss and $culprit['cause'] == 'link' and $culprit['op'] == 'AllReduce'"
is "b['terms_ns']['nccl.wait'] > 0.1 * b['loss_ns'] and not b['noise']['charged']['nccl.wait']['changed'] and list(range(8)) == $culprit['ranks']"
expect_status 0 "$BATON" compare "$work/plain" "$work/link"
expect_prints "NCCL transfer (slower AllReduce of tensor on ranks 0-7"
expect_wrapped "waiting for slower AllReduce of tensor on ranks 0-7"

# Keeps out: a culprit among twins; waits that are charged where nobody asked who is late.
for workload in ddp tensor; do
	for n in 1 2; do run "$workload$n" "$n" --workload "$workload" --ranks 4 --steps 24 --host-noise drift; done
	compare "${workload}1" "${workload}2"
	is "b['changed_most'] is None and not [t for t in b['noise']['charged'].values() if t['changed']]"
	expect_status 0 "$BATON" compare "$work/${workload}1" "$work/${workload}2"
	expect_prints_not "waiting for" "changed"
done
run few 1 --ranks 4 --steps 3 --fault input=130000@1
rm -f "$work"/few/*.1001.*
expect_status 4 "$BATON" compare --json "$work/base4" "$work/few"
is "b['late_by'] == 'rules' and b['culprits'] == [] and b['noise'] is None"
finish
