// One step on all ranks: a row of cells for each rank, and every event of the ranks that are chosen.
import { drawWaiting, h } from "../dom.js";
import { bytes, exactNs, grouped, ms, plural, span, us } from "../format.js";
import { headOf, kindOf, leafNames } from "../data.js";
import { table } from "../table.js";
import { HELP, timeline } from "../timeline.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const kinds = { idle: "idle", stream: "GPU", thread: "host" };

// Classes of kernels have colours of their own: they fill most of a step.
const classes = { "work.custom": "custom", "work.memory": "memory", "work.other": "other", "nccl.wait": "wait" };
const own = { "nccl.unsplit": "NCCL, wait and transfer not separated", "nccl.wait": "NCCL wait", "nccl.transfer": "NCCL transfer", "copy.exposed": "copies to or from the host or another GPU" };

// What the leaves are called, and their colours. Idle time is hatched: colour alone does not part it from work.
function leavesOf(docs) {
	const names = leafNames(docs.tree);
	return docs.timeline.leaves.map((leaf) => ({ leaf, name: own[leaf] ?? names[leaf] ?? leaf,
		tone: [classes[leaf] ?? kindOf(headOf(docs.tree, leaf)), leaf.startsWith("idle.")] }));
}

const rankName = (rank, device) => (rank === null ? device : `rank ${rank}`);
// A process with several GPUs has a row for each of them: its rank alone does not say which.
function gpuName(step, { rank, device }) {
	const shared = step.rows.filter((row) => row.from_rank === rank || row.to_rank === rank).length > 1;
	return rank !== null && shared ? `rank ${rank}, ${device}` : rankName(rank, device);
}
function rowName(step, row) {
	if (row.n === 1) return gpuName(step, row.longest);
	if (row.from_rank === null) return plural(row.n, "GPU");
	return row.from_rank === row.to_rank ? `rank ${row.from_rank}, ${plural(row.n, "GPU")}` : `ranks ${row.from_rank}-${row.to_rank}`;
}

// Neighbouring cells with one letter are one bar.
function rowLane(step, row, leaves, height) {
	const lane = { label: rowName(step, row), full: rowName(step, row), height, start: [], dur: [], of: [], row };
	for (let i = 0; i < row.cells.length; i++) {
		const letter = row.cells[i];
		if (letter === ".") continue;
		if (i && row.cells[i - 1] === letter) lane.dur[lane.dur.length - 1] += step.cell_ns;
		else lane.start.push(i * step.cell_ns), lane.dur.push(step.cell_ns), lane.of.push(LETTERS.indexOf(letter));
	}
	lane.tone = (i) => leaves[lane.of[i]].tone;
	lane.name = (i) => leaves[lane.of[i]].name;
	lane.text = (i) => `mostly ${leaves[lane.of[i]].name}`;
	return lane;
}

// The events of a track, with one lane for each depth.
function trackEvents(docs, track, leaves) {
	const { timeline: t } = docs, events = [], more = new Map(track.more.map(([i, ...rest]) => [i, rest]));
	let start = 0;
	for (let i = 0; i < track.start_ns.length; i++) {
		start += track.start_ns[i];
		const id = track.name[i], event = { kind: kinds[track.kind], track: track.label, start, dur: track.dur_ns[i], depth: track.depth[i], more: "" };
		if (track.kind === "idle") Object.assign(event, { name: leaves[id].name, tone: leaves[id].tone, leaf: leaves[id].leaf });
		else if (track.kind === "stream") Object.assign(event, { name: t.work[id], tone: leaves[t.work_leaf[id]].tone, leaf: leaves[t.work_leaf[id]].leaf });
		else Object.assign(event, { name: t.host[id], tone: [track.depth[i] % 2 ? "inner" : "range", false], leaf: "" });
		const [size, wait, members, unsplit] = more.get(i) ?? [null, null, 0];
		event.wait = wait ?? 0;
		if (wait !== null) event.leaf = wait > 0 ? "nccl.wait, nccl.transfer" : "nccl.transfer";
		event.more = [size !== null && bytes(size), wait !== null && members > 1 && `${exactNs(wait)} until the last of ${grouped(members)} ranks began`, unsplit && `wait not known: ${unsplit}`].filter(Boolean).join(", ");
		events.push(event);
	}
	return events;
}

