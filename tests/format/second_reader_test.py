#!/usr/bin/env python3
"""Tests of the second reader's own rules, on byte strings built by hand (built.py).

Those of parts and composed encodings are in composed_test.py. Two last tests feed mutated files: no
input may raise.
"""

import os
import random
import struct
import subprocess
import sys
import unittest
import zlib
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import second_reader
from built import (CALLS, END, ZSTD_HELLO, block, changed, damages, file_header, read, rows_of,
                   string, with_calls, with_records)
from composed_test import ComposedColumns, Means, Parts, Storages  # noqa: F401: unittest runs them
from made_traces import random_choice, random_rows
from mutate import mutations
from writer import TraceWriter, reseal


class FileHeader(unittest.TestCase):
    def verdict(self, header):
        return read(header + block(1, END, 0))[1]

    def test_good(self):
        self.assertEqual(self.verdict(file_header()), "ok")
        self.assertEqual(self.verdict(file_header(minor=9, content=2)), "ok")
        self.assertEqual(self.verdict(file_header(content=3)), "ok")
        self.assertEqual(self.verdict(file_header(header_bytes=4096) + bytes(4032)), "ok")

    def test_refused(self):
        for fields in ({"major": 2}, {"major": 0}, {"content": 0}, {"content": 4},
                       {"header_bytes": 56}, {"header_bytes": 68}, {"header_bytes": 144}):
            self.assertEqual(self.verdict(file_header(**fields)), "unreadable", fields)
        long = file_header(header_bytes=4104) + bytes(4040)
        self.assertEqual(self.verdict(long), "unreadable")
        self.assertEqual(read(file_header()[:63])[1], "unreadable")

    def test_unreadable_prints_the_verdict_alone(self):
        lines, _ = read(b"")
        self.assertEqual(lines, [{"record": "verdict", "verdict": "unreadable", "blocks": 0,
                                  "records": 0, "rows": 0}])

    def test_every_hashed_bit_counts(self):
        for at in range(64):
            header = bytearray(file_header())
            header[at] ^= 0x40
            self.assertEqual(self.verdict(bytes(header)), "unreadable", at)


class Walk(unittest.TestCase):
    def setUp(self):
        self.header = file_header()
        self.first = block(900, b"12345678", 0)
        self.end = block(1, END, 1)
        self.good = self.header + self.first + self.end

    def test_good(self):
        lines, verdict = read(self.good)
        self.assertEqual(verdict, "ok")
        self.assertEqual(lines[0], {"record": "file", "name": "x.baton", "content": "trace",
                                    "major": 1, "minor": 0})
        self.assertEqual(lines[1]["blocks"], 2)

    def test_every_truncation(self):
        for size in range(64, len(self.good)):
            tail_at = 64 if size < 136 else 136
            reason = "unclosed" if size in (64, 136) else "truncated"
            self.assertEqual(damages(self.good[:size]), [(tail_at, reason)], size)

    def test_cut_padding_is_complete(self):
        data = self.header + block(1, END + b"+", 0)
        self.assertEqual(damages(data[:-7]), [])
        data = self.header + block(900, b"+", 0)
        self.assertEqual(damages(data[:-7]), [(129, "unclosed")])

    def test_trailing(self):
        self.assertEqual(damages(self.good + b"\0"), [(208, "trailing")])

    def test_resynchronises_at_aligned_headers_only(self):
        broken = b"X" + self.first[1:]
        self.assertEqual(damages(self.header + broken + self.end),
                         [(64, "bad-header"), (136, "missing-blocks")])
        self.assertEqual(damages(self.header + broken + b"1234" + self.end), [(64, "bad-header")])

    def test_limits(self):
        over = block(900, b"", 0, rows=1048577)
        self.assertEqual(damages(self.header + over + self.end),
                         [(64, "bad-header"), (128, "missing-blocks")])
        self.assertEqual(damages(self.header + block(900, b"", 0, rows=1048576) + self.end), [])

    def test_sequence(self):
        data = self.header + self.first + self.first + self.end
        self.assertEqual(damages(data), [(136, "replayed")])
        data = self.header + self.first + block(1, END, 7)
        self.assertEqual(damages(data), [(136, "missing-blocks")])

    def test_bad_hash_keeps_the_sequence(self):
        broken = self.first[:-1] + b"9"
        self.assertEqual(damages(self.header + broken + self.end), [(64, "bad-hash")])

    def test_compression(self):
        def reasons(payload, compression, raw_bytes):
            first = block(900, payload, 0, compression=compression, raw_bytes=raw_bytes)
            return [reason for _, reason in damages(self.header + first + self.end)]

        self.assertEqual(reasons(ZSTD_HELLO, 1, 5), [])
        for arguments in ((ZSTD_HELLO, 1, 4), (ZSTD_HELLO, 1, 6), (ZSTD_HELLO, 2, 5),
                          (ZSTD_HELLO, 3, 5), (ZSTD_HELLO[:-1], 1, 5), (ZSTD_HELLO * 2, 1, 10),
                          (b"", 1, 0), (b"12345", 0, 4)):
            self.assertEqual(reasons(*arguments), ["bad-compression"], arguments)

    def test_short_end_is_skipped(self):
        data = self.header + block(1, b"1234567", 0) + self.end
        self.assertEqual(damages(data), [(64, "bad-end")])


