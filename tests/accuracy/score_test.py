#!/usr/bin/env python3
"""The scorer on truths and pieces made by hand."""
import collections
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scenarios  # noqa: E402
import score  # noqa: E402


class OverlayTest(unittest.TestCase):
    def test_instants_meet(self):
        truth, found = [(0, 10, "sync"), (20, 30, "input")], [(5, 15, "idle.host.sync"), (20, 25, "idle.host.code")]
        self.assertEqual(score.overlay(truth, found, 0, 100), {
            ("sync", None): 5, ("sync", "idle.host.sync"): 5, (None, "idle.host.sync"): 5,
            ("input", "idle.host.code"): 5, ("input", None): 5})

    def test_touching_pieces_do_not_mix(self):
        self.assertEqual(score.overlay([(0, 10, "a"), (10, 20, "b")], [(0, 10, "x"), (10, 20, "y")], 0, 20),
                         {("a", "x"): 10, ("b", "y"): 10})

    def test_only_the_window_counts(self):
        self.assertEqual(score.overlay([(0, 100, "a")], [(0, 100, "x")], 40, 50), {("a", "x"): 10})


class ScoreTest(unittest.TestCase):
    def setUp(self):
        self.score = score.Score({"a": ["x", "y"], "b": ["z"]})
        self.score.add(collections.Counter({("a", "x"): 60, ("a", "z"): 30, ("a", None): 10, ("b", "z"): 20, (None, "x"): 40}))

    def test_shares(self):
        self.assertEqual((self.score.right(), self.score.true()), (80, 120))
        self.assertEqual((self.score.right("a"), self.score.true("a")), (60, 100))
        self.assertEqual(self.score.precision("a"), 60)
        self.assertEqual(self.score.precision("b"), 40)

    def test_a_bad_class_fails_unless_it_is_a_known_defect(self):
        big = score.Score({"a": ["x"]})
        big.add(collections.Counter({("a", "x"): 96_000_000, ("a", "z"): 4_000_000}))
        self.assertEqual(score.class_failures({"on": big}, {}), [])
        big.add(collections.Counter({("a", "z"): 20_000_000}))
        self.assertEqual(len(score.class_failures({"on": big}, {})), 2)
        self.assertEqual(len(score.class_failures({"on": big}, {"a": []})), 1, "the overall figure has no exception")


def truth_of(faults):
    return {"steps": 12, "step_ns": 1000, "ranks": 4, "faults": faults, "devices": [{"warmup_steps": 1}]}


def fault(name, loss, rank=None):
    return {"fault": name, "loss_ns": loss, "rank": rank, "cause": "x"}


def report_of(*findings, steps=11):
    return {"run": {"steps": steps}, "findings": [
        {"id": i, "severity": severity, "share_ms": share, "text": text, "evidence": ""}
        for i, severity, share, text in findings]}


class JudgeTest(unittest.TestCase):
    accepted = {"slow_gpu": ["late_rank"], "input": ["input"]}

    def judge(self, truth, report, base=None, clean=False):
        s = scenarios.scenario("s", "ddp", 4, clean=clean)
        return {check: passed for check, passed, _ in score.judge(s, truth, report, base, self.accepted)}

    def test_the_largest_planted_loss_comes_first(self):
        truth = truth_of([fault("input", 50), fault("slow_gpu", 90, 2)])
        late = ("late_rank", "high", 9, "rank 2 is last")
        self.assertEqual(self.judge(truth, report_of(late)), {"steps": True, "first": True, "straggler": True})
        self.assertEqual(self.judge(truth, report_of(("input", "high", 9, ""), late)),
                         {"steps": True, "first": False, "straggler": False})
        other = ("late_rank", "high", 9, "rank 21 is last")
        self.assertEqual(self.judge(truth, report_of(other))["straggler"], False)

    def test_losses_below_the_threshold_are_not_asked_for(self):
        self.assertEqual(self.judge(truth_of([fault("input", 19)]), report_of()), {"steps": True})

    def test_what_the_healthy_job_has_too_is_set_aside(self):
        truth, bubbles = truth_of([fault("input", 50)]), ("nccl", "high", 30, "")
        report = report_of(bubbles, ("input", "low", 3, ""))
        self.assertFalse(self.judge(truth, report)["first"])
        self.assertTrue(self.judge(truth, report, report_of(bubbles))["first"])
        more = report_of(("nccl", "high", 40, ""), ("input", "low", 3, ""))
        self.assertFalse(self.judge(truth, more, report_of(bubbles))["first"])

    def test_a_clean_run_has_no_finding(self):
        self.assertTrue(self.judge(truth_of([]), report_of(("sync", "none", 1, "")), clean=True)["clean"])
        self.assertFalse(self.judge(truth_of([]), report_of(("sync", "low", 1, "")), clean=True)["clean"])

    def test_steps(self):
        self.assertFalse(self.judge(truth_of([]), report_of(steps=12))["steps"])


class SizeTest(unittest.TestCase):
    def said(self, share_ns, loss_ns, sized):
        truth = {**truth_of([fault("item_end", loss_ns), fault("slow_host", 50_000)]), "step_ns": 100_000}
        found = report_of(("sync", "high", share_ns / 1e6, ""), ("framework", "high", 0.05, ""))
        s = scenarios.scenario("x", "ddp", 4, "item_end", sized=sized)
        return [passed for _, passed, _ in score.sizes(s, truth, found)]

    def test_within_a_tenth_and_a_hundredth_of_the_step(self):
        for share, near in ((20_000, True), (23_000, True), (17_000, True), (23_100, False), (16_900, False)):
            self.assertEqual(self.said(share, 20_000, [("sync", "item_end")]), [near], share)

    def test_without_a_fault_there_is_nothing(self):
        self.assertEqual(self.said(900, 20_000, [("sync", None)]), [True])
        self.assertEqual(self.said(1100, 20_000, [("sync", None)]), [False])

    def test_each_pair_and_what_was_not_found(self):
        pairs = [("framework", "slow_host"), ("launch", "item_end")]
        self.assertEqual(self.said(20_000, 20_000, pairs), [True, False])


class DocumentTest(unittest.TestCase):
    def test_the_tables_cover_what_the_scenarios_plant(self):
        leaves, accepted, _ = score.read_document(score.DOCUMENT.read_text())
        self.assertIn("idle.host.code", leaves["cpu_work"])
        planted = {f.split("=")[0].split("@")[0] for s in scenarios.SCENARIOS for f in s.faults}
        self.assertEqual(planted - set(accepted) - {"clock", "lost_records", "prefetch"}, set())
        self.assertGreaterEqual(len(scenarios.SCENARIOS), 40)


if __name__ == "__main__":
    unittest.main()
