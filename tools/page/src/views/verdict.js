// The answer first: the sentences of the text report, with numbers and evidence one click away.
import { h } from "../dom.js";
import { fixed, grouped, ms, percent, plural } from "../format.js";
import { headOf, kindOf, leafNames } from "../data.js";
import { treeTable } from "../bars.js";
import { openStep } from "./step.js";

export function facts(pairs) {
	return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== undefined && value !== null && value !== "").map(([name, value, exact]) =>
		h("div", {}, h("dt", {}, name), h("dd", { "data-value": exact }, value))));
}

export function asText(words, command) {
	return h("details", { class: "astext" }, h("summary", {}, "The same as text"), h("p", {}, "What ", h("code", {}, command), " prints:"),
		h("pre", { tabindex: "0" }, words.text));
}

// Links to the rank that a finding is about, and to the step that has most of it.
function eventsOf(docs, f, i) {
	const steps = docs.timeline?.steps ?? [], drawn = (step) => step.processes.some((p) => p.rank === f.rank);
	const some = f.rank !== null && (steps.find((s) => s.why === "slowest" && drawn(s)) ?? steps.find(drawn)), worst = steps.find((s) => s.findings.includes(i)), links = [];
	const link = (step, rank, text) => links.push(links.length ? ", " : "", h("a", { href: "#view-step", onclick: () => openStep(step.number, rank) }, text));
	if (some) link(some, f.rank, `rank ${f.rank} in One step`);
	if (worst) link(worst, worst.processes.find((p) => p.why === f.id || (p.why === "most" && f.rank === null))?.rank, `step ${grouped(worst.number)}, which has most of it`);
	return links.length ? links : null;
}

function finding(docs, f, i, words, step) {
	const names = leafNames(docs.tree), kind = kindOf(headOf(docs.tree, f.leaf));
	const shareNs = f.share_ms * 1e6;
	const where = [f.rank !== null && `rank ${f.rank}`, f.device, f.host && `host ${f.host}`].filter(Boolean).join(", ");
	const lines = [
		["Evidence", f.evidence], ["Worth", words.gain], ["Try", f.remedy],
		["See where", words.see && h("code", {}, words.see.replace(/^.*?See where: /, ""))],
		["Event by event", eventsOf(docs, f, i)],
		["Where", where], ["Counted under", h("span", {}, h("code", {}, f.leaf), names[f.leaf] && names[f.leaf] !== f.id ? ` (${names[f.leaf]})` : "")],
		["Steps", f.steps && `${f.steps.in} of ${f.steps.of} steps have it; worst is step ${f.steps.worst} with ${ms(f.steps.worst_ns)} ms`],
	].filter(([, value]) => value);
	return h("li", { class: `finding ${f.severity}` }, h("details", { open: i === 0 },
		h("summary", {},
			h("span", { class: "rank" }, i + 1),
			h("span", { class: "what" }, h("span", { class: "id" }, f.id), h("span", { class: "words" }, f.text)),
			h("span", { class: "size", "data-value": f.share_ms }, h("b", {}, ms(shareNs)), " ms", h("small", {}, percent(shareNs, step)))),
		h("span", { class: "share", "aria-hidden": "true" }, h("span", { class: `fill ${kind}`, style: { width: `${Math.min(100, (100 * shareNs) / step)}%` } })),
		h("dl", { class: "proof" }, lines.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]))));
}

export function reportVerdict(docs) {
	const { report, words, figures, tree } = docs;
	const step = figures.step_ns, per = figures.has_steps ? "step" : "run";
	const work = tree.rows[0].leaves.reduce((sum, leaf) => sum + (figures.time_ns[leaf] ?? 0), 0);
	const list = report.findings.map((f, i) => finding(docs, f, i, words.findings[i], step));
	return [
		h("p", { class: "answer" }, words.answer),
		facts([["GPUs", plural(figures.devices, "GPU")], [`ms per ${per}`, ms(step), step], figures.has_steps ? ["p95", `${ms(figures.p95_ns)} ms`, figures.p95_ns] : [],
			["computing", percent(work, step)], ["kernels per " + per, grouped(figures.kernels), figures.kernels],
			["ms of NCCL hidden under work", ms(figures.hidden_ns), figures.hidden_ns]].filter((f) => f.length)),
		h("h3", {}, "Losses, largest first"),
		list.length ? h("ol", { class: "findings" }, list.slice(0, 5)) : h("p", {}, "No losses."),
		list.length > 5 && h("details", { class: "rest" }, h("summary", {}, `${list.length - 5} smaller`), h("ol", { class: "findings", start: "6" }, list.slice(5))),
		h("h3", {}, `Where a ${per} goes`),
		treeTable(tree, figures.time_ns, step, `Milliseconds of a ${per}, mean of ${plural(figures.devices, "GPU")}; the parts add up to it`),
		asText(words, `baton report ${report.run.dirs.join(" ")}`),
	];
}