// What launched what: `launch` counts the events of all threads of the process.
function joinLaunches(tracks) {
	const calls = tracks.filter(({ track }) => track.kind === "thread").flatMap(({ events }) => events);
	for (const { track, events } of tracks) {
		let number = 0;
		track.launch?.forEach((delta, i) => {
			if (delta === null) return;
			const call = calls[(number += delta)];
			(events[i].joined ??= []).push(call);
			(call.joined ??= []).push(events[i]);
		});
	}
}

function eventLanes(process, tracks) {
	const lanes = [], several = tracks.filter(({ track }) => track.kind === "idle").length > 1;
	const nameOf = (track) => (track.kind !== "idle" ? track.label : several ? `idle time, ${track.label}` : "idle time");
	const order = (t) => ["idle", "stream", "thread"].indexOf(t.track.kind), byName = new Intl.Collator("en", { numeric: true });
	const sorted = [...tracks].sort((a, b) => order(a) - order(b) || (a.track.kind === "stream" ? byName.compare(a.track.label, b.track.label) : 0));
	for (const { track, events } of sorted) {
		const deepest = events.reduce((most, e) => Math.max(most, e.depth), 0);
		for (let depth = 0; depth <= deepest; depth++) {
			const own = events.filter((e) => e.depth === depth);
			if (!own.length) continue;
			const lane = { label: depth ? "" : nameOf(track), full: `${rankName(process.rank, process.host)}, ${nameOf(track)}`, height: track.kind === "thread" ? 15 : 20,
				start: own.map((e) => e.start), dur: own.map((e) => e.dur), events: own, tone: (i) => own[i].tone, name: (i) => own[i].name,
				text: (i) => own[i].name + (own[i].more ? ` (${own[i].more})` : ""), waits: (i) => own[i].wait };
			own.forEach((e, i) => Object.assign(e, { lane, at: i }));
			lanes.push(lane);
		}
	}
	return lanes;
}

// Headings of the time tree, and the classes of kernels below computing.
function key(tree, leaves, rows) {
	const used = new Set(rows.flatMap((row) => [...new Set(row.cells)].filter((c) => c !== ".").map((c) => LETTERS.indexOf(c))));
	for (const row of rows) for (const [leaf] of row.idle_ns) used.add(leaf);
	const shown = new Map([...used].sort((a, b) => a - b).map((i) => {
		const { leaf, name, tone } = leaves[i];
		return [tone[0], { label: leaf.startsWith("work.") || leaf.startsWith("nccl.") ? name : headOf(tree, leaf), hatched: tone[1] }];
	}));
	return h("ul", { class: "key" }, [...shown].map(([tone, { label, hatched }]) => h("li", {}, h("span", { class: `swatch ${tone}${hatched ? " hatched" : ""}` }), label)),
		h("li", {}, h("span", { class: "swatch range" }), "CUDA calls and ranges"), h("li", { class: "note" }, "hatched: the GPU is idle"));
}

function ranksTable(docs, step) {
	const heads = docs.tree.rows.filter((row) => row.level === "head" && row.leaves.every((leaf) => leaf.startsWith("idle.")));
	const sum = (row, leaves) => row.idle_ns.reduce((all, [leaf, value]) => all + (leaves.includes(docs.timeline.leaves[leaf]) ? value : 0), 0);
	const some = heads.filter((head) => step.rows.some((row) => sum(row, head.leaves) > 0));
	const folded = step.rows.some((row) => row.n > 1);
	const time = (label, value) => ({ label, kind: "number", value: (row) => value(row) / row.n, exact: value, text: (v) => ms(v), title: (row) => exactNs(value(row)) + (row.n > 1 ? " in all" : "") });
	return table({ caption: `This step on ${folded ? "all ranks, neighbours together: means, ms" : "each rank, ms"}`, rows: step.rows, sort: 1, shown: 8, columns: [
		{ label: "ranks", kind: "text", value: (row) => rowName(step, row) }, time("step", (row) => row.window_ns), time("busy", (row) => row.window_ns - row.idle_ns.reduce((all, [, value]) => all + value, 0)),
		...some.map((head) => time(head.label, (row) => sum(row, head.leaves))), folded && { label: "longest", kind: "text", value: (row) => gpuName(step, row.longest) },
		folded && { label: "its ms", kind: "number", value: (row) => row.longest.to_ns - row.longest.from_ns, text: (v) => ms(v) }].filter(Boolean) });
}

