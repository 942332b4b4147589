#!/usr/bin/env python3
"""readers.py finds a reader without a check, and a line of readers.txt that is not needed; nothing where nothing is wrong."""
import os
import tempfile
import unittest

import readers

UNCHECKED = "int f(int fd)\n{\n\treturn read(fd, room, *(int *)room);\n}\n"
CHECKED = "int f(int fd)\n{\n\tread(fd, room, 4);\n\treturn baton_holds(whole, 0, n, 1);\n}\n"


def wrong_with(files, known):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as file:
                file.write(text)
        return readers.wrong(root, known)


class Readers(unittest.TestCase):
    def test_sound(self):
        self.assertEqual(wrong_with({"reducer/a/b.c": CHECKED, "include/codec/c.h": "/* read(this) */\n", "tools/d.c": UNCHECKED}, {}), [])

    def test_unchecked(self):
        for path in ("reducer/a/b.c", "include/codec/c.cpp", "reducer/d.h"):
            self.assertIn(path + " reads", wrong_with({path: UNCHECKED}, {})[0])
            self.assertEqual(wrong_with({path: UNCHECKED}, {path: "why"}), [])

    def test_a_check_in_a_comment(self):
        self.assertEqual(len(wrong_with({"reducer/a.c": UNCHECKED + "/* baton_holds(n) */\n"}, {})), 1)

    def test_not_needed(self):
        for files in ({}, {"reducer/a.c": CHECKED}, {"reducer/a.c": "int nothing;\n"}):
            self.assertEqual(len(wrong_with(files, {"reducer/a.c": "why"})), 1)


if __name__ == "__main__":
    unittest.main()
