#!/usr/bin/env python3
"""The random family's draws, judge and tables, on truths and reports made by hand."""
import argparse
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import family  # noqa: E402
import family_tables  # noqa: E402
import judge  # noqa: E402
import score  # noqa: E402

ACCEPTED = judge.accepted_of(score.DOCUMENT.read_text())


def fault(name, loss, rank=None):
    return {"fault": name, "loss_ns": loss, "rank": rank, "cause": "x", "strength": 1}


def truth_of(*faults, workload="ddp", ranks=4, hosts=1, process_ranks=None):
    devices = [{"device": f"node{i * hosts // ranks}/{i % (ranks // hosts)}", "warmup_steps": 1,
                "rank": process_ranks[i] if process_ranks else i} for i in range(ranks)]
    return {"workload": workload, "steps": 12, "step_ns": 1000, "ranks": ranks, "hosts": hosts, "faults": list(faults),
            "devices": devices}


def finding(name, share_ms, text="", severity="high", evidence="", gain_ms=None):
    return {"id": name, "severity": severity, "share_ms": share_ms, "text": text, "evidence": evidence, "gain_ms": gain_ms}


def report_of(*findings, steps=11, mean=1000):
    return {"run": {"steps": steps}, "findings": list(findings), "devices": [{"step_ns": {"mean": mean}}]}


class DrawTest(unittest.TestCase):
    def test_a_job_is_its_seed_and_number(self):
        self.assertEqual(family.draw(5, 9, 0), family.draw(5, 9, 0))
        self.assertEqual(len({family.draw(5, n, 0)._replace(number=0) for n in range(200)}), 200)
        self.assertNotEqual(family.draw(5, 9, 0), family.draw(6, 9, 0))
        self.assertNotEqual(family.draw(5, 9, 0), family.draw(5, 9, 1))

    def test_what_is_drawn(self):
        jobs = [family.draw(1, n, 0) for n in range(600)]
        self.assertEqual({j.workload for j in jobs}, set(family.WORKLOADS))
        added = [[f for f in j.faults if f.startswith(("checkpoint", "shared_gpu"))] for j in jobs]
        planted = [[f for f in j.faults if f not in more] for j, more in zip(jobs, added)]
        self.assertEqual({len(faults) for faults in planted}, {1, 2, 3})
        for name, least, most in (("checkpoint", 30, 70), ("shared_gpu", 15, 50)):
            self.assertTrue(least < sum(f.startswith(name) for more in added for f in more) < most, name)
        self.assertEqual({j.ranks for j in jobs}, {1, 2, 3, 5, 8, 16, 32})
        self.assertEqual({j.nvtx for j in jobs}, {"on", "off"})
        self.assertEqual({f.split("=")[0] for faults in planted for f in faults}, set(family.STRENGTH))
        self.assertEqual(max(family.draw(1, n, 0, 8).ranks for n in range(90)), 8)
        self.assertTrue(all(f.count("@") == 0 for j in jobs if j.ranks == 1 for f in j.faults))

    def test_every_fault_is_drawn(self):
        planted = set(ACCEPTED.findings) - {judge.FEW_CORES, "shared_gpu"} | {"clock", "lost_records", "prefetch"}
        self.assertEqual(set(family.STRENGTH), planted)

    def test_healthy_jobs_have_no_fault(self):
        jobs = [family.draw_healthy(1, n, 0) for n in range(200)]
        self.assertEqual({j.faults for j in jobs}, {()})
        self.assertEqual({j.steps for j in jobs}, {20, 150})
        self.assertTrue(all(j.ranks > 1 for j in jobs))