const eventsTable = (process, events) => table({ caption: `Events of ${rankName(process.rank, process.host)} in this step, us since it began`, rows: events, sort: 3, up: true, shown: 10, columns: [
	{ label: "where", kind: "text", value: (e) => e.kind }, { label: "track", kind: "text", value: (e) => e.track }, { label: "name", kind: "name", value: (e) => e.name },
	{ label: "begins us", kind: "number", value: (e) => e.start, text: us }, { label: "us", kind: "number", value: (e) => e.dur, text: us }, { label: "ns", kind: "number", value: (e) => e.dur, text: grouped },
	{ label: "counts as", kind: "text", value: (e) => e.leaf }, { label: "more", kind: "text", value: (e) => e.more }] });

function leftOut(tracks) {
	const lost = tracks.filter(({ track }) => track.left_out > 0), n = lost.reduce((all, { track }) => all + track.left_out, 0), time = lost.reduce((all, { track }) => all + track.left_out_ns, 0);
	return n ? `${plural(n, "event")} of this rank ${n === 1 ? "is" : "are"} left out to keep this file small: the shortest ones, ${span(time)} together.` : "No event of this rank is left out.";
}

function detail(docs, step, leaves, box) {
	const limits = [0, step.span_ns];
	let chart = null;
	const under = h("div");
	function fill(process) {
		const tracks = process.tracks.map((track) => ({ track, events: trackEvents(docs, track, leaves) })), events = tracks.flatMap((t) => t.events);
		joinLaunches(tracks);
		limits[0] = events.reduce((least, e) => Math.min(least, e.start), 0);
		limits[1] = events.reduce((most, e) => Math.max(most, e.start + e.dur), step.span_ns);
		const lanes = eventLanes(process, tracks);
		if (chart) chart.lanes(lanes);
		else {
			chart = timeline({ lanes, from: 0, to: step.span_ns, limits: () => limits, label: "Events of the chosen rank", start: "Click a bar, or use the arrow keys.",
				links: (lane, i) => (lane.events[i]?.joined ?? []).map((e) => [e.lane, e.at]), find: "names of kernels, copies, idle time, CUDA calls and ranges of this rank" });
			box.append(chart.box, under);
		}
		under.replaceChildren(h("p", { class: "note" }, leftOut(tracks)), h("details", {}, h("summary", {}, "These events as a table"), eventsTable(process, events)));
	}
	return { fill, show: (from, to) => chart?.show(from, to) };
}

