#!/usr/bin/env python3
"""Is a page of `--html` what docs/PAGE.md promises, as far as its text says it: one file, its policy's hashes those of its script and style,
nothing else that could run or load, and documents that are the same as what `--json` printed.

    well.py PAGE [ID=JSON_FILE]...
"""
import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input"}
ALLOWED = {"html", "head", "meta", "title", "style", "body", "a", "header", "nav", "main", "noscript", "footer", "script"}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.wrong, self.open, self.scripts, self.styles, self.policy, self.documents = [], [], [], [], None, {}
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ALLOWED:
            self.wrong.append(f"<{tag}> in the page")
        for name, value in attrs.items():
            if name.startswith("on") or name in ("style", "src", "srcset", "action", "background") or (name == "href" and not value.startswith("#")):
                self.wrong.append(f"attribute {name} of <{tag}>")
        if tag in ("script", "style") and self.policy is None:
            self.wrong.append(f"<{tag}> before the policy")
        if attrs.get("http-equiv", "").lower() == "content-security-policy":
            self.policy = attrs["content"]
        if tag not in VOID:
            self.open.append((tag, attrs))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        tag, attrs = self.open[-1] if self.open else ("", {})
        if tag == "style":
            self.styles.append(data)
        elif tag == "script" and attrs.get("type") == "application/json":
            self.documents[attrs["id"]] = self.documents.get(attrs["id"], "") + data
        elif tag == "script":
            self.scripts.append(data)

    def handle_comment(self, data):
        self.wrong.append(f"a comment: {data[:40]!r}")


def digest(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    page = Page(text)
    wrong = page.wrong
    rules = dict(rule.strip().split(" ", 1) for rule in (page.policy or "").split(";") if rule.strip())
    if rules.get("default-src") != "'none'" or rules.get("base-uri") != "'none'" or rules.get("require-trusted-types-for") != "'script'":
        wrong.append(f"policy: {page.policy}")
    for name, texts in (("script-src", page.scripts), ("style-src", page.styles)):
        if len(texts) != 1 or rules.get(name) != digest(texts[0]):
            wrong.append(f"{name} is {rules.get(name)}, the hash of the only one is {[digest(t) for t in texts]}")
    if "unsafe" in (page.policy or "") or set(rules) - {"default-src", "script-src", "style-src", "base-uri", "form-action", "require-trusted-types-for",
                                                         "trusted-types"}:
        wrong.append(f"policy allows more: {page.policy}")
    for name, data in page.documents.items():
        if re.search("[<>&\u2028\u2029]", data):
            wrong.append(f"document {name} has a character that is to be escaped")
        if "schema" not in json.loads(data):
            wrong.append(f"document {name} has no schema")
    for pair in sys.argv[2:]:
        name, path = pair.split("=", 1)
        with open(path, encoding="utf-8") as file:
            if json.loads(page.documents.get(name, "null")) != json.load(file):
                wrong.append(f"document {name} is not {path}")
    print("\n".join(wrong) or f"{sys.argv[1]}: {len(text)} characters, documents {', '.join(page.documents)}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
