#!/bin/sh
# clang-format over the files of `make format` and `make format-check`: version 14, for another one breaks lines elsewhere. As root it is
# installed with apt. Where it cannot be had, that is said and nothing is wrong.
#   format.sh OPTION... FILE...
set -u
tool() {
	for name in clang-format-14 clang-format; do
		command -v "$name" >/dev/null 2>&1 && "$name" --version | grep -q 'version 14\.' && echo "$name" && return 0
	done
	return 1
}
if ! tool >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	apt-get -o Acquire::http::Timeout=30 update -qq >/dev/null 2>&1
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends clang-format-14 >/dev/null 2>&1
fi
if ! program=$(tool); then
	echo "skip    format   no clang-format 14 here, and another version breaks lines elsewhere"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
said=$("$program" "$@" 2>&1)
if [ $? = 0 ]; then
	echo "ok      format   by $program"
	echo "1 passed, 0 failed, 0 skipped"
else
	echo "FAIL    format   \`make format\` would change these lines:"
	echo "$said" | grep -E '^[^ ]+:[0-9]+:' | cut -d : -f 1,2 | uniq | sed 's/^/        /' | head -n 40
	echo "0 passed, 1 failed, 0 skipped"
	exit 1
fi
