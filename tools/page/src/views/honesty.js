// What the numbers rest on: what was lost, cut or could not be known, and the commands behind them.
import { h } from "../dom.js";
import { exactNs, fixed, grouped, percent, plural, span } from "../format.js";

const count = (v) => grouped(v), time = (v) => span(v);
// What each number of `quality` says, how it reads, and whether more than 0 of it is a loss.
const meanings = {
	records: ["rows that were read", count], ops: ["operations on the GPUs: kernels, copies, memsets", count],
	dropped: ["records that the recorder had no room for", count, true], in_flight: ["GPU records that a kill took away inside CUPTI", count, true],
	unmatched_ops: ["operations without a launch record", count, true], invalid_timestamps: ["gaps whose work begins before its launch does", count, true],
	invalid_events: ["events of the source that the import refused", count, true], truncated_files: ["damaged files, whose good blocks are used", count, true],
	unreadable_files: ["files of which nothing could be read", count, true], clock_residual_ns: ["error between the clocks of hosts, once aligned", time],
	clock_jumps: ["jumps of hosts' clocks within the run", count], clocks_apart: ["hosts whose clocks cannot be aligned (no number here needs that)", count],
	unrecorded_ns: ["time in which nothing was recorded, all devices", time, true], unsampled_ns: ["silent host time that the sampler missed", time, true],
	hand_offs: ["gaps that one thread left to another", count], step_noise_ns: ["how much steps differ by themselves", time], steps_cut: ["warm-up and partial steps that are not counted", count],
	rounded_quantiles: ["distributions whose percentiles are within 0.1 %", count], gpu_clocks_moved: ["processes whose GPU clock ran early, moved by the import", count],
	gpu_clock_shift_ns: ["by how much at most", time], gpu_clock_early_ns: ["by how much GPU work still starts before its launch", time, true],
	kept_ns: ["length of the last part that was kept", time], before_ns: ["length of the part that was not kept", time], before_launches: ["launches in the part that was not kept", count],
	before_kernels: ["kernels in the part that was not kept", count], tool_ns_per_launch: ["baton's own time of a launch, in ns, without stacks and CUPTI", count],
	stretches: ["stretches of time that were added up", count], stretches_missing_ns: ["time between these stretches that is in none", time, true],
	stretches_from_ns: ["when the first of them begins, ns on the clock of the traces", count], stretches_to_ns: ["when the last of them ends", count],
	recorder_limited: ["recorders that a limit left less than they want (1: some)", count, true],
};

// A narrow window breaks a key between its words only.
const breakable = (key) => key.split("_").flatMap((word, i) => (i ? ["_", h("wbr"), word] : [word]));

function qualityTable(quality) {
	// Only a summary of stretches of time has those numbers.
	const rows = Object.entries(quality).filter(([key]) => !["missing_ranks", "not_carried"].includes(key) && (quality.stretches || !key.startsWith("stretches")));
	return h("table", { class: "quality" }, h("caption", {}, "Counts, as baton report --json has them under quality"),
		h("thead", {}, h("tr", {}, ["", "Number", "What it is", "Key"].map((label, i) => h("th", { scope: "col", class: i === 1 ? "number" : "" }, label)))),
		h("tbody", {}, rows.map(([key, value]) => {
			const [words, text, loss] = meanings[key] ?? [key, String];
			const bad = loss && value > 0;
			return h("tr", { class: bad ? "bad" : "" }, h("td", {}, loss ? (bad ? h("span", { class: "flag bad" }, "! lost") : h("span", { class: "flag" }, "ok")) : ""),
				h("td", { class: "number", "data-value": value ?? "null" }, value === null ? "not known" : text(value)), h("td", {}, words), h("td", {}, h("code", {}, breakable(key))));
		})));
}