class FirstFindingTest(unittest.TestCase):
    def judge(self, truth, report, base=None):
        return judge.judge_finding(truth, report, base or report_of(), ACCEPTED)

    def test_small_losses_are_not_asked_for(self):
        self.assertEqual(self.judge(truth_of(fault("input", 19)), report_of()), {})
        self.assertTrue(self.judge(truth_of(fault("input", 20)), report_of(finding("input", 1)))["first"])

    def test_the_costliest_or_one_that_costs_nearly_as_much(self):
        truth = truth_of(fault("input", 100), fault("sync", 91), fault("alloc", 89))
        for name, right in (("input", True), ("sync", True), ("alloc", False), ("late_rank", True)):
            self.assertEqual(self.judge(truth, report_of(finding(name, 1)))["first"], right, name)

    def test_what_the_job_has_without_faults_is_set_aside(self):
        bubble, truth = finding("unsplit", 30), truth_of(fault("input", 50))
        verdict = self.judge(truth, report_of(bubble, finding("input", 3)), report_of(bubble))
        self.assertEqual((verdict["first"], verdict["printed"]), (True, False))

    def test_few_cores_are_a_cause(self):
        truth = truth_of(fault("input", 50), fault(judge.FEW_CORES, 90))
        waits, framework, stall = finding("no_core", 9), finding("framework", 30), finding("input", 5)
        for first, right in ((waits, True), (stall, False)):
            verdict = judge.judge_finding(truth, report_of(framework, first), report_of(waits, framework), ACCEPTED,
                                          report_of(framework, stall))
            self.assertEqual(verdict["first"], right, first["id"])

    def test_the_rank_is_named(self):
        truth = truth_of(fault("slow_gpu", 90, 2))
        for text, first, culprit in (("Rank 2 is last; its kernels take 7 ms longer", True, True),
                                     ("Rank 2 is last; it spends 7 ms more in sync", True, False),
                                     ("Rank 2 is last", True, False),
                                     ("Rank 21 is last; its kernels take 7 ms longer", False, False)):
            verdict = self.judge(truth, report_of(finding("late_rank", 1, text)))
            self.assertEqual((verdict["first"], verdict["culprit"]), (first, culprit), text)

    def test_a_finding_that_is_its_own_reason_still_names_the_rank(self):
        truth = truth_of(fault("input", 90, 1))
        self.assertFalse(self.judge(truth, report_of(finding("input", 1)))["first"])
        verdict = self.judge(truth, report_of(finding("input", 1, "The GPU waits", evidence="most of it on rank 1")))
        self.assertEqual((verdict["first"], verdict["culprit"]), (True, True))

    def test_a_fault_of_all_ranks_has_no_culprit(self):
        self.assertIsNone(self.judge(truth_of(fault("input", 90)), report_of(finding("input", 1)))["culprit"])

    def test_few_cores_are_the_hosts(self):
        truth = truth_of(fault("no_core", 90, 3), ranks=4, hosts=2)
        for text, right in (("host node1", True), ("rank 2", True), ("rank 1", False), ("host node0", False), ("", False)):
            self.assertEqual(self.judge(truth, report_of(finding("no_core", 1, text)))["first"], right, text)

    def test_a_process_with_several_devices(self):
        one = truth_of(fault("slow_gpu", 90, 3), workload="dataparallel", process_ranks=[0] * 4)
        for text, right in (("rank 0", False), ("GPU 3 of rank 0", True), ("device node0/3", True), ("device node0/2", False)):
            self.assertEqual(self.judge(one, report_of(finding("late_rank", 1, text)))["first"], right, text)
        host = truth_of(fault("alloc", 90, 3), workload="dataparallel", process_ranks=[0] * 4)
        self.assertTrue(self.judge(host, report_of(finding("alloc", 1)))["first"], "one process has nobody beside it")
        two = truth_of(fault("alloc", 90, 3), workload="jax", process_ranks=[0, 0, 1, 1])
        self.assertTrue(self.judge(two, report_of(finding("alloc", 1, "rank 1")))["first"])
        self.assertFalse(self.judge(two, report_of(finding("alloc", 1, "rank 3")))["first"])

    def test_a_process_with_one_device_is_its_rank(self):
        alone = truth_of(fault("slow_gpu", 90, 3), workload="jax", hosts=4)
        for text, right in (("Rank 3 is last", True), ("GPU 0 of rank 3", True), ("rank 2", False)):
            self.assertEqual(self.judge(alone, report_of(finding("late_rank", 1, text)))["first"], right, text)

    def test_what_one_device_of_a_process_has_alone(self):
        truth = truth_of({**fault("host_func", 90), "cause": "host_func"}, workload="dataparallel", process_ranks=[0] * 4)
        says = report_of(finding("late_rank", 1, "GPU 0 of rank 0 is last; it spends 7 ms more in host_func"))
        no_class = report_of(finding("late_rank", 1, "GPU 0 of rank 0 is last"))
        other = report_of(finding("late_rank", 1, "GPU 1 of rank 0 is last; it spends 7 ms more in host_func"))
        for device, others, report, right in ((90, 10, says, True), (90, 10, no_class, False), (90, 10, other, False),
                                              (70, 30, says, False), (0, 0, says, False)):
            truth["devices"][0]["idle"] = [(0, device, "host_func"), (100, 900, "sync")]
            truth["devices"][2]["idle"] = [(0, others, "host_func")]
            self.assertEqual(self.judge(truth, report)["first"], right, (device, others))
        self.assertTrue(self.judge(truth, report_of(finding("host_func", 1)))["first"])

    def test_what_few_devices_have(self):
        for idle, few in (((50, 45, 0, 0, 5), [0, 1]), ((50, 45, 30, 0, 0), []), ((50, 24, 24, 0, 0), []), ((50, 0, 10, 0, 0), [0]),
                          ((0, 0, 0, 0, 0), [])):
            truth = truth_of({**fault("module_load", 90), "cause": "module_load"}, workload="pipeline", ranks=5)
            for device, ns in zip(truth["devices"], idle):
                device["idle"] = [(0, ns, "module_load")]
            self.assertEqual([d["rank"] for d in judge.few_devices(truth["faults"][0], truth)], few, idle)

    def test_of_two_that_cost_the_same_the_one_that_is_meant_counts(self):
        truth = truth_of(fault("alloc", 92, 1), fault("gil_hog", 90, 1))
        for text, culprit in (("Rank 1 is last; it spends 7 ms more in blocked", True), ("Rank 1 spends 7 ms more in sync", False)):
            self.assertEqual(self.judge(truth, report_of(finding("late_rank", 1, text)))["culprit"], culprit, text)

    def test_a_fault_everywhere_does_not_excuse_a_wrong_reason(self):
        truth = truth_of(fault("alloc", 92, 1), fault("slow_gpu", 90))
        verdict = self.judge(truth, report_of(finding("late_rank", 1, "Rank 1 is last; its kernels take 7 ms longer")))
        self.assertIs(verdict["culprit"], False)

    def test_a_shared_gpu_everywhere_makes_nobody_late(self):
        late = report_of(finding("late_rank", 1, "Rank 2 is last; it spends 7 ms more in shared"))
        for rank, right in ((None, False), (2, True)):
            self.assertEqual(self.judge(truth_of(fault("shared_gpu", 90, rank)), late)["first"], right, rank)

    def test_what_no_trace_can_know(self):
        for name, rank, known in (("slow_link", 1, False), ("jitter_host", None, False), ("prefetch", None, False),
                                  ("slow_gpu", None, False), ("slow_gpu", 2, True), ("input", None, True), ("imbalance", None, True)):
            self.assertEqual(self.judge(truth_of(fault(name, 90, rank)), report_of())["reference"], known, name)
        self.assertFalse(self.judge(truth_of(fault("imbalance", 90), ranks=1), report_of())["reference"])

    def test_what_is_claimed(self):
        truth = truth_of(fault("input", 50))
        self.assertEqual(self.judge(truth, report_of(finding("input", 3)))["claim_ms"], 3)
        verdict = self.judge(truth, report_of(finding("input", 3, gain_ms=0.0)))
        self.assertEqual((verdict["claim_ms"], verdict["by_gain"]), (0, True))
        self.assertIsNone(self.judge(truth, report_of(finding("sync", 3)))["claim_ms"], "nothing is claimed of the fault")

    def test_what_is_not_printed_first_is_claimed_by_itself(self):
        truth, bubble = truth_of(fault("input", 50)), finding("unsplit", 30)
        second = {**finding("input", 3, gain_ms=1.0), "gain_low_ms": 0.5, "gain_high_ms": 1.5, "gain_alone_ms": 2.0}
        verdict = self.judge(truth, report_of(bubble, second), report_of(bubble))
        self.assertEqual((verdict["claim_ms"], verdict["interval_ms"]), (2.0, []))
        verdict = self.judge(truth, report_of(second))
        self.assertEqual((verdict["claim_ms"], verdict["interval_ms"]), (1.0, [0.5, 1.5]))

    def test_two_findings_in_the_order_of_what_they_are_about(self):
        class Runner:
            def simulate(self, job, directory, nvtx, faults):
                return {"step_ns": 860}
        job = family.Job(1, "ddp", 4, 12, ("input=9", "item_end=2", "item_loss=1"), (), "on")
        truth = truth_of(fault("input", 90), fault("item_end", 70), fault("item_loss", 60))
        sync, stall = finding("sync", 1, gain_ms=0.14), finding("input", 3, gain_ms=0.1)
        for first, second, ordered in ((sync, stall, True), (stall, sync, False)):
            verdict = self.judge(truth, report_of(first, second))
            family.in_order(Runner(), job, truth, verdict)
            self.assertEqual(verdict["ordered"], ordered, first["id"])
        truth["faults"] = [fault("input", 90), fault("item_end", 85)]
        verdict = self.judge(truth, report_of(sync, stall))
        family.in_order(Runner(), job, truth, verdict)
        self.assertIsNone(verdict["ordered"], "they differ by less than 1 % of the step")
        self.assertEqual(self.judge(truth, report_of(sync, sync))["two"], [[[1], 0.14]])

    def test_what_a_finding_is_about(self):
        late = report_of(finding("late_rank", 1, "Rank 1 is last; it spends 7 ms more in blocked"))
        planted = [fault("gil_hog", 90, 1), fault("slow_gpu", 50, 1), fault("input", 20), fault("io_sleep", 60, 2)]
        self.assertEqual(self.judge(truth_of(*planted), late)["about"], [0, 1])
        syncs = truth_of(fault("sync", 90), fault("item_end", 30), fault("input", 20), fault("sync_device", 5, 1))
        self.assertEqual(self.judge(syncs, report_of(finding("sync", 1)))["about"], [0, 1])
        self.assertEqual(self.judge(syncs, report_of(finding("input", 1)))["about"], [], "it names nothing")

    def test_what_is_about_several_is_judged_without_all_of_them(self):
        class Runner:
            def simulate(self, job, directory, nvtx, faults):
                self.asked = (job.options, faults)
                return {"step_ns": 400}
        job = family.Job(1, "ddp", 4, 12, ("input=9", "no_core=2", "slow_gpu=3@1"), ("--seed", "7", "--cores", "4"), "on")
        truth = truth_of(fault("input", 1), fault("no_core", 90), fault("slow_gpu", 5, 1), fault("few_cores", 80))
        runner, about = Runner(), {"about": [1, 3], "loss_ms": 1}
        family.together(runner, job, truth, about)
        self.assertEqual(runner.asked, (("--seed", "7"), ["input=9", "slow_gpu=3@1"]))
        self.assertAlmostEqual(about["loss_ms"], 600 / 1e6)

    def test_a_request_is_several_tokens(self):
        truth = truth_of(fault("input", 50))
        tokens = report_of(finding("input", 3))
        tokens["devices"] = [{"device": "node0/0", "time_ns": {}, "step_ns": {"mean": truth["step_ns"] / 6}}]
        self.assertEqual(self.judge(truth, tokens)["claim_ms"], 3)
        self.assertAlmostEqual(self.judge({**truth, "workload": "inference"}, tokens)["claim_ms"], 18)