class Records(unittest.TestCase):
    def test_string_and_use(self):
        meta = struct.pack("<HHIII", 7, 0, 16, 5, 6)
        lines, verdict = read(with_records(string(5, b"a\xff\"", 24) + meta, 2))
        self.assertEqual(verdict, "ok")
        self.assertEqual(lines[1], {"record": "string", "id": 5, "value": 'a\udcff"'})
        self.assertEqual(lines[2], {"record": "meta", "key": 'a\udcff"', "value": None})
        self.assertEqual(lines[3]["records"], 2)

    def test_first_definition_holds(self):
        meta = struct.pack("<HHIII", 7, 0, 16, 5, 5)
        lines, _ = read(with_records(string(5, b"1", 24) + string(5, b"2", 24) + meta, 3))
        self.assertEqual(lines[2]["value"], "2")
        self.assertEqual(lines[3], {"record": "meta", "key": "1", "value": "1"})

    def test_process_fields(self):
        body = struct.pack("<qQ16siiiIIIIIQ", -1, 2**64 - 1, bytes(range(16)), -1, -2, 3, 4, 0, 0,
                           0, 0, 9)
        lines, _ = read(with_records(struct.pack("<HHI", 6, 0, 80) + body, 1))
        self.assertEqual(list(lines[1].items()), [
            ("record", "process"), ("pid", -1), ("start_time", 2**64 - 1),
            ("boot_id", "000102030405060708090a0b0c0d0e0f"), ("rank", -1), ("world_size", -2),
            ("local_rank", 3), ("generation", 4), ("host", None), ("source", None),
            ("source_version", None), ("run_id", None)])

    def test_unknown_and_summary(self):
        payload = struct.pack("<HHI", 999, 0, 8) + struct.pack("<HHI", 64, 0, 8)
        lines, _ = read(with_records(payload, 2))
        self.assertEqual(lines[1], {"record": "summary", "type": 64, "size": 8})
        self.assertEqual(lines[2]["records"], 1)

    def test_violations(self):
        unknown = struct.pack("<HHI", 999, 0, 8)
        cases = [(unknown, 2), (unknown * 2, 1), (unknown, 0), (struct.pack("<HHI", 999, 0, 4), 1),
                 (struct.pack("<HHII", 999, 0, 12, 0), 1), (struct.pack("<HHI", 999, 0, 16), 1),
                 (struct.pack("<HHI", 7, 0, 8), 1), (struct.pack("<HHI", 1, 0, 8), 1),
                 (struct.pack("<HHIII", 1, 0, 16, 5, 1), 1)]
        for payload, rows in cases:
            self.assertEqual(damages(with_records(payload, rows)), [(64, "bad-record")],
                             (payload, rows))

    def test_one_violation_drops_the_whole_block(self):
        lines, _ = read(with_records(string(5, b"x", 24) + b"\0" * 8, 2))
        self.assertNotIn("string", [line["record"] for line in lines])


