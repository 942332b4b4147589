#!/usr/bin/env bash
# make pictures: the pictures in README.md and docs.
# Keeps out: pictures that another call makes differently, of what commands no longer print, that are no XML, that no page shows or that are
# not there, and too much of them.
. "$(dirname "$0")/lib.sh"
unset NO_COLOR
[ -e "${BUILD:=build/release}/baton-sim" ] || skip "not built: $BUILD/baton-sim"

for folder in one two; do
	expect_status 0 "$PYTHON" tools/pictures.py "$BUILD" "$work/$folder"
done
expect_status 0 diff -r "$work/one" "$work/two"
checks=$((checks + 1))
for picture in "$work"/one/*.svg; do
	cmp -s "$picture" "docs/pictures/$(basename "$picture")" || fail "docs/pictures/$(basename "$picture") is not what the commands print: make pictures"
done
expect_status 0 "$PYTHON" - "$work/one" <<-'PY'
	import os, re, sys
	from xml.etree import ElementTree
	folder = sys.argv[1]
	for name in os.listdir(folder):
	    texts = [of.text for of in ElementTree.parse(os.path.join(folder, name)).iter("{http://www.w3.org/2000/svg}text")]
	    assert len(texts) > 8 and texts[0].startswith("$\u00a0baton"), (name, texts[:2])
	    assert not any("\x1b" in text for text in texts), name
	there = set(os.listdir("docs/pictures"))
	assert set(os.listdir(folder)) == {name for name in there if name.endswith(".svg")}, there
	pages = ["README.md"] + ["docs/" + name for name in os.listdir("docs") if name.endswith(".md")]
	shown = {name for page in pages for name in re.findall(r"!\[[^\]]+\]\((?:docs/)?pictures/([^)]+)\)", open(page).read())}
	assert shown == there, (shown, there)
	size = sum(os.path.getsize("docs/pictures/" + name) for name in there)
	assert size < 300_000, size
PY
finish
