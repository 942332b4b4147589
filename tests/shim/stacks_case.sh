#!/usr/bin/env bash
# The shim's stacks in every CPython from 3.8 to 3.13 that is here (on PATH, of pyenv): the module is built against that
# interpreter's own headers. Keeps out: a layout that is right for one version only.
#   stacks_case.sh [bench]
set -u
cd "$(dirname "$0")/../.." || exit 1
folder=${BUILD:-build/release}/shim
baton=${BATON:-${BUILD:-build/release}/baton}
sources="shim/sources/stacks/*.c shim/base/idcache.c shim/base/memory.c shim/base/guard.c shim/base/perthread.c shim/base/message.c shim/base/config.c tests/shim/dict_double.c
	tests/shim/stackmod.c reducer/stacks/pyline.c"
about='import sys, sysconfig, os
include = sysconfig.get_paths()["include"]
wanted = (3, 8) <= sys.version_info[:2] <= (3, 13) and os.path.exists(include + "/Python.h")
print("%d.%d" % sys.version_info[:2], include if wanted else "-", sysconfig.get_config_var("Py_GIL_DISABLED") or 0)'

pythons() { # one "VERSION INCLUDE PROGRAM" for each version, the first found
	for python in python3.{8,9,10,11,12,13} ~/.pyenv/versions/3.*/bin/python3 python3; do
		python=$(command -v "$python") || continue
		line=$("$python" -c "$about" 2>/dev/null) || continue
		read -r version include free <<<"$line"
		[ "$include" = - ] || [ "$free" = 1 ] || echo "$version $include $python"
	done | sort -V -u -k 1,1
}

one() { # one VERSION INCLUDE PROGRAM
	local at=$folder/python$1
	mkdir -p "$at" || return 1
	# shellcheck disable=SC2086
	${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g -fPIC -fvisibility=hidden -shared \
		-DXXH_INLINE_ALL -Ishim -Iinclude -Ireducer -isystem "$2" -o "$at/stackmod.so" $sources -ldl -lpthread || return 1
	if [ ! -e "$at/greenlet.tried" ]; then
		timeout 60 "$3" -m pip install -q --no-deps --target "$at" greenlet >/dev/null 2>&1
		touch "$at/greenlet.tried"
	fi
	export PYTHONPATH=$at:tests/format PYTHONDONTWRITEBYTECODE=1
	MALLOC_ARENA_MAX=1 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 timeout 300 "$3" tests/shim/stacks_test.py "${mode:-$at}" || return 1
	[ "$mode" = bench ] || through_trace "$at" "$3"
}

# The same captures as `baton dump --stacks` reads them out of a trace; the native stack has a name where libdw is.
through_trace() { # through_trace FOLDER PROGRAM
	"$2" tests/shim/stacks_test.py trace "$1/stacks.baton" >"$1/expected" || return 1
	"$baton" dump --stacks "$1/stacks.baton" >"$1/folded" || return 1
	tail -n +2 "$1/folded" | diff "$1/expected" - || return 1
	head -n 1 "$1/folded" | grep -q ' 9$' || return 1
	! ldconfig -p | grep -q 'libdw\.so\.1' || [ ! -e /usr/include/elfutils/libdwfl.h ] ||
		head -n 1 "$1/folded" | grep -q _PyEval_EvalFrameDefault || { echo "native frames have no names" && return 1; }
}

mode=${1:-}
tested=0 failed=0 versions=
while read -r version include python; do
	one "$version" "$include" "$python" || failed=$((failed + 1))
	tested=$((tested + 1))
	versions="$versions $version"
done < <(pythons)
[ "$tested" = 0 ] && echo "no CPython 3.8 to 3.13 with its headers here" && exit 77
echo "CPython$versions: $failed failed"
[ "$failed" = 0 ]
