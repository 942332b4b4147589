// Runs on more and more GPUs: against ideal, what was lost and to what, and every rank's steps.
import { h } from "../dom.js";
import { bytes, exactNs, fixed, grouped, ms, percent, plural, signed } from "../format.js";
import { headOf, kindOf, leafNames } from "../data.js";
import { key, stack, waterfall } from "../bars.js";
import { lines } from "../lines.js";
import { table } from "../table.js";

const log = (n) => Math.log2(n);

function charts(runs) {
	const sorted = [...runs].filter((r) => r.efficiency !== null).sort((a, b) => a.gpus - b.gpus);
	if (new Set(sorted.map((r) => r.gpus)).size < 2) return null;
	const x = sorted.map((r) => log(r.gpus)), ticks = sorted.map((r) => ({ at: log(r.gpus), text: grouped(r.gpus) }));
	const common = { x, xTicks: ticks, xLabel: "GPUs", xText: (v) => grouped(Math.round(2 ** v)), xRange: () => [x[0] - 0.15, x[x.length - 1] + 0.15] };
	const list = (values) => sorted.map((r, i) => `${r.gpus} GPUs ${values[i]}`).join(", ");
	const most = Math.max(...sorted.map((r) => Math.max(r.step_ns, r.ideal_ns)));
	return h("div", { class: "two" },
		h("figure", {}, h("figcaption", {}, "Milliseconds per step"), lines({ ...common, label: `Milliseconds per step: ${list(sorted.map((r) => ms(r.step_ns)))}`,
			yRange: () => [0, (1.1 * most) / 1e6], text: (v) => fixed(v, 2), series: [
				{ label: "measured", values: sorted.map((r) => r.step_ns / 1e6), colour: "loss", points: true },
				{ label: "ideal", values: sorted.map((r) => r.ideal_ns / 1e6), colour: "ink-soft", dash: [6, 4] }] })),
		h("figure", {}, h("figcaption", {}, "Efficiency, percent of ideal"), lines({ ...common, label: `Efficiency: ${list(sorted.map((r) => percent(r.efficiency, 1)))}`,
			yRange: () => [0, 110], text: (v) => `${fixed(v, 1)} %`, series: [
				{ label: "measured", values: sorted.map((r) => 100 * r.efficiency), colour: "loss", points: true },
				{ label: "ideal", values: sorted.map(() => 100), colour: "ink-soft", dash: [6, 4] }] })));
}

function runsTable(compare) {
	const other = new Set(compare.bridge.filter((b) => b.different_work).map((b) => b.dir)); // whose difference means nothing
	return table({ caption: "The runs", rows: compare.runs, sort: 1, up: true, shown: 50, columns: [
		{ label: "run", kind: "text", value: (r) => r.dir }, { label: "GPUs", kind: "number", value: (r) => r.gpus, text: grouped },
		{ label: "steps", kind: "number", value: (r) => r.steps, text: grouped }, { label: "ms/step", kind: "number", value: (r) => r.step_ns, text: (v) => ms(v) },
		{ label: "steps/s", kind: "number", value: (r) => r.steps_per_s, text: (v) => fixed(v, 2) },
		{ label: "efficiency", kind: "number", value: (r) => r.efficiency, text: (v) => (v === null ? "" : percent(v, 1)) },
		{ label: "ideal ms", kind: "number", value: (r) => r.ideal_ns, text: (v) => ms(v) },
		{ label: "lost ms/step", kind: "number", value: (r) => (other.has(r.dir) ? null : r.loss_ns), text: (v) => (v === null ? "" : signed(v)) }] });
}

