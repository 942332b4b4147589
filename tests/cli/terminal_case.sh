#!/usr/bin/env bash
# Names, paths and messages that would steer a terminal: no command prints for people what is not plain text, and JSON stays JSON.
. "$(dirname "$0")/lib.sh"

# ESC, a lone C1 byte, C1 in UTF-8, a mark that turns the direction, half a character.
odd=$'\033[2J_\x9b31m_\xc2\x9b_\xe2\x80\xae_\xe2\x81\xa6_\xe2\x80\x8b_\xe5'
run=$work/$odd
mkdir "$run"
PYTHONPATH=tests/format "$PYTHON" - "$run" "$odd" <<'EOF' || fail "writing the traces"
import os, sys
from writer import TraceWriter

folder, odd = (os.fsencode(text) for text in sys.argv[1:])
for rank in range(2):
    out = TraceWriter(os.path.join(folder, b"%d-%s.baton" % (rank, odd)))
    out.process(100 + rank, boot_id=bytes(16), rank=rank, world_size=2, host=odd + b"\n", source="kineto",
                source_version=odd, run_id=odd)
    stream, thread = out.stream(out.device(rank, odd, odd), 1, 7), out.thread(odd, 100, 100)
    for i in range(200):
        at = 10**9 + i * 50_000 + i * i * 7
        out.rows("range", [{"start_ns": at - 900, "dur_ns": 49_000, "thread": thread, "name": odd + b"\n\t", "category": 1}])
        out.rows("call", [{"start_ns": at, "dur_ns": 5000, "thread": thread, "name": odd, "correlation": i + 1}])
        out.rows("op", [{"start_ns": at + 9000, "dur_ns": 20_000 + i, "op_kind": 1, "stream": stream, "correlation": i + 1,
                         "name": odd + b"%d" % (i % 5)}])
    out.close(with_end=rank == 0)
with open(os.path.join(folder, b"bad" + odd + b".baton"), "wb") as file:
    file.write(b"nothing")
with open(os.path.join(folder, b"trace" + odd + b".json"), "wb") as file:
    file.write(b'{"traceEvents": [{"ph": "X", "name": 1}, {"ph" "' + odd)
EOF

plain() { # plain COMMAND...: whatever its status
	checks=$((checks + 1)) last="$*"
	timeout 120 "$@" >"$work/out" 2>"$work/err"
	[ $? -lt 124 ] || fail "status"
	"$PYTHON" - "$work/out" "$work/err" <<-'EOF' || fail "not plain"
		import re, sys
		for path in sys.argv[1:]:
		    text = open(path, "rb").read().decode("utf-8")
		    found = re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", text)
		    if found:
		        sys.exit("%s: %r" % (path[-3:], text[max(0, found.start() - 30):found.end() + 30]))
	EOF
}

for command in report "report --gaps 3" "report --by range" "report --by op" "report --fresh" reduce check dump "dump --idle" \
	"dump --stacks" "dump --step-list" "export --folded" "report --kernels 9" whatif "top --once"; do
	plain "$BATON" $command "$run"
done
[ -s "$work/out" ] || [ -s "$work/err" ] || fail "nothing printed at all"
plain "$BATON" compare "$run" "$run"
plain "$BATON" report "$run$odd"
plain "$BATON" "$odd"
plain "$BATON" report "--$odd" "$run"
plain "$BATON" report --step-range "$odd-" "$run"
plain "$BATON" import "$run"/trace* -o "$work/imported"
plain "$BATON" stragglers "$run"/trace*
plain "$BATON" dump "$run"/bad*
# On a terminal, through a pager that shows all: nothing but bold text.
for command in report "report --by range" "report --json" dump "dump --json" stats "stats -f csv" "stats -r cuda_gpu_trace,nvtx_sum -f tsv" whatif jitter; do
	plain env -u NO_COLOR TERM=xterm BATON_PAGER="sed 's/\x1b\[[01]m//g'" "$PYTHON" tests/cli/on_terminal.py "$BATON" $command "$run"
done
for command in "report --json" "report --gaps 3 --json" "report --by range --json" "compare --json"; do
	operands=("$run")
	[ "$command" != "compare --json" ] || operands+=("$run")
	expect_status 4 "$BATON" $command "${operands[@]}"
	expect_true "d is not None"
done
finish