export function compareVerdict(docs) {
	const { compare, words } = docs;
	// The bridge has an entry for each run but the base, in the order of the runs.
	const others = compare.runs.filter((_, i) => i !== words.base), run = (b) => others[compare.bridge.indexOf(b)];
	return [
		words.answer.split("\n").map((line, i) => h("p", { class: i ? "" : "answer" }, line)),
		compare.bridge.map((b, i) => {
			const [first, ...others] = words.bridge[i].split("\n");
			return h("div", { class: "runsaid" }, h("h3", {}, b.dir), h("p", { class: "said" }, first),
				facts([["GPUs", grouped(b.gpus), b.gpus], ["ms per step", ms(run(b).step_ns), run(b).step_ns], ["efficiency", run(b).efficiency === null ? "" : percent(run(b).efficiency, 1), run(b).efficiency],
					b.different_work ? [] : [b.loss_ns < 0 ? "ms saved per step" : "ms lost per step", ms(Math.abs(b.loss_ns)), b.loss_ns]]), others.map((line) => h("p", {}, line)), !b.different_work && culprits(b));
		}),
		asText(words, `baton compare ${compare.runs.map((run) => run.dir).join(" ")}`),
	];
}

function culprits(bridge) {
	const list = bridge.culprits ?? [];
	const who = (c) => (Number.isInteger(c.rank) ? `rank ${c.rank}` : c.host ? `host ${c.host}` : c.device || null);
	const waits = (c) => (who(c) ? `others waited ${ms(c.base_waits_ns)} ms per step for it before` : `ranks waited ${ms(c.base_waits_ns)} ms per step for each other before`);
	return list.length > 0 && h("ul", {}, list.map((c) => h("li", {}, `${who(c) ?? "no single rank"}: ${c.cause}; ${waits(c)}, ${ms(c.waits_ns)} ms now`)));
}

// One way to split all of the jitter; nothing where it is not known.
function shares(title, parts, names) {
	const known = Object.entries(parts).filter(([, value]) => value !== null);
	return known.length > 0 && [h("h3", {}, title), facts(known.map(([part, value]) => [names[part] ?? part, `${fixed(100 * value, 0)} %`, value]))];
}

export function jitterVerdict(docs) {
	const { jitter, words } = docs;
	const causes = { duration: "kernels", gap_before: "gap before the step", gap_inside: "gaps inside it", launch_to_start: "launch to start" };
	return [
		h("p", { class: "answer" }, `Which rank is late? ${jitter.verdict}`),
		facts([["ranks", grouped(jitter.ranks.length)], ["steps", grouped(jitter.steps), jitter.steps], ["ms per step", ms(jitter.step_ns), jitter.step_ns],
			["ms of jitter", ms(jitter.jitter_ns), jitter.jitter_ns], ["kernels per step", grouped(jitter.kernels_per_step), jitter.kernels_per_step]]),
		jitter.odd_ranks.length > 0 && h("ol", { class: "findings plainlist" }, jitter.odd_ranks.map((odd) => h("li", { class: "finding" }, h("details", {},
			h("summary", {}, h("span", { class: "what" }, h("span", { class: "id" }, odd.kind.replaceAll("_", " ")), h("span", { class: "words" }, odd.text)),
				h("span", { class: "size", "data-value": odd.behind_ns }, h("b", {}, ms(odd.behind_ns)), " ms")),
			h("dl", { class: "proof" }, h("dt", {}, "Device"), h("dd", {}, odd.device), Object.entries(odd.by_cause_ns).map(([cause, ns]) =>
				[h("dt", {}, causes[cause] ?? cause), h("dd", { "data-value": ns }, `${ms(ns)} ms`)]), h("dt", {}, "Chance"), h("dd", {}, `${odd.significance.toPrecision(2)} (corrected probability)`)))))),
		shares("By what makes it", jitter.share_by_cause, causes),
		shares("By where it is", jitter.share_by_place, { host: "between hosts", rank: "between ranks of a host", step: "single steps" }),
		jitter.notes.map((note) => h("p", { class: "note" }, note)),
		asText(words, `baton jitter ${jitter.dir}`),
	];
}