class Columns(unittest.TestCase):
    def test_rows(self):
        self.assertEqual(rows_of(with_calls(CALLS, 2, (10, 29))), [
            {"record": "call", "start_ns": 10, "dur_ns": 5, "thread": 1, "name": None,
             "correlation": 7},
            {"record": "call", "start_ns": 20, "dur_ns": 9, "thread": 1, "name": None,
             "correlation": 8}])

    def test_varint_widths(self):
        for data, value in ((b"\x80\x00", 0), (b"\xac\x02", 300), (b"\x80" * 9 + b"\x00", 0),
                            (b"\xff" * 9 + b"\x01", 2**64 - 1)):
            columns = changed(5, 2, b"\x01" + data)
            self.assertEqual(rows_of(with_calls(columns, 2, (10, 29)))[1]["correlation"], value)

    def test_delta_wraps(self):
        columns = changed(5, 1, b"\x01\x04")  # -1, then + 2
        rows = rows_of(with_calls(columns, 2, (10, 29)))
        self.assertEqual([row["correlation"] for row in rows], [2**64 - 1, 1])

    def test_negative_times(self):
        columns = [(1, 2, b"\xfe" + b"\xff" * 8 + b"\x01"), (2, 0, b"\x06")] + CALLS[2:4]
        rows = rows_of(with_calls(columns + [(5, 0, b"\x00")], 1, (-2, 1)))
        self.assertEqual([(row["start_ns"], row["dur_ns"]) for row in rows], [(-2, 3)])

    def test_no_rows(self):
        columns = [(1, 0, b"\x00"), (2, 1, b""), (3, 2, b""), (4, 0, b"\x00"), (5, 0, b"\x00")]
        self.assertEqual(damages(with_calls(columns, 0, (0, 0))), [])
        self.assertEqual(damages(with_calls(columns, 0, (0, 1))), [(64, "bad-columns")])
        columns[0] = (1, 0, b"")
        self.assertEqual(damages(with_calls(columns, 0, (0, 0))), [(64, "bad-columns")])

    def test_unknown_column(self):
        columns = CALLS + [(700, 99, b"anything")]
        self.assertEqual(damages(with_calls(columns, 2, (10, 29))), [])
        self.assertEqual(damages(with_calls(columns + columns[-1:], 2, (10, 29))),
                         [(64, "bad-columns")])

    def test_violations(self):
        cases = {
            "required": CALLS[:4], "twice": CALLS + CALLS[:1], "encoding": changed(3, 3, b"\2\2"),
            "too few": changed(5, 2, b"\1"), "too many": changed(5, 2, b"\1\1\1"),
            "open": changed(5, 2, b"\1\1\x80"),
            "10th byte": changed(5, 2, b"\1" + b"\xff" * 9 + b"\2"),
            "11 bytes": changed(5, 2, b"\1" + b"\x80" * 10 + b"\0"),
            "u32": changed(3, 0, b"\x80\x80\x80\x80\x20"), "negative u32": changed(3, 0, b"\1"),
            "unsorted": changed(1, 1, b"\x14\x01"), "negative duration": changed(2, 1, b"\x0a\x0d"),
        }
        for name, columns in cases.items():
            self.assertEqual(damages(with_calls(columns, 2, (10, 29))), [(64, "bad-columns")], name)

    def test_span(self):
        for span_ns in ((9, 29), (10, 28), (10, 30), (11, 29)):
            self.assertEqual(damages(with_calls(CALLS, 2, span_ns)), [(64, "bad-columns")])

    def test_many_constant_rows(self):
        columns = [(column_id, 0, b"\x02") for column_id in range(1, 6)]
        verdict, lines, _ = second_reader.digest(with_calls(columns, 1048576, (1, 2)))
        self.assertEqual((verdict, lines), ("ok", 1048577))


class Sched(unittest.TestCase):
    COLUMNS = [(1, 1, b"\x14\x14"), (2, 2, b"\x05\x09"), (3, 0, b"\x02"),
               (4, 2, b"\x03" + b"\xff" * 9 + b"\x01"), (5, 0, b"\x01")]

    def file(self, columns):
        payload = struct.pack("<I", len(columns))
        payload += b"".join(struct.pack("<HBBI", column_id, encoding, 0, len(data))
                            for column_id, encoding, data in columns)
        payload += b"".join(data for _, _, data in columns)
        return file_header() + block(22, payload, 0, 2, (10, 29)) + block(1, END, 1)

    def test_rows(self):
        lines, verdict = read(self.file(self.COLUMNS))
        self.assertEqual(verdict, "ok")
        self.assertEqual([list(line.items()) for line in lines[1:3]], [
            [("record", "sched"), ("start_ns", 10), ("dur_ns", 5), ("thread", 1), ("slept_ns", 3),
             ("waited_ns", 2**64 - 1)],
            [("record", "sched"), ("start_ns", 20), ("dur_ns", 9), ("thread", 1),
             ("slept_ns", 2**64 - 1), ("waited_ns", 2**64 - 1)]])
        self.assertEqual(lines[-1]["rows"], 2)

    def test_every_column_is_required(self):
        for at in range(5):
            columns = self.COLUMNS[:at] + self.COLUMNS[at + 1:]
            self.assertEqual(damages(self.file(columns)), [(64, "bad-columns")], at)


