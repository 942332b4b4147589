#!/usr/bin/env bash
# Every command that the README and the pages of docs/ show is run, and what they show is what the commands print
# (tools/screens.py; after a change of the words: tools/screens.py --write PAGE.md...).
. "$(dirname "$0")/lib.sh"

# Keeps out: a page that shows what nobody gets.
for page in README.md docs/*.md; do
	grep -q '^\$ ' "$page" || continue
	[ "$page" != docs/SIMGPU.md ] || [ -e "${BUILD:=build/release}/simlaunch" ] || continue # not built with sanitizers
	checks=$((checks + 1))
	"$PYTHON" tools/screens.py "$page" >"$work/out" 2>"$work/err" || fail "$page: $(cat "$work/out")"
	ran="${ran:+$ran, }$(basename "$page"): $(sed -n 's/ commands run, / run, /;$p' "$work/out" | cut -d, -f1-2)"
done

# Keeps out: a link to a page, or to a heading of one, that is not there.
checks=$((checks + 1))
"$PYTHON" - README.md CHANGELOG.md docs/*.md tests/README.md tools/simgpu/README.md <<-'PY' >"$work/out" 2>&1 || fail "$(cat "$work/out")"
	import os, re, sys
	def anchors(path):
	    for line in open(path):
	        if line.startswith("#"):
	            words = re.sub(r"[^\w\- ]", "", line.lstrip("# ").strip().lower())
	            yield words.replace(" ", "-")
	bad = 0
	for page in filter(os.path.exists, sys.argv[1:]):
	    text = re.sub(r"```.*?```", "", open(page).read(), flags=re.S)
	    for target in re.findall(r"\]\(([^)#\s]*(?:#[^)\s]*)?)\)", text):
	        path, _, heading = target.partition("#")
	        if "://" in path:
	            continue
	        path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
	        if not os.path.exists(path) or heading and heading not in anchors(path):
	            bad += 1
	            print("%s: no %s" % (page, target))
	sys.exit(bad > 0)
PY
finish "$ran"
