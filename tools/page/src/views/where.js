// Where the time goes: kernels, lines, collectives, copies, devices; sorted, filtered, in full.
import { append, h } from "../dom.js";
import { bytes, exactNs, fixed, grouped, least, most, ms, percent, plural, us } from "../format.js";
import { key, stack } from "../bars.js";
import { buildTree, flame } from "../flame.js";
import { lines } from "../lines.js";
import { table } from "../table.js";

// What a mean per step divides by: the steps of all devices together, as `--by` and the text do.
function divisor(report) {
	const steps = report.devices.reduce((sum, d) => sum + d.steps, 0);
	return steps > 0 ? steps : Math.max(1, report.devices.length);
}
const time = (label, value, by, more = {}) => ({ label, kind: "number", value, text: (v) => (v === null ? "" : ms(v / by)), title: (row) => (value(row) === null ? null : exactNs(value(row)) + " in all"), ...more });
const number = (label, value, text) => ({ label, kind: "number", value, text });

function kernels(docs, by) {
	const step = docs.figures.step_ns;
	return table({ caption: "Kernels: all calls on all GPUs, per step of one GPU", rows: docs.report.kernels, sort: 3, columns: [
		{ label: "kernel", kind: "name", value: (k) => k.name }, { label: "class", kind: "text", value: (k) => k.class },
		number("calls/step", (k) => k.count, (v) => fixed(v / by, 1)),
		{ ...time("ms/step", (k) => k.total_ns, by), kind: "bar", share: (k) => k.total_ns / by / step },
		number("%", (k) => k.total_ns / by / step, (v) => percent(v, 1)),
		number("min us", (k) => k.min_ns, us), number("p50 us", (k) => k.p50_ns, us), number("max us", (k) => k.max_ns, us),
		{ label: "tensor core", kind: "text", value: (k) => (k.tensor_core === null ? "?" : k.tensor_core ? "yes" : "no") }] });
}

function collectives(docs, by) {
	return table({ caption: "Collectives by size: bus bandwidth over the transfer alone", rows: docs.report.nccl, sort: 5, columns: [
		{ label: "collective", kind: "text", value: (n) => n.op }, { label: "communicator", kind: "text", value: (n) => n.comm },
		number("ranks", (n) => n.ranks, (v) => (v ? grouped(v) : "")), number("size", (n) => n.bytes, bytes), number("calls/step", (n) => n.count, (v) => fixed(v / by, 1)),
		time("wait ms", (n) => n.wait_ns, by), time("transfer ms", (n) => n.transfer_ns, by), time("unsplit ms", (n) => n.unsplit_ns, by),
		number("busbw GB/s", (n) => n.busbw_gbps, (v) => (v === null ? "" : fixed(v, 1))), { label: "why unsplit", kind: "text", value: (n) => n.unsplit_reason ?? "" }] });
}

function copies(docs, by) {
	const directions = { HtoD: "host to GPU", DtoH: "GPU to host", PtoP: "GPU to GPU", HtoH: "host to host" };
	return table({ caption: "Copies", rows: docs.report.copies, sort: 4, columns: [
		{ label: "device", kind: "text", value: (c) => c.device }, { label: "direction", kind: "text", value: (c) => directions[c.direction] ?? c.direction },
		{ label: "host memory", kind: "text", value: (c) => (c.pageable ? "pageable" : "pinned or none") }, number("copies", (c) => c.count, grouped),
		time("ms in all", (c) => c.total_ns, 1), number("bytes", (c) => c.bytes, bytes),
		number("GB/s", (c) => (c.sized_ns ? c.bytes / c.sized_ns : null), (v) => (v === null ? "" : fixed(v, 2)))] });
}

const titles = { line: "Lines of the program", stack: "Call stacks", module: "Modules", op: "Operators", range: "Ranges" };