class Tools(unittest.TestCase):
    def test_json_escapes(self):
        value = b'"\\\b\f\n\r\t\x01\xc3\xa9\xf0\x9f\x98\x80\xed\xa0\x80'
        self.assertEqual(second_reader.json_text(value),
                         r'"\"\\\b\f\n\r\t\u0001\u00e9\ud83d\ude00\udced\udca0\udc80"')

    def test_digest_is_of_the_dump(self):
        lines = []
        data = with_calls(CALLS, 2, (10, 29))
        second_reader.dump(data, b"name", lines.append)
        text = b"".join(lines).split(b"\n", 1)[1]
        self.assertEqual(second_reader.digest(data), ("ok", 3, zlib.crc32(text)))

    def test_missing_file_is_told(self):
        command = [sys.executable, os.path.join(HERE, "second_reader.py"), "--digest"]
        result = subprocess.run(command, input=b"/nowhere\n", capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (1, b""))

    def test_writer_rows_come_back(self):
        writer = TraceWriter(None)
        rows = [{"start_ns": at * 10, "dur_ns": 1, "thread": 1, "name": "n%d" % (at % 3),
                 "correlation": at} for at in range(40)]
        writer.rows("call", rows[::-1], rows_per_block=7)
        writer.close()
        self.assertEqual([{"record": "call", **row} for row in rows], rows_of(writer.data()))
        self.assertEqual(reseal(writer.data()), writer.data())

    def test_reseal_mends_every_hash(self):
        data = bytearray(with_calls(CALLS, 2, (10, 29)))
        for at in (20, 84, 152):
            data[at] ^= 1
        self.assertEqual(damages(reseal(bytes(data))), [(64, "bad-columns")])

    def test_composed_rows_come_back(self):
        for seed in range(60):
            rng = random.Random(seed)
            table = rng.choice(list(second_reader.TABLES.values()))
            rows = random_rows(rng, table, 32)
            writer = TraceWriter(None, compression=seed % 3)
            writer.rows(table.name, rows, encodings={
                name: random_choice(rng, table, column_id, 32)
                for column_id, (name, _) in table.columns.items()})
            writer.close()
            lines, verdict = read(writer.data())
            lines = [line for line in lines if line["record"] == table.name]
            self.assertEqual((verdict, len(lines)), ("ok", len(rows)), seed)
            for row, line in zip(sorted(rows, key=lambda row: row["start_ns"]), lines):
                for name, value in row.items():
                    if isinstance(value, int) and isinstance(line[name], int):
                        self.assertEqual(line[name], value, (seed, name))

    def test_mutated_files_never_raise(self):
        for data in mutations(7, 2000):
            self.assertIn(second_reader.digest(data)[0], ("ok", "damaged", "unreadable"))

    def test_mutated_files_have_what_is_new(self):
        """Composed columns and parts are accepted in some of them, and refused in some."""
        found = set()

        def watch(name, function):
            def watched(*arguments):
                try:
                    result = function(*arguments)
                except second_reader.Damage:
                    found.add((name, "refused"))
                    raise
                found.add((name, "refused" if result is None else "accepted"))
                return result
            return mock.patch.object(second_reader, name, watched)

        with watch("join_parts", second_reader.join_parts), \
                watch("stored_numbers", second_reader.stored_numbers), \
                watch("compose", second_reader.compose):
            for data in mutations(8, 200):
                second_reader.digest(data)
        self.assertEqual(found, {("join_parts", "accepted"), ("join_parts", "refused"),
                                 ("stored_numbers", "accepted"), ("stored_numbers", "refused"),
                                 ("compose", "accepted")})


if __name__ == "__main__":
    unittest.main()
