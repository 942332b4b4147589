// Which rank is late: every rank and step, the first and the last of each, ranks and kernels.
import { colour, h } from "../dom.js";
import { exactNs, fixed, grouped, least, most, ms, signed, us } from "../format.js";
import { heat } from "../heat.js";
import { lines } from "../lines.js";
import { table } from "../table.js";
import { kernelMap, kernelPlots } from "./kernels.js";

function deviations(grid) {
	const means = grid.steps.map((_, c) => {
		const known = grid.ranks.map((r) => r.to_end_ns[c]).filter((v) => v !== null);
		return known.reduce((a, b) => a + b, 0) / (known.length || 1);
	});
	return grid.ranks.map((r) => ({ label: r.label, values: r.to_end_ns.map((v, c) => (v === null ? null : v - means[c])), exact: r.to_end_ns }));
}

function map(grid) {
	const rows = deviations(grid);
	let limit = 1;
	for (const row of rows) for (const v of row.values) if (v !== null) limit = Math.max(limit, Math.abs(v));
	const cells = grid.width > 1 ? `steps ${grid.width} at a time` : "steps";
	const text = (r, c) => {
		const value = rows[r].values[c];
		return `rank ${rows[r].label}, step ${grid.steps[c]}: ` + (value === null ? "not compared" : `${signed(value)} ms against the mean of the ranks (${exactNs(rows[r].exact[c])} to its last kernel)`);
	};
	return [h("div", { class: "scale" }, h("span", {}, `early, -${ms(limit)} ms`), h("span", { class: "ramp", "aria-hidden": "true" }), h("span", {}, `late, +${ms(limit)} ms`)),
		heat({ down: "rank", across: "step", rows, columns: grid.steps.map(String), limit, colours: () => [colour("early"), colour("none"), colour("late")], text, start: "Point at a cell, or use the arrow keys.",
			label: `Heat map of ${rows.length} ranks and ${grid.steps.length} ${cells}: how late each rank is` })];
}

function series(rows) {
	const x = rows.map((s) => s.step);
	return h("figure", {}, h("figcaption", {}, "Time to the last kernel, ms: first rank, mean and last rank of each step"), lines({ x, xLabel: "step", text: (v) => fixed(v, 2), bands: [[1, 3]],
		label: `Time to the last kernel in ${rows.length} steps, from ${ms(least(rows.map((s) => s.min_ns)))} to ${ms(most(rows.map((s) => s.max_ns)))} ms`, series: [
			{ label: "last rank", values: rows.map((s) => s.max_ns / 1e6), colour: "loss", width: 1.5 }, { label: "mean", values: rows.map((s) => s.mean_ns / 1e6), colour: "ink" },
			{ label: "first rank", values: rows.map((s) => s.min_ns / 1e6), colour: "gain", width: 1.5 }] }));
}

const ns = (label, value) => ({ label, kind: "number", value, text: (v) => (v === null ? "" : signed(v)), title: (r) => (value(r) === null ? null : exactNs(value(r))) });

function ranks(rows) {
	return table({ caption: "Ranks against the mean of the others, ms per step", rows, sort: 2, shown: 16, columns: [
		{ label: "rank", kind: "number", value: (r) => r.rank, text: (v) => (v === null ? "" : v) }, { label: "device", kind: "text", value: (r) => r.device }, ns("late", (r) => r.behind_ns),
		ns("kernels", (r) => r.by_cause_ns.duration), ns("gap before", (r) => r.by_cause_ns.gap_before), ns("gaps inside", (r) => r.by_cause_ns.gap_inside), ns("launch to start", (r) => r.by_cause_ns.launch_to_start),
		{ label: "last in steps", kind: "number", value: (r) => r.last, text: grouped }, { label: "z", kind: "number", value: (r) => r.places, text: (v) => (v === null ? "" : fixed(v, 1)) }] });
}

function kernels(rows) {
	const time = (label, value) => ({ label, kind: "number", value, text: (v) => (v === null ? "" : us(v)), title: (k) => (value(k) === null ? null : exactNs(value(k))) });
	return table({ caption: "Kernels that differ from rank to rank: standard deviations, us per step", rows, sort: 3, columns: [{ label: "kernel", kind: "name", value: (k) => k.kernel },
		{ label: "positions", kind: "number", value: (k) => k.positions, text: grouped }, time("us/step", (k) => k.duration_ns), time("kernels", (k) => k.duration_sd_ns), time("gaps", (k) => k.gap_sd_ns),
		time("over steps", (k) => k.steps_sd_ns), { label: "longest on rank", kind: "number", value: (k) => k.longest_rank, text: (v) => (v === null ? "" : v) }, time("by us", (k) => k.longest_by_ns)] });
}

export function jitterView(docs) {
	const { jitter, grid } = docs;
	return [jitter.not_compared && h("p", { class: "flag bad" }, `${jitter.verdict} What is below does not show which rank is late.`), h("h3", {}, "Every rank and step"), map(grid), h("h3", {}, "First and last rank"), jitter.series.length > 0 && series(jitter.series), h("h3", {}, "Ranks"), ranks(jitter.ranks), h("p", { class: "note" }, "z: how far the rank's places among the others, step after step, are from chance; 0 is chance, above 0 it comes late."),
		docs.kernels.name.length > 0 && [h("h3", {}, "Every kernel and rank"), kernelMap(docs), h("h3", {}, "Kernel by kernel: the latest rank, the earliest and any other"), kernelPlots(docs)],
		h("h3", {}, "Kernels that differ"), kernels(jitter.kernels), jitter.varying && [h("h3", {}, "Kernels that vary most over the steps of the chosen rank"),
			table({ caption: "Positions, us", rows: jitter.varying, sort: 4, columns: [{ label: "kernel", kind: "name", value: (v) => v.kernel }, { label: "position", kind: "number", value: (v) => v.position },
				{ label: "stream", kind: "text", value: (v) => v.stream }, { label: "us", kind: "number", value: (v) => v.duration_ns, text: (v) => (v === null ? "" : us(v)) },
				{ label: "over steps", kind: "number", value: (v) => v.duration_sd_ns, text: (v) => (v === null ? "" : us(v)) }, { label: "gap over steps", kind: "number", value: (v) => v.gap_sd_ns, text: (v) => (v === null ? "" : us(v)) }] })]];
}
