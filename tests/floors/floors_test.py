#!/usr/bin/env python3
"""floors.py finds what is planted: an arrow that runs up, one to a neighbour, a circle of files, "../", a file of a tree that is not
to be seen, a folder without a floor; and nothing where nothing is wrong."""

import os
import tempfile
import unittest

import floors

ORDER = """# a comment
tree low: low
	.
tree house: house low
	base
	rooms/*
	rooms/attic
	.
tree house/yard: house/yard
	.
"""
SOUND = {
    "low/format.h": "",
    "house/base/clock.h": "#include <low/none.h>\n#include <stdio.h>\n",
    "house/base/clock.c": '#include "base/clock.h"\n#include "format.h"\n',
    "house/rooms/one/one.h": '#include "base/clock.h"\n',
    "house/rooms/one/deep/part.c": '#include "rooms/one/one.h"\n',
    "house/rooms/one/all.c": '#include "deep/part.h"\n',
    "house/rooms/one/deep/part.h": "",
    "house/rooms/two/two.h": '#include "base/clock.h"\n',
    "house/rooms/attic/attic.h": '#include "rooms/two/two.h"\n',
    "house/main.c": '#include "rooms/one/one.h"\n#include "rooms/attic/attic.h"\n',
    "house/yard/shed.c": '#include "shed.h"\n',
    "house/yard/shed.h": "",
}


def wrong_with(planted):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **planted}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as file:
                file.write(text)
        with open(os.path.join(root, "order.txt"), "w") as file:
            file.write(ORDER)
        return floors.check(root, floors.read_order(os.path.join(root, "order.txt")))[0]


class Floors(unittest.TestCase):
    def finds(self, planted, *said):
        wrong = wrong_with(planted)
        self.assertEqual(len(wrong), len(said), wrong)
        for line, words in zip(wrong, said):
            self.assertIn(words, line)

    def test_sound(self):
        self.finds({})

    def test_up(self):
        self.finds({"house/base/clock.h": '#include "rooms/two/bell.h"\n', "house/rooms/two/bell.h": ""}, "up: base -> rooms/two")
        self.finds({"house/base/b.c": '#include "main.h"\n', "house/main.h": ""}, "up: base -> .")
        self.finds({"house/rooms/two/b.c": '#include "rooms/attic/attic.h"\n'}, "up: rooms/two -> rooms/attic")

    def test_neighbour(self):
        self.finds({"house/rooms/two/b.c": '#include "rooms/one/one.h"\n'}, "to its neighbour: rooms/two -> rooms/one")

    def test_circle(self):
        self.finds({"house/base/a.h": '#include "b.h"\n', "house/base/b.c": '#include "a.h"\n', "house/base/b.h": ""},
                   "circle: house/base/a house/base/b")

    def test_circle_of_three(self):
        self.finds({"house/base/a.c": '#include "b.h"\n', "house/base/b.h": '#include "c.h"\n', "house/base/c.c": '  #  include "a.h"\n',
                    "house/base/a.h": "", "house/base/c.h": ""}, "circle: house/base/a house/base/b house/base/c")

    def test_circle_of_folders(self):
        self.finds({"house/base/a.c": '#include "rooms/one/one.h"\n'}, "up: base -> rooms/one")

    def test_dots(self):
        self.finds({"house/rooms/two/b.c": '#include "../../base/clock.h"\n'}, "without '../'")

    def test_unseen(self):
        self.finds({"low/a.c": '#include "base/clock.h"\n'}, "is nowhere that low/ may see")
        self.finds({"house/yard/a.c": '#include "base/clock.h"\n'}, "is nowhere that house/yard/ may see")

    def test_no_floor(self):
        self.finds({"house/cellar/a.c": '#include "base/clock.h"\n'}, "house/cellar has no floor")

    def test_gone(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(floors.check(root, [floors.Tree("gone", [])])[0], ["gone/: no source, though order.txt names it"])

    def test_known(self):
        circle = ["circle: a/one a/two a/three"]
        self.assertTrue(floors.tolerated("circle: b/two b/x/one", circle))
        self.assertFalse(floors.tolerated("circle: a/one a/four", circle))
        self.assertFalse(floors.tolerated("circle: a/one a/two", []))
        up = ["base/a.c: includes rooms/b.h, up: base -> rooms"]
        self.assertTrue(floors.tolerated(up[0], up))
        self.assertFalse(floors.tolerated("base/c.c: includes rooms/b.h, up: base -> rooms", up))


if __name__ == "__main__":
    unittest.main()