// A word as a shell takes it.
const word = (text) => (/^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const commands = (list) => h("ul", { class: "commands" }, list.map(([command, what]) => h("li", {}, h("code", {}, command), ` ${what}`)));

function stepsFound(run, figures) {
	if (!figures.has_steps) return "No steps were found: all numbers are for the whole run.";
	const alike = run.step_confidence === null ? "" : `, with a confidence of ${fixed(run.step_confidence, 2)}`;
	const inside = run.step_ops_inside === null ? "" : `; ${percent(run.step_ops_inside, 1)} of the GPU operations lie in them`;
	return `${plural(run.steps, "step")} counted, found by ${run.step_source.replaceAll("_", " ")}${alike}${inside}.`;
}

export function reportHonesty(docs) {
	const { report } = docs, q = report.quality, run = report.run, dirs = run.dirs.map(word).join(" ");
	const notCarried = Object.entries(q.not_carried);
	return [
		h("p", {}, `Recorded by ${run.source} (${run.mode}). ${stepsFound(run, docs.figures)}`),
		run.step_unit && h("p", {}, `${run.step_unit}.`), run.generations > 1 && h("p", {}, `The job was restarted: generation ${run.generation} of ${run.generations} is counted.`),
		q.missing_ranks.length > 0 && h("p", { class: "flag bad" }, `Ranks without a file: ${q.missing_ranks.join(", ")}`),
		qualityTable(q),
		notCarried.length > 0 && h("details", {}, h("summary", {}, `${plural(notCarried.length, "part")} of the step that this source cannot show`), h("ul", {}, notCarried.map(([leaf, devices]) => h("li", {}, h("code", {}, leaf), ` on ${plural(devices.length, "device")}`)))),
		h("p", { class: "note" }, "No table is cut: \"Show more\" goes on to the last row. ", docs.steps.width > 1 ? `The lines over the steps have a point for ${docs.steps.width} steps.` : ""),
		h("h3", {}, "The same numbers in a terminal"),
		commands([[`baton report ${dirs} --json`, "every number of this page but the charts over the steps, the timeline of a step and the text of lines"], [`baton report ${dirs} --gaps 20 --html FILE`, "this page with the worst gaps"], [`baton jitter ${dirs} --html FILE`, "ranks compared kernel by kernel"], [`baton check ${dirs}`, "are the files whole?"]]),
	];
}

export function compareHonesty(docs) {
	const { compare } = docs, dirs = compare.runs.map((run) => word(run.dir)).join(" ");
	const repeats = compare.runs.filter((run) => run.repeats > 1);
	return [
		h("p", {}, `Compared as ${compare.scaling} scaling${compare.scaling_sure ? "" : ", which the work per GPU does not confirm"}. ± is noise: 99 % of what other steps of the same runs would give.`),
		repeats.map((run) => h("p", {}, `${run.dir} is the mean of ${run.repeats} runs, which differ by ${exactNs(run.repeats_spread_ns)}.`)),
		compare.bridge.map((b) => h("p", {}, `${b.dir}: the terms leave a residual of ${exactNs(b.residual_ns)}. ${b.noise ? "" : "Its noise is not known. "}Kernels that both runs have: ${fixed(100 * (b.kernels.shared ?? 0), 1)} % of the time.`)),
		h("h3", {}, "The same numbers in a terminal"),
		commands([[`baton compare ${dirs} --json`, "every number but those of single ranks"], ...compare.runs.map((run) => [`baton report ${word(run.dir)} --html FILE`, "the page of one run"])]),
	];
}

export function jitterHonesty(docs) {
	const { jitter, grid } = docs, sum = (key) => jitter.ranks.reduce((all, r) => all + r[key], 0);
	return [
		h("p", {}, `${jitter.steps_by_period ? "Some device's steps were found by periodicity. " : ""}${jitter.steps_numbered ? "Ranks are compared by the numbers of their steps." : "Ranks are compared by the places of their steps."} ${jitter.closed ? "A collective closes the steps, so no common clock is needed." : "No collective closes the steps: the gap before a step is not known."}`),
		grid.width > 1 && h("p", {}, `A cell of the heat map of steps is the mean of ${grid.width} of them, to keep this file small.`),
		h("table", { class: "quality" }, h("caption", {}, "What was left out"), h("tbody", {}, [["steps_left_out", "steps with too few kernels that have a counterpart"], ["steps_that_differ", "steps with other kernels than the sequence"],
			["kernels_extra", "kernels without a counterpart"], ["kernels_missing", "positions without a kernel"], ["kernels_too_late", "kernels that ran when four later steps had begun"]].map(([key, words]) =>
			h("tr", {}, h("td", { class: "number", "data-value": sum(key) }, grouped(sum(key))), h("td", {}, words), h("td", {}, h("code", {}, `ranks[].${key}`)))))),
		jitter.notes.map((note) => h("p", { class: "note" }, note)),
		h("h3", {}, "The same numbers in a terminal"),
		commands([[`baton jitter ${word(jitter.dir)} --json`, "every number but the cells of the heat maps and the plots"], [`baton jitter ${word(jitter.dir)} --csv DIR`, "the heat map of kernels and the plots: kernel by kernel and rank by rank"]]),
	];
}
