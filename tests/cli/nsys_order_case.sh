#!/usr/bin/env bash
# nsys files whose rows stand in another order: exports of 2025.6 and later promise none.
. "$(dirname "$0")/lib.sh"
moved=

# same FILE: each table, the report and the rows of its import, and of one whose rows are shuffled
same() {
	local file=$1 name seed
	name=$(basename "$file" .sqlite)
	expect_status 0 "$BATON" import "$file" -o "$work/$name.0"
	for seed in 1 2; do
		rm -rf "$work/$name.1" "$work/$name.shuffled.sqlite"
		expect_status 0 "$PYTHON" tests/cli/nsys_order.py "$file" "$work/$name.shuffled.sqlite" "$seed"
		moved=$(cat "$work/out")
		expect_status 0 "$BATON" import "$work/$name.shuffled.sqlite" -o "$work/$name.1"
		for tables in nvtx_sum,cuda_gpu_kern_sum,cuda_api_sum,cuda_gpu_mem_time_sum,cuda_gpu_mem_size_sum,cuda_gpu_sum,nvtx_pushpop_sum,nccl_sum \
			nvtx_gpu_proj_sum,nvtx_kern_sum cuda_kern_exec_sum; do
			for k in 0 1; do
				expect_status 0 "$BATON" stats -f csv -r "$tables" "$work/$name.$k"
				mv "$work/out" "$work/stats.$k"
			done
			cmp -s "$work/stats.0" "$work/stats.1" || fail "$name, seed $seed: $tables differ: $(diff "$work/stats.0" "$work/stats.1" | head -n 4)"
		done
		# of events that begin together no order is promised
		for k in 0 1; do
			expect_status 0 "$BATON" stats -f csv -r cuda_gpu_trace,cuda_kern_exec_trace,cuda_api_trace "$work/$name.$k"
			sort "$work/out" >"$work/stats.$k"
		done
		cmp -s "$work/stats.0" "$work/stats.1" || fail "$name, seed $seed: traces differ: $(diff "$work/stats.0" "$work/stats.1" | head -n 4)"
		for k in 0 1; do
			expect_status 0 "$BATON" report --json "$work/$name.$k"
			sed "s|$work/$name.$k|RUN|g" "$work/out" >"$work/report.$k"
		done
		cmp -s "$work/report.0" "$work/report.1" || fail "$name, seed $seed: reports differ: $(diff <(tr , '\n' <"$work/report.0") <(tr , '\n' <"$work/report.1") | head -n 6)"
	done
}

# Keeps out: ranges, calls and kernels that begin together, told apart by where they stand in the file.
sim=${SIM:-$(dirname "$BATON")/baton-sim}
for made in "ddp --ranks 2" "dataparallel --ranks 2"; do
	set -- $made
	expect_status 0 "$sim" -o "$work/$1" --workload "$1" "${@:2}" --steps 3 --kernels 80 --gpu-tick 1000 --host-tick 1000
	expect_status 0 "$BATON" export --format nsys-sqlite -o "$work/$1.sqlite" "$work/$1"
	same "$work/$1.sqlite"
done
[ ! -f "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite" ] || same "$BATON_DATA/nsys/h100_2gpu_nccl.sqlite"
finish "$moved"