// The text of a line, where its file could be read. `name` begins with FILE:LINE.
function sourceOf(source) {
	const texts = new Map((source?.lines ?? []).map((l) => [`${l.file}:${l.line}`, l]));
	return (s) => texts.get(s.name.match(/^.*?\.py:\d+/)?.[0]);
}

function sites(found, source) {
	const text = sourceOf(source), some = found.by === "line" && found.rows.some(text);
	const by = found.steps || 1, nccl = found.rows.some((s) => s.busy_ns.nccl > 0);
	return table({ caption: `${titles[found.by]}: what they launch, mean of the GPUs per step`, rows: found.rows, sort: some ? 2 : 1, shown: 12, columns: [
		{ label: found.by, kind: "name", value: (s) => (s.kind === "rest" && s.rows ? `${grouped(s.rows)} smaller rows` : s.name) + (s.backward && found.by === "line" ? " (backward)" : "") },
		some && { label: "text of the line", kind: "name", value: (s) => text(s)?.text ?? "", text: (v, s) => (v ? v + (text(s).changed ? "  (the file was changed after the recording)" : "") : "not readable") },
		time("GPU ms", (s) => s.gpu_ns, by), nccl && time("of it NCCL", (s) => s.busy_ns.nccl, by), number("launches", (s) => s.launches, (v) => fixed(v / by, 1)),
		time("call ms", (s) => s.launch_ns, by), time("starved: CPU ms", (s) => s.starved_ns.cpu, by), time("starved: host ms", (s) => s.starved_ns.host, by)].filter(Boolean) });
}

function flames(found) {
	const weights = { "GPU time": (s) => s.gpu_ns, launches: (s) => s.launches, "GPU idle before": (s) => s.starved_ns.cpu + s.starved_ns.host };
	const sides = { all: () => true, forward: (s) => !isBackward(s), backward: isBackward };
	const state = { weight: "GPU time", side: "all" };
	const box = h("div");
	function draw() {
		const of = state.weight, by = found.steps || 1;
		const rows = found.rows.filter((s) => s.kind !== "rest").filter(sides[state.side]).map((s) => ({ name: s.name || "[no stack]", weight: weights[of](s) }));
		const root = buildTree(rows, "all");
		const text = (v) => (of === "launches" ? `${fixed(v / by, 1)} launches per step` : `${ms(v / by)} ms per step`);
		box.replaceChildren(root.total ? flame(root, text, `Flame graph: ${of}, ${state.side} stacks`) : h("p", { class: "note" }, `No ${state.side} stack has any.`));
	}
	const choice = (name, all) => h("div", { class: "choice", role: "group", "aria-label": name }, Object.keys(all).map((label) => h("button", { type: "button",
		"aria-pressed": String(state[name] === label), onclick: (event) => {
			state[name] = label;
			for (const b of event.currentTarget.parentNode.children) b.setAttribute("aria-pressed", String(b === event.currentTarget));
			draw();
		} }, label)));
	draw();
	return h("section", { class: "block" }, h("h3", { id: "flame" }, "Flame graph of call stacks"), h("div", { class: "choices" }, choice("weight", weights), choice("side", sides)), box);
}
const isBackward = (s) => s.backward || s.name.includes("[backward]");

