#!/bin/sh
# Installs what the cases of this folder drive: playwright-core and axe-core (npm, pinned by package-lock.json, into build/page-tests) and,
# as root, Debian's Chromium. Prints the path of Chromium on its last line. Status 1: they cannot be had, with a line that says why.
set -u
cd "$(dirname "$0")/../.." || exit 1
sh tools/page/npm.sh tests/page build/page-tests || exit 1
found() { command -v "${CHROMIUM:-chromium}" || command -v chromium-browser || command -v google-chrome; }
if ! found >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	apt-get -o Acquire::http::Timeout=30 update -qq >/dev/null 2>&1
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null 2>&1
fi
found || { echo "there is no Chromium: install it (Debian: chromium)" && exit 1; }