class RestTest(unittest.TestCase):
    def test_steps_and_their_mean(self):
        truth = truth_of()
        for steps, mean, right in ((11, 1010, True), (11, 1011, False), (12, 1000, False)):
            self.assertEqual(judge.judge_steps(truth, report_of(steps=steps, mean=mean)), right)
        self.assertIsNone(judge.judge_steps(truth_of(workload="inference"), report_of()))

    def test_leaves(self):
        truth = truth_of()
        truth["devices"] = [{"device": "node0/0", "idle": [(0, 60, "sync"), (80, 90, "input")], "window_from_ns": 0,
                             "window_to_ns": 100}]
        pieces = {"node0/0": [(0, 50, "idle.host.sync"), (50, 90, "idle.host.code")]}
        self.assertEqual(judge.judge_leaves(truth, pieces, ACCEPTED.leaves), {"sync": [60, 50], "input": [10, 0]})

    def test_exposed_communication(self):
        truth = truth_of(ranks=2)
        for number, device in enumerate(truth["devices"]):
            device.update(window_from_ns=10, window_to_ns=100, exposed=[
                [0, 30, "work", 1 - number], [30, 50, "transfer", number], [50, 60, "transfer", 1 - number]])
        said = {"nccl.wait": 25, "nccl.transfer": 30}
        report = {"devices": [{"device": "node0/0", "time_ns": said}]}
        self.assertEqual(judge.judge_exposed(truth, report), {"nccl.wait": [60, 25], "nccl.transfer": [40, 20]})

    def test_calls_are_judged_by_what_the_job_wins_without_them(self):
        truth = {**truth_of(), "step_ns": 10_000_000, "calls": [{"calls": "sync", "loss_ns": 2_000_000}]}
        for leaf_ns, gain, near in ((25_300_000, None, True), (26_400_000, None, False), (0, 1.8, True), (22_000_000, 3.0, False)):
            report = report_of(finding("sync", 1, gain_ms=gain))
            report["devices"] = [{"time_ns": {"idle.host.sync": leaf_ns}}]
            self.assertEqual(judge.judge_calls(truth, report)["sync"][2], near, (leaf_ns, gain))
        for names, near in ((("item_end", "clock"), False), (("item_end", "page_fault"), True)):
            report = {**report_of(), "devices": [{"time_ns": {}}]}
            self.assertEqual(judge.judge_calls({**truth, "faults": [fault(n, 1) for n in names]}, report)["sync"][2], near, names)

    def test_what_a_wait_costs_later_is_no_matter_of_instants(self):
        truth = truth_of()
        truth["devices"] = [{"device": "node0/0", "idle": [(0, 60, "cpu_work"), (60, 90, "sleep")], "window_from_ns": 0,
                             "window_to_ns": 100}]
        pieces = {"node0/0": [(0, 50, "idle.host.sync"), (50, 70, "idle.cpu.framework"), (70, 90, "idle.host.sync")]}
        self.assertEqual(judge.judge_leaves(truth, pieces, ACCEPTED.leaves), {"cpu_work": [10, 10], "sleep": [30, 0]})

    def test_false_is_what_other_noise_does_not_show(self):
        late = finding("late_rank", 1, "Rank 1 is last", "low")
        other = finding("late_rank", 1, "Rank 2 is last", "low")
        small, big = finding("sync", 1, severity="low"), finding("transfer", 9)
        for found, others, false in ((late, [late, late], 0), (late, [late, other], 1), (late, [late, small], 1),
                                     (small, [big, big], 0), (big, [big, big], 0), (big, [big, small], 1)):
            said = judge.judge_healthy(report_of(found), [report_of(o) for o in others])
            self.assertEqual(len(said[0]), false, (found["id"], [o["id"] for o in others]))

    def test_every_cause_a_late_rank_can_have_has_words(self):
        without = {"slow_link", "imbalance", "jitter_host", "jitter_kernel", judge.FEW_CORES}  # no rank's own
        self.assertEqual(set(ACCEPTED.reasons), set(ACCEPTED.findings) - without)


