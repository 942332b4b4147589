// Kernel by kernel of a step: how much each rank differs from the mean of the ranks. All ranks as a heat map, some of them as lines.
import { append, colour, drawWaiting, h, newId } from "../dom.js";
import { exactNs, fixed, grouped, us } from "../format.js";
import { heat } from "../heat.js";
import { lines } from "../lines.js";

const MEASURES = { duration: ["duration", "Durations"], gap: ["gap before", "Gaps before kernels"], time_to_end: ["time to end", "Time to the end of kernels"], launch_to_start: ["launch to start", "Launch to start"] };
const plus = (ns) => (ns > 0 ? "+" : "") + us(ns);
const short = (name, most) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);

// The kernels of a column: its first position, and the name where it has only one.
function columnName(doc, width, column) {
	const first = column * width, last = Math.min(doc.name.length, first + width) - 1;
	return first === last ? `kernel ${first} ${doc.names[doc.name[first]]}` : `kernels ${first} to ${last}`;
}

// Collectives are short on the rank that comes last, by as much as the others wait, and so are the gaps before the kernels after them: next
// to that the other kernels' differences are too small to be seen. So colours and axes of durations and gaps are made for other columns.
function plainColumns(doc, width, measure) {
	const positions = { duration: doc.collectives, gap: doc.collectives.flatMap((p) => [p, p + 1]) }[measure] ?? [];
	const n = Math.ceil(doc.name.length / width), with_ = new Set(positions.map((p) => Math.floor(p / width)));
	const without = Array.from({ length: n }, (_, c) => c).filter((c) => !with_.has(c));
	return without.length ? without : Array.from({ length: n }, (_, c) => c);
}
const waits = (doc, measure) => doc.collectives.length > 0 && ["duration", "gap"].includes(measure);

function map(doc, measure) {
	const rows = doc.ranks.map((r) => ({ label: r.label, values: r[measure] })), columns = rows[0].values.map((_, c) => String(c * doc.width));
	let limit = 1;
	for (const row of rows) for (const c of plainColumns(doc, doc.width, measure)) if (row.values[c] !== null) limit = Math.max(limit, Math.abs(row.values[c]));
	const text = (r, c) => {
		const value = rows[r].values[c];
		return `rank ${rows[r].label}, ${columnName(doc, doc.width, c)}: ` + (value === null ? "not compared" : `${plus(value)} us against the mean of the ranks (${exactNs(value)})`);
	};
	return [h("div", { class: "scale" }, h("span", {}, `less, -${us(limit)} us`), h("span", { class: "ramp", "aria-hidden": "true" }), h("span", {}, `more, +${us(limit)} us`)),
		heat({ down: "rank", across: "kernel of the step", rows, columns, limit, colours: () => [colour("early"), colour("none"), colour("late")], text, start: "Point at a cell, or use the arrow keys.",
			label: `Heat map of ${grouped(rows.length)} ranks and ${grouped(doc.name.length)} kernels: ${MEASURES[measure][0]} against the mean of the ranks` })];
}

// Buttons of which one is pressed.
function choice(label, names, chosen, act) {
	const box = h("div", { class: "choice", role: "group", "aria-label": label });
	return append(box, Object.entries(names).map(([key, name]) => h("button", { type: "button", "aria-pressed": String(key === chosen), onclick: (event) => {
		for (const b of box.children) b.setAttribute("aria-pressed", String(b === event.currentTarget));
		act(key);
	} }, name)));
}

export function kernelMap(docs) {
	const doc = docs.kernels, place = h("div");
	if (!doc?.ranks.length || !doc.name.length) return null;
	const show = (measure) => {
		place.replaceChildren(...map(doc, measure), waits(doc, measure) ? h("p", { class: "note" }, "Collectives, and the gaps after them, are short on the rank that comes last, because it does not wait: the scale is that of the other kernels.") : "");
		if (place.isConnected) drawWaiting();
	};
	show("duration");
	return [choice("Measure", Object.fromEntries(Object.entries(MEASURES).map(([key, [name]]) => [key, name])), "duration", show), place,
		h("p", { class: "note" }, "Means over the steps of each rank, minus the mean of the ranks, kernel by kernel in the order of the step.", doc.width > 1 ? ` A cell is the mean of ${doc.width} kernels, to keep this file small.` : "")];
}

