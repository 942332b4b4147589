#!/bin/sh
# Installs the packages that FOLDER/package-lock.json pins into DIR/node_modules. What is there already is kept;
# as root, node and npm are installed where they are missing.
#   sh tools/page/npm.sh FOLDER DIR       status 1: they cannot be had, with a line that says why
set -u
if ! { command -v node && command -v npm; } >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "installing with apt: nodejs npm" >&2
	apt-get -o Acquire::http::Timeout=30 update -qq >/dev/null 2>&1
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null 2>&1
fi
for tool in node npm; do
	command -v $tool >/dev/null 2>&1 || { echo "$tool is not here: install nodejs and npm" && exit 1; }
done
cmp -s "$1/package-lock.json" "$2/package-lock.json" && [ -d "$2/node_modules" ] && exit 0
rm -rf "$2" && mkdir -p "$2" && cp "$1/package.json" "$1/package-lock.json" "$2/" || exit 1
(cd "$2" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 1 --fetch-timeout 30000 >npm.log 2>&1) && exit 0
rm -rf "$2"
echo "npm cannot install what $1/package-lock.json pins"
exit 1
