#!/usr/bin/env bash
# Native stacks without Python. The shim's part is a shared object as in life: it leaves out the frames of its own file. Two copies
# of a library with different build ids are loaded one after the other, most likely to the same addresses.
set -u
cd "$(dirname "$0")/../.." || exit 1
at=$PWD/${BUILD:-build/release}/shim/native
mkdir -p "$at" || exit 1
flags="-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g -fPIC"
# shellcheck disable=SC2086
{
	${CC:-gcc} $flags -shared -Wl,--build-id=sha1 -o "$at/liba.so" tests/shim/native_outer.c &&
		${CC:-gcc} $flags -DSECOND -O1 -shared -Wl,--build-id=sha1 -o "$at/libb.so" tests/shim/native_outer.c &&
		${CC:-gcc} $flags -DXXH_INLINE_ALL -Ishim -Iinclude -shared -o "$at/libstacks.so" shim/sources/stacks/*.c \
			shim/base/guard.c shim/base/perthread.c shim/base/idcache.c shim/base/memory.c shim/base/message.c shim/base/config.c tests/shim/dict_double.c -ldl -lpthread &&
		${CC:-gcc} $flags -DXXH_INLINE_ALL -Ishim -Iinclude -Itests/unit -o "$at/native_test" tests/shim/native_test.c \
			-L"$at" -lstacks -Wl,-rpath,"$at" -ldl -lpthread
} || exit 1
"$at/native_test" "$at/liba.so" "$at/libb.so" "$at/liba.so"