// A rank's line: from the columns that the earliest, the latest and named ranks have, else from those of all, which are wider.
function lineOf(doc, place, measure) {
	const near = doc.close.find((r) => r.place === place), n = doc.all[measure].mean.length, wide = doc.ranks[place][measure];
	if (near) return near[measure];
	return Array.from({ length: n }, (_, c) => wide[Math.floor((c * doc.close_width) / doc.width)]);
}

function plots(doc, chosen) {
	const x = doc.all.duration.mean.map((_, c) => c * doc.close_width), name = (v) => short(columnName(doc, doc.close_width, v / doc.close_width), 44);
	const styles = [["loss", undefined], ["gain", [8, 4]], ["ink", [2, 3]]];
	return h("div", { class: "two" }, Object.entries(MEASURES).map(([measure, [, title]]) => {
		const all = doc.all[measure], value = (list) => list.map((v) => (v === null ? null : v / 1e3));
		const plain = plainColumns(doc, doc.close_width, measure), low = Math.min(0, ...plain.map((c) => all.least[c] ?? 0)) / 1e3, high = Math.max(0, ...plain.map((c) => all.most[c] ?? 0)) / 1e3, edge = 0.08 * (high - low) || 1;
		const shown = chosen.map(({ place, label }, i) => ({ label, values: value(lineOf(doc, place, measure)), colour: styles[i][0], dash: styles[i][1], width: 1.5 }));
		return h("figure", {}, h("figcaption", {}, `${title}, us: each rank minus the mean`), lines({ x, xLabel: "kernel", xText: name, yRange: waits(doc, measure) ? [low - edge, high + edge] : undefined, text: (v) => fixed(v, 1), bands: [[1, 2]],
			label: `${title} of ${grouped(doc.name.length)} kernels against the mean of the ranks: ${chosen.map((c) => c.label).join(", ")}`, series: [
				{ label: "most of all ranks", values: value(all.most), colour: "unknown", width: 0.6 }, { label: "least of all ranks", values: value(all.least), colour: "unknown", width: 0.6 }, ...shown] }));
	}));
}

export function kernelPlots(docs) {
	const doc = docs.kernels, place = h("div"), id = newId("rank");
	if (!doc?.ranks.length || !doc.name.length) return null;
	const late = docs.jitter.ranks.map((r) => r.behind_ns), first = late.indexOf(Math.min(...late)), last = late.indexOf(Math.max(...late));
	const fixedOnes = [[last, "latest"], [first, "earliest"]].filter(([r], i) => r >= 0 && (i === 0 || r !== last)).map(([r, how]) => ({ place: r, label: `${how}: rank ${doc.ranks[r].label}` }));
	const note = h("p", { class: "note" });
	const show = (rank) => {
		const more = rank >= 0 && rank !== first && rank !== last, coarse = more && doc.width > doc.close_width && !doc.close.some((r) => r.place === rank);
		place.replaceChildren(plots(doc, [...fixedOnes, ...(more ? [{ place: rank, label: `rank ${doc.ranks[rank].label}` }] : [])]));
		note.textContent = `The band is from the least to the most of all ranks. ${doc.collectives.length ? "Durations of collectives and the gaps after them, which contain waiting, may lie outside of the picture. " : ""}${doc.close_width > 1 ? `A point is the mean of ${doc.close_width} kernels. ` : ""}${coarse ? `The line of rank ${doc.ranks[rank].label} has means of ${doc.width} kernels, to keep this file small: baton jitter --rank ${doc.ranks[rank].label} --html has all.` : ""}`;
		if (place.isConnected) drawWaiting();
	};
	const select = h("select", { id, onchange: (event) => show(Number(event.target.value)) }, h("option", { value: "-1" }, "no other"), doc.ranks.map((r) => h("option", { value: r.place }, `rank ${r.label}`)));
	show(-1);
	return [h("p", {}, h("label", { for: id }, "Also show "), select), place, note];
}