def job_of(number, true=10_000_000, right=10_000_000, first=True, **more):
    verdict = {"fault": "input", "rank": None, "loss_ms": 2.0, "loss_percent": 5.0, "reference": True, "first": first,
               "printed": first, "culprit": None, "claim_ms": 1.98 if first else None, "by_gain": False, "said": "input: x",
               "interval_ms": [1.9, 2.1] if first else [], "ordered": True}
    return {"number": number, "kind": "job", "workload": "ddp", "ranks": 4, "nvtx": "on", "options": [], "command": "baton-sim x",
            "planted": [("input", 1, None, 2.0)], "step_ms": 40.0, "leaves": {"input": (true, right)}, "steps_right": True,
            "exposed": {"nccl.wait": (9, 9), "nccl.transfer": (1, 1)}, "calls": {"sync": (1.0, 1.2, True)}, "finding": verdict, **more}


class TablesTest(unittest.TestCase):
    args = argparse.Namespace(seed=7, only=None, most_ranks=8)

    def test_scores(self):
        jobs = [job_of(0), job_of(1, right=5_000_000, first=False)]
        self.assertEqual(family_tables.scores_of(jobs), [
            "2", "75.00 %", "75.0 %, 50.0 %", "50.0 % of 2", "50.0 % of 2", "-", "1.0 %, 1 %", "1.0 %, 1 %",
            "100.0 % of 1", "100.0 % of 2", "100.0 % of 2"])

    def test_a_wrong_job_is_printed_with_its_command(self):
        lines = family_tables.wrong(self.args, [job_of(0), job_of(1, first=False), job_of(2, right=8_000_000)])
        self.assertEqual([line.split(":")[0] for line in lines], ["job 2", "job 1"], "the worst first, the right ones not at all")
        self.assertIn("--seed 7 --most-ranks 8 --only 1\n", lines[1])
        self.assertIn("baton-sim x", lines[1])

    def test_bounds(self):
        self.assertEqual(family_tables.failures([job_of(n) for n in range(9)], False), [])
        bad = [job_of(n, right=9_000_000, first=n < 5) for n in range(9)]
        self.assertEqual([f.split(" is ")[0] for f in family_tables.failures(bad, False)], [
            "first finding 55.56 %", "first finding with cores enough 55.56 %", "NVTX on: right leaf 90.00 %",
            "NVTX on: p10 of jobs 90.00 %"])
        self.assertEqual(family_tables.failures(bad, True), [])
        off = [job_of(n) for n in range(9)]
        for r in off[:3]:
            r["finding"].update(claim_ms=1.4, ordered=False)
            r["finding"]["interval_ms"] = [1.3, 1.5]
        self.assertEqual([f.split(" is ")[0].split(",")[0] for f in family_tables.failures(off, False)], [
            "interval of the gain 66.67 %", "two largest in order 66.67 %", "gain off by 30.0 % (p90)"])
        worse = [job_of(n, right=8_000_000, first=n < 3) for n in range(9)]
        self.assertEqual(len(family_tables.failures(worse, True)), 2)

    def test_false_findings_of_healthy_jobs(self):
        def healthy(n, *names):
            return {"number": n, "kind": "healthy", "workload": "ddp", "steps": 20, "steps_right": True, "lasting": [],
                    "command": "x", "false": [finding(name, 1) for name in names]}
        results = [healthy(n) for n in range(60)]
        self.assertEqual(family_tables.failures(results, False), [])
        self.assertEqual(family_tables.failures([*results, healthy(60, "late_rank")], False), [])
        self.assertEqual(len(family_tables.failures([*results, healthy(60, "late_rank"), healthy(61, "late_host")], False)), 1)
        self.assertEqual(family_tables.failures([*results, healthy(60, "sync")], False), ["healthy job 60: sync"])


if __name__ == "__main__":
    unittest.main()