// All terms; those that are no hundredth of the largest stand together, so that the sum stays exact.
function bridge(docs, b) {
	const names = leafNames(docs.tree);
	const terms = Object.entries(b.charged_ns).filter(([, ns]) => ns !== 0).sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]));
	const largest = terms.length ? Math.abs(terms[0][1]) : 0;
	const shown = terms.filter(([, ns]) => 100 * Math.abs(ns) >= largest), rest = terms.filter((t) => !shown.includes(t));
	const range = (leaf) => b.noise?.charged?.[leaf];
	const half = (r) => (r ? `± ${ms((r.high_ns - r.low_ns) / 2)}` : "");
	const rows = shown.map(([leaf, ns]) => ({ label: names[leaf] ?? leaf, ns, noise: half(range(leaf)), kind: kindOf(headOf(docs.tree, leaf)) }));
	if (rest.length) rows.push({ label: plural(rest.length, "smaller term"), ns: rest.reduce((sum, [, ns]) => sum + ns, 0) });
	if (b.residual_ns) rows.push({ label: "residual", ns: b.residual_ns });
	const total = b.loss_ns;
	if (b.different_work) return h("p", {}, `${b.dir} did other work than ${b.base_dir} (${b.different_work.replaceAll("_", " ")}), so nothing is compared.`);
	return [waterfall(rows, { label: total < 0 ? "saved" : "lost", ns: total }, `${b.dir} (${grouped(b.gpus)} GPUs) against ${b.base_dir}: milliseconds per step`),
		h("p", { class: "note" }, rows.reduce((sum, r) => sum + r.ns, 0) === total ? "The terms add up exactly." : "The terms do not add up.")];
}

const changeKinds = [["changed_kernels", "Kernels", "kernel", (r) => r.kernel], ["changed_lines", "GPU time by the line that launched it", "line", (r) => r.line + (r.backward ? " (backward)" : "")],
	["changed_collectives", "Collectives by size, waits included", "collective", (r) => r.op + (r.bytes === null ? "" : `, ${bytes(r.bytes)}`)]];
// No change: within its noise, or of no weight (`changed` of --json asks for both).
const saidOf = (r) => (r.changed === null ? "noise not known" : r.changed ? "changed" : Math.abs(r.run_ns - r.base_ns) > r.noise_ns ? "below 0.5 % of a step" : "within noise");

// What became of each kernel, line and size: what people open two windows for.
function changes(b) {
	if (b.different_work) return null;
	return changeKinds.filter(([key]) => b[key].rows.length > 0).map(([key, title, column, name]) => {
		const time = (label, value, text) => ({ label, kind: "number", value, text, title: (r) => (value(r) === null ? null : exactNs(value(r))) });
		return [table({ caption: `${title}: ${b.dir} against ${b.base_dir}, ms per step`, rows: b[key].rows, sort: 4, shown: 8, columns: [{ label: column, kind: "name", value: name },
			{ label: "in", kind: "text", value: (r) => ({ both: "both", base: "base only: gone", run: "this run only: new" })[r.in] }, time("before", (r) => r.base_ns, (v) => ms(v)), time("after", (r) => r.run_ns, (v) => ms(v)),
			{ ...time("change", (r) => r.run_ns - r.base_ns, (v) => signed(v)), order: (r) => Math.abs(r.run_ns - r.base_ns) }, time("noise ±", (r) => r.noise_ns, (v) => (v === null ? "" : ms(v))),
			{ label: "verdict", kind: "text", value: saidOf }] }),
		b[key].rows_left_out > 0 && h("p", { class: "note" }, `${plural(b[key].rows_left_out, "row")} with smaller differences ${b[key].rows_left_out === 1 ? "is" : "are"} left out.`)];
	});
}

// The devices of a run by rank; null where a rank is not known or has several.
function byRank(run) {
	const ranks = new Map(run.devices.map((d) => [d.rank, d]));
	return ranks.size === run.devices.length && !ranks.has(null) ? ranks : null;
}

// Rank by rank what a step takes before and after, where both runs have the same ranks.
function pairs(docs, b) {
	const { compare, tree, words } = docs, others = compare.runs.map((_, i) => i).filter((i) => i !== words.base);
	const before = byRank(docs.runs.runs[words.base]), after = byRank(docs.runs.runs[others[compare.bridge.indexOf(b)]]);
	if (b.different_work || !before || !after || before.size < 2 || before.size !== after.size || [...before.keys()].some((rank) => !after.has(rank))) return null;
	const step = (d) => d.window_ns / Math.max(1, d.steps), part = (d, leaves) => leaves.reduce((sum, leaf) => sum + (d.time_ns[leaf] ?? 0), 0) / Math.max(1, d.steps);
	const rows = [...before.keys()].map((rank) => ({ rank, base: before.get(rank), run: after.get(rank) }));
	const heads = tree.rows.filter((row) => row.level === "head" && rows.some((r) => part(r.base, row.leaves) !== part(r.run, row.leaves)));
	const time = (label, value, text) => ({ label, kind: "number", value: (r) => Math.round(value(r)), text, title: (r) => exactNs(Math.round(value(r))) });
	const change = (label, of) => ({ ...time(label, (r) => of(r.run) - of(r.base), (v) => signed(v)), order: (r) => Math.abs(of(r.run) - of(r.base)) });
	return table({ caption: `Rank by rank: ${b.dir} against ${b.base_dir}, ms per step`, rows, sort: 3, shown: 16, columns: [{ label: "rank", kind: "number", value: (r) => r.rank },
		time("before", (r) => step(r.base), (v) => ms(v)), time("after", (r) => step(r.run), (v) => ms(v)), change("change", step), ...heads.map((head) => change(`of it ${head.label}`, (d) => part(d, head.leaves)))] });
}