function chosenStep(docs, step) {
	const leaves = leavesOf(docs), few = step.rows.length <= 16, box = h("div", { class: "step" });
	const inside = h("div"), events = detail(docs, step, leaves, inside), buttons = h("div", { class: "choice", role: "group", "aria-label": "Rank" });
	const all = timeline({ lanes: step.rows.map((row) => rowLane(step, row, leaves, few ? 18 : 9)), from: 0, to: step.span_ns, limits: () => [0, step.span_ns], label: `Step ${step.number} on all ranks`,
		start: "Click a bar, or use the arrow keys.", laneChosen: (lane) => pick(lane.row), chosen: (lane) => pick(lane.row) });
	const has = (p, gpu) => (p.rank !== null && p.rank === gpu.rank) || p.tracks.some((track) => track.kind === "idle" && track.label === gpu.device);
	const pick = (row) => {
		const found = step.processes.findIndex((p) => has(p, row.longest));
		if (found >= 0 && row.n === 1) press(found);
	};
	let pressed = -1;
	function press(i) {
		if (i === pressed) return;
		pressed = i;
		[...buttons.children].forEach((b, k) => b.setAttribute("aria-pressed", String(k === i)));
		events.fill(step.processes[i]);
	}
	buttons.append(...step.processes.map((p, i) => h("button", { type: "button", "aria-pressed": "false", onclick: () => press(i) }, `${rankName(p.rank, `${p.host} ${p.pid}`)}${reasons[p.why] ?? `, ${p.why}`}`)));
	box.append(key(docs.tree, leaves, step.rows), all.box, h("p", { class: "note" }, `A cell of a row is ${span(step.cell_ns)}; it has the colour of what fills most of it. `,
		step.rows.some((row) => row.n > 1) ? `Each row stands for up to ${step.rows[0].n} neighbouring ranks. ` : "", docs.timeline.clock ? `Times: ${docs.timeline.clock}.` : ""),
		h("details", {}, h("summary", {}, "These ranks as a table"), ranksTable(docs, step)), h("h3", {}, "Event by event"),
		h("p", {}, "Kernels, copies, collectives, idle stretches, CUDA calls and ranges of one rank that begin in the step. A line joins a kernel with the call that launched it."), buttons, inside,
		step.crowded > 0 ? h("p", { class: "note" }, `${plural(step.crowded, "event")} overlapped with too many others and ${step.crowded === 1 ? "is" : "are"} not drawn.`) : "");
	return { box, start: (rank) => step.processes.length && press(Math.max(0, step.processes.findIndex((p) => rank !== undefined && rank !== null && p.rank === rank))) };
}

// Why a rank is shown; else it is the name of a finding.
const reasons = { "": "", longest: ", longest step", shortest: ", shortest step", middle: ", middle", most: ", loses most" };
const words = { median: "of middle length", slowest: "the slowest", only: "the only one" };
function reasonOf(docs, step) {
	const worst = step.findings.map((i) => docs.report.findings[i].id);
	return [words[step.why], worst.length && `worst for ${worst.join(", ")}`].filter(Boolean).join(", ");
}

// By this the two steps were chosen. From the first GPU's begin to the last one's end is longer.
const meanOf = (step) => step.rows.reduce((all, row) => all + row.window_ns, 0) / step.rows.reduce((all, row) => all + row.n, 0);

// Shows a step and a rank of it: links of other views lead here.
let opened = () => {};
export const openStep = (number, rank) => opened(number, rank);

export function stepView(docs) {
	const { timeline: t } = docs;
	if (!t) return null;
	if (t.lack) return h("p", { class: "note" }, `There is no timeline of a step: ${t.lack}.`);
	const place = h("div"), made = t.steps.map(() => null);
	const show = (i, rank) => {
		made[i] ??= chosenStep(docs, t.steps[i]);
		place.replaceChildren(made[i].box);
		made[i].start(rank);
		[...choice.children].forEach((b, k) => b.setAttribute("aria-pressed", String(k === i)));
		if (place.isConnected) drawWaiting();
	};
	const choice = h("div", { class: "choice", role: "group", "aria-label": "Step" }, t.steps.map((step, i) => h("button", { type: "button", onclick: () => show(i) },
		`step ${grouped(step.number)}, ${reasonOf(docs, step)}: ${ms(meanOf(step))} ms`)));
	opened = (number, rank) => show(t.steps.findIndex((step) => step.number === number), rank);
	show(Math.max(0, t.steps.findIndex((step) => step.why === "slowest")));
	const left = t.steps_left_out.map((step) => `step ${grouped(step.number)} (${reasonOf(docs, step)})`);
	return [choice, place, left.length > 0 && h("p", { class: "note" }, `Left out to keep this file small: ${left.join("; ")}. `, h("code", {}, `baton export --format perfetto --step ${t.steps_left_out[0].number}`), " writes one."), h("p", { class: "note" }, `${HELP} With the mouse: a click chooses, a drag moves, the wheel with Ctrl zooms. Two fingers zoom.`)];
}