function devices(docs) {
	const { report, tree } = docs;
	const heads = tree.rows.filter((row) => row.level === "head");
	const sum = (d, leaves) => leaves.reduce((all, leaf) => all + (d.time_ns[leaf] ?? 0), 0);
	const per = (d) => Math.max(1, d.steps);
	const sorted = [...report.devices].sort((a, b) => (a.ranks[0] ?? 1e9) - (b.ranks[0] ?? 1e9));
	const longest = Math.max(most(sorted.map((d) => d.window_ns / per(d))), 1);
	const perStep = (label, value) => ({ label, kind: "number", value: (d) => value(d) / per(d), exact: value, text: (v) => ms(v), title: (d) => exactNs(value(d)) + " in all" });
	const bars = h("div", { class: "bars" });
	const fill = (n) => bars.replaceChildren(...sorted.slice(0, n).map((d) => {
		const time = Object.fromEntries(Object.entries(d.time_ns).map(([leaf, ns]) => [leaf, ns / per(d)]));
		return h("div", { class: "barline" }, h("span", { class: "barlabel" }, d.ranks.length && d.ranks[0] >= 0 ? `rank ${d.ranks.join(", ")}` : d.device), stack(tree, time, longest, d.device), h("span", { class: "barnumber" }, `${ms(d.window_ns / per(d))} ms`));
	}), sorted.length > n ? h("button", { type: "button", onclick: () => fill(n + 100) }, `Show ${Math.min(100, sorted.length - n)} more of ${sorted.length}`) : "");
	fill(16);
	return [key(tree, sorted.map((d) => d.time_ns)), bars, table({ caption: "Devices, ms per step", rows: sorted, sort: 1, up: true, shown: 8, columns: [
		{ label: "device", kind: "text", value: (d) => d.device }, { label: "rank", kind: "number", value: (d) => d.ranks[0] ?? null, text: (v) => (v === null ? "" : v) },
		perStep("step", (d) => d.window_ns), ...heads.filter((head) => sorted.some((d) => sum(d, head.leaves) > 0)).map((head) => perStep(head.label, (d) => sum(d, head.leaves)))] })];
}

function gaps(docs) {
	const rows = docs.report.gaps;
	if (!rows) return null;
	return h("section", { class: "block" }, h("h3", {}, "Worst gaps"), table({ caption: "Idle time of a GPU, longest first", rows, sort: 3, shown: 20, columns: [
		{ label: "device", kind: "text", value: (g) => g.device }, number("step", (g) => g.step_number ?? g.step, grouped), number("at ms", (g) => g.since_first_op_ns, (v) => ms(v)),
		{ ...number("ms", (g) => g.end_ns - g.begin_ns, (v) => ms(v, 3)) }, { label: "the CPU was in", kind: "name", value: (g) => g.doing || g.line }, { label: "line", kind: "name", value: (g) => g.line },
		{ label: "then came", kind: "name", value: (g) => g.next_op }] }));
}

// What the GPUs showed, as strips under the steps: unit, digits, and how much of it is one.
const gauges = { sm_mhz: ["SM clock, MHz", 0, 1], power_mw: ["Power, W", 0, 1e3], temperature_c: ["Temperature, °C", 0, 1], memory_used_bytes: ["Memory in use, GB", 2, 1e9], slowed: ["Slowed down, % of samples", 0, 10] };

function strips(docs, n) {
	const found = docs.gauges, x = Array.from({ length: n }, (_, i) => i * found.width);
	if (!found.with_readings) return null;
	const cell = (list) => x.map((_, i) => list[i] ?? null), few = (list) => list.filter((v) => v !== null).length <= 60;
	return [h("h3", {}, "GPU readings in these steps"), h("p", { class: "note" }, `Means of the samples in each step, of ${plural(found.with_readings, "GPU")}: least, mean and most. `,
		found.reasons.length ? `What slowed a GPU down: ${found.reasons.join(", ")}. ` : "", "A step without a sample has no point."),
		found.gauges.map((g) => {
			const [title, digits, one] = gauges[g.name], value = (list) => cell(list).map((v) => (v === null ? null : v / one)), low = g.least.indexOf(least(g.least.filter((v) => v !== null))), high = g.most.indexOf(most(g.most.filter((v) => v !== null)));
			const ends = `lowest ${fixed(g.least[low] / one, digits)} on ${found.devices[g.least_device[low]]} in step ${x[low]}, highest ${fixed(g.most[high] / one, digits)} on ${found.devices[g.most_device[high]]} in step ${x[high]}`;
			return h("figure", { class: "strip", "data-gauge": g.name }, h("figcaption", {}, title, h("small", {}, ` ${ends}`)), lines({ x, height: 130, xLabel: "step", text: (v) => fixed(v, digits), label: `${title}: ${ends}`, bands: [[1, 3]], series: [
				{ label: "most", values: value(g.most), colour: "loss", width: 1.5, points: few(g.most) }, { label: "mean", values: value(g.mean), colour: "ink", points: few(g.mean) }, { label: "least", values: value(g.least), colour: "gain", width: 1.5, points: few(g.least) }] }));
		})];
}