function partition(docs) {
	const { compare, tree } = docs;
	const mode = { share: false };
	const most = Math.max(...compare.runs.map((r) => r.step_ns));
	const box = h("div", { class: "bars" });
	const sum = (time) => Object.values(time).reduce((a, b) => a + b, 0);
	const line = (label, time, text) => h("div", { class: "barline" }, h("span", { class: "barlabel" }, label),
		stack(tree, time, mode.share ? sum(time) : Math.max(most, 1), label), h("span", { class: "barnumber" }, text));
	function fill() {
		box.replaceChildren(...compare.runs.map((run, i) => h("div", { class: "run" }, line(shortDir(run.dir), run.time_ns, `${ms(run.step_ns)} ms`), ranks(docs.runs.runs[i], run))));
	}
	function ranks(run) {
		const list = h("div", { class: "ranks" });
		const devices = [...run.devices].sort((a, b) => (a.rank ?? 1e9) - (b.rank ?? 1e9));
		const make = (n) => list.replaceChildren(...devices.slice(0, n).map((d) => {
			const steps = Math.max(1, d.steps), time = Object.fromEntries(Object.entries(d.time_ns).map(([leaf, ns]) => [leaf, ns / steps]));
			return line(d.rank === null ? d.device : `rank ${d.rank}`, time, `${ms(d.window_ns / steps)} ms`);
		}), devices.length > n ? h("button", { type: "button", onclick: () => make(n + 100) }, `Show ${Math.min(100, devices.length - n)} more of ${devices.length} ranks`) : "");
		make(16);
		return devices.length > 1 ? h("details", { open: devices.length <= 8 }, h("summary", {}, `${devices.length} ranks`), list) : null;
	}
	const choice = (label, share) => h("button", { type: "button", "aria-pressed": String(mode.share === share), onclick: (event) => {
		mode.share = share;
		for (const b of event.currentTarget.parentNode.children) b.setAttribute("aria-pressed", String(b === event.currentTarget));
		fill();
	} }, label);
	fill();
	return [h("div", { class: "choice", role: "group", "aria-label": "Unit" }, choice("milliseconds", false), choice("share of the step", true)), key(tree, compare.runs.map((r) => r.time_ns)), box];
}

// The end of a path says most.
const shortDir = (dir) => (dir.length > 16 ? dir.replace(/^.*\/(?=.)/, "") : dir);

export function scalingView(docs) {
	const { compare } = docs;
	const changed = compare.bridge.map(changes).filter((rows) => rows?.length);
	const paired = compare.bridge.map((b) => pairs(docs, b)).filter(Boolean);
	return [
		charts(compare.runs),
		runsTable(compare),
		h("h3", {}, "Where the difference went"),
		h("p", { class: "note" }, "Each bar begins where the last one ended; a hatched one saves time. Waits are charged to what made the late rank late."),
		compare.bridge.map((b) => bridge(docs, b)),
		changed.length > 0 && [h("h3", {}, "What changed, row by row"), changed],
		paired.length > 0 && [h("h3", {}, "What changed, rank by rank"), h("p", { class: "note" }, "The parts of a rank's change add up to it. Ranks that wait for each other have steps of one length: the one that causes it computes longer, the others wait longer."), paired],
		h("h3", {}, "Where a step goes, run by run and rank by rank"),
		partition(docs),
	];
}
