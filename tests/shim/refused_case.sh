#!/usr/bin/env bash
# Interpreters that the shim must refuse, one process each; one line on stderr says why.
set -u
cd "$(dirname "$0")/../.." || exit 1
at=${BUILD:-build/release}/shim
mkdir -p "$at" || exit 1
${CC:-gcc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g -fPIC -fvisibility=hidden -rdynamic -DXXH_INLINE_ALL -Ishim -Iinclude \
	-Itests/unit -o "$at/refused_test" tests/shim/refused_test.c shim/sources/stacks/*.c \
	shim/base/guard.c shim/base/perthread.c shim/base/idcache.c shim/base/memory.c shim/base/message.c shim/base/config.c tests/shim/dict_double.c -ldl -lpthread || exit 1
n=0 failed=0
while :; do
	"$at/refused_test" "$n" >"$at/out" 2>"$at/err"
	status=$?
	[ "$status" = 77 ] && break
	if [ "$status" != 0 ] || [ "$(wc -l <"$at/err")" -gt 1 ] || { [ -s "$at/err" ] && ! grep -q '^baton: ' "$at/err"; }; then
		failed=$((failed + 1))
		echo "refusal $n: status $status"
		cat "$at/out" "$at/err"
	fi
	n=$((n + 1))
done
echo "$n interpreters refused, $failed not"
[ "$n" -gt 5 ] && [ "$failed" = 0 ]