export function stepsView(docs) {
	const { steps, report } = docs;
	const n = steps.mean_ns.length;
	if (!n) return null;
	const x = steps.mean_ns.map((_, i) => i * steps.width);
	const device = (i) => report.devices[steps.most_device[i]]?.device ?? "";
	const worst = steps.most_ns.indexOf(most(steps.most_ns));
	const named = Object.entries(steps.leaves_ns).filter(([, values]) => values.some((v) => v > 0))
		.sort((a, b) => b[1].reduce((s, v) => s + v, 0) - a[1].reduce((s, v) => s + v, 0)).slice(0, 4);
	const palette = ["comm", "host", "cpu", "gpu"];
	const names = Object.fromEntries(docs.tree.rows.filter((r) => r.leaves.length === 1).map((r) => [r.leaves[0], r.label]));
	return [
		h("p", {}, steps.width > 1 ? `Each point is the mean of ${steps.width} steps. ` : "", `The longest step is number ${x[worst]}: ${ms(steps.most_ns[worst])} ms on ${device(worst)}.`),
		h("figure", {}, h("figcaption", {}, "Milliseconds of each step: shortest, mean and longest of the GPUs"), lines({ x, xLabel: "step", text: (v) => fixed(v, 2), label: `Milliseconds of ${n} steps, from ${ms(least(steps.least_ns))} to ${ms(most(steps.most_ns))}`,
			bands: [[1, 3]], series: [{ label: "longest", values: steps.most_ns.map((v) => v / 1e6), colour: "loss", width: 1.5 }, { label: "mean", values: steps.mean_ns.map((v) => v / 1e6), colour: "ink" },
				{ label: "shortest", values: steps.least_ns.map((v) => v / 1e6), colour: "gain", width: 1.5 }] })),
		named.length > 0 && h("figure", {}, h("figcaption", {}, "The largest losses in each step, mean of the GPUs, ms"), lines({ x, xLabel: "step", text: (v) => fixed(v, 2), label: `Losses of each step: ${named.map(([leaf]) => names[leaf] ?? leaf).join(", ")}`,
			series: named.map(([leaf, values], i) => ({ label: names[leaf] ?? leaf, values: values.map((v) => v / 1e6), colour: palette[i], dash: i ? [[8, 4], [3, 3], [10, 3, 2, 3]][i - 1] : undefined })) })),
		strips(docs, n),
	];
}

export function whereView(docs) {
	const by = divisor(docs.report);
	const tables = docs.tables.tables.map((t) => t.by).filter(Boolean), lacks = docs.tables.tables.map((t) => t.lack).filter(Boolean);
	const stacks = tables.find((t) => t.by === "stack");
	const block = (title, ...children) => append(h("section", { class: "block" }, h("h3", {}, title)), children);
	return [
		block("Kernels", kernels(docs, by)),
		tables.filter((t) => t.by !== "stack").map((t) => block(titles[t.by], sites(t, docs.source), t.by === "line" && docs.source.lines.length > 0 && h("p", { class: "note" }, "The text of a line is that of its file when this page was made. ", h("code", {}, "--no-source"), " leaves it out."))),
		stacks && flames(stacks), stacks && block(titles.stack, sites(stacks)),
		docs.report.nccl.length > 0 && block("Collectives", collectives(docs, by)),
		docs.report.copies.length > 0 && block("Copies", copies(docs, by)),
		gaps(docs),
		block("GPUs", devices(docs)),
		lacks.length > 0 && h("details", {}, h("summary", {}, "What this run does not know"), h("ul", {}, [...new Set(lacks)].map((lack) => h("li", {}, lack)))),
	];
}
