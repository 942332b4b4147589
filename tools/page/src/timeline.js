// A timeline on a canvas: lanes of bars over one axis of time, and a line below that says what is chosen, in exact nanoseconds. Bars that
// belong together are joined by a line; bars are found by words in their names.
// Mouse: a click chooses, a drag moves, the wheel with Ctrl zooms. Touch: one finger moves, two zoom. Keys: see HELP.
import { append, colour, drawn, h, newId } from "./dom.js";
import { exactNs, plural, span } from "./format.js";

const TOP = 22, LABEL = 13, GAP = 3, RIGHT = 6, CLOSEST = 200;
export const HELP = "Arrow keys walk from bar to bar and from lane to lane, + and - zoom, Page Up and Page Down move, Enter shows the chosen bar in full width, Escape shows the whole step, L goes from a kernel to the call that launched it and back.";
const ticksOf = (width) => {
	const raw = width / 6, ten = 10 ** Math.floor(Math.log10(raw));
	return ten * [1, 2, 5, 10].find((m) => m * ten >= raw);
};
const toneNames = ["work", "custom", "memory", "other", "comm", "wait", "gpu", "cpu", "host", "tool", "unknown", "range", "inner", "line"];
// Dark words on light colours, light ones on dark.
const wordsOn = (rgb) => {
	const [r, g, b] = rgb.match(/[\d.]+/g).map(Number);
	return 0.299 * r + 0.587 * g + 0.114 * b > 125 ? "#10151b" : "#ffffff";
};

// The first bar that ends after `ns`, of bars in order of start; bars of a lane do not overlap.
function firstAfter(lane, ns) {
	let low = 0, high = lane.start.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (lane.start[middle] + lane.dur[middle] <= ns) low = middle + 1;
		else high = middle;
	}
	return low;
}

// given: {lanes: [{label, height, start: [], dur: [], tone(i), text(i), name(i), waits(i)}], from, to, label, start, more, links(lane, i), find}
//   tone(i): the name of a colour, and whether it is hatched: ["host", true]; waits(i): ns of its begin that have the colour of waiting
//   links(lane, i): the bars that it is joined with, as [lane, i]; find: what is looked through, in words
export function timeline(given) {
	const canvas = h("canvas", { tabindex: "0", role: "application", "aria-label": `${given.label}. ${HELP}` });
	const said = h("p", { class: "readout", role: "status" }, given.start);
	const box = h("div", { class: "timeline" }, canvas, said);
	const state = { from: given.from, to: given.to, lane: -1, at: -1, left: 60, width: 600, lanes: given.lanes, over: null, hits: [], hit: -1 };
	const whole = () => [given.from, given.to];
	let tones = {}, waiting = 0;

	const x = (ns) => state.left + ((ns - state.from) / (state.to - state.from)) * (state.width - state.left - RIGHT);
	const ns = (px) => state.from + ((px - state.left) / (state.width - state.left - RIGHT)) * (state.to - state.from);

	function place() {
		let top = TOP;
		for (const lane of state.lanes) {
			lane.top = top;
			top += lane.height + (lane.height > 8 ? GAP : lane.height > 4 ? 1 : 0);
		}
		return top + 4;
	}
	function draw() {
		const scale = window.devicePixelRatio || 1, height = place();
		state.width = Math.max(260, box.clientWidth || 600);
		tones = Object.fromEntries(toneNames.map((name) => [name, colour(name)]));
		tones.ink = colour("ink");
		tones.soft = colour("ink-soft");
		tones.paper = colour("paper");
		Object.assign(canvas.style, { width: `${state.width}px`, height: `${height}px` });
		canvas.width = state.width * scale;
		canvas.height = height * scale;
		const ctx = canvas.getContext("2d");
		ctx.scale(scale, scale);
		ctx.font = "12px system-ui, sans-serif";
		state.left = Math.min(state.width < 500 ? 104 : 190, 12 + Math.max(20, ...state.lanes.map((lane) => ctx.measureText(lane.label ?? "").width)));
		paint();
	}
	function paint() {
		waiting = 0;
		const ctx = canvas.getContext("2d"), height = canvas.height / (window.devicePixelRatio || 1);
		ctx.clearRect(0, 0, state.width, height);
		axis(ctx, height);
		state.lanes.forEach((lane, i) => bars(ctx, lane, i));
		for (const [lane, i] of state.hits) mark(ctx, lane, i);
		const at = state.over ?? [state.lanes[state.lane], state.at];
		if (at[0]) for (const to of linksOf(...at)) join(ctx, at, to);
		ctx.fillStyle = tones.paper;
		ctx.fillRect(0, 0, state.left - 2, height);
		ctx.fillStyle = tones.ink;
		ctx.textAlign = "right";
		ctx.textBaseline = "middle";
		let free = 0;
		for (const lane of state.lanes) {
			if (!lane.label || lane.top + lane.height / 2 < free) continue;
			ctx.fillText(fit(ctx, lane.label, state.left - 10), state.left - 8, lane.top + lane.height / 2);
			free = lane.top + lane.height / 2 + LABEL;
		}
	}
	// The end says which stream, thread or GPU it is.
	function fit(ctx, text, width) {
		let cut = ctx.measureText(text).width > width ? text.replace(/^thread (?=\d)/, "") : text;
		while (cut.length > 2 && ctx.measureText(cut).width > width) cut = `…${cut.slice(2)}`;
		return cut;
	}
	function axis(ctx, height) {
		const every = ticksOf(state.to - state.from), unit = every >= 1e6 ? [1e6, "ms"] : every >= 1e3 ? [1e3, "us"] : [1, "ns"];
		ctx.textBaseline = "top";
		ctx.textAlign = "center";
		for (let at = Math.ceil(state.from / every) * every; at <= state.to; at += every) {
			ctx.fillStyle = tones.line;
			ctx.fillRect(Math.round(x(at)), TOP - 5, 1, height - TOP);
			ctx.fillStyle = tones.soft;
			const text = `${+(at / unit[0]).toFixed(3)} ${unit[1]}`, half = ctx.measureText(text).width / 2;
			if (x(at) - half > state.left && x(at) + half < state.width) ctx.fillText(text, x(at), 3);
		}
	}
	// Bars that are narrower than a pixel and have one colour are drawn once.
	function bars(ctx, lane, laneAt) {
		let drawnTo = -1, drawnTone = "";
		for (let i = firstAfter(lane, state.from); i < lane.start.length && lane.start[i] < state.to; i++) {
			const [tone, hatched] = lane.tone(i), left = Math.max(state.left, x(lane.start[i])), right = Math.min(state.width - RIGHT, x(lane.start[i] + lane.dur[i]));
			const chosen = laneAt === state.lane && i === state.at;
			if (!chosen && right - left < 1 && right <= drawnTo && tone === drawnTone) continue;
			const width = Math.max(right - left - (right - left > 4 ? 1 : 0), 1);
			ctx.fillStyle = tones[tone];
			ctx.fillRect(left, lane.top, width, lane.height);
			const waited = lane.waits?.(i) ?? 0, until = waited ? Math.min(left + width, x(lane.start[i] + waited)) : left;
			if (until > left) {
				ctx.fillStyle = tones.wait;
				ctx.fillRect(left, lane.top, until - left, lane.height);
			}
			drawnTo = Math.max(drawnTo, left + width);
			drawnTone = tone;
			if (hatched && width > 5) hatch(ctx, left, lane.top, width, lane.height);
			if (width > 40 && lane.height > 11) words(ctx, lane.name(i), wordsOn(tones[until - left > 12 ? "wait" : tone]), [left, lane.top, width, lane.height]);
			if (chosen) {
				ctx.strokeStyle = tones.ink;
				ctx.lineWidth = 2;
				ctx.strokeRect(left, lane.top - 1, Math.max(width, 3), lane.height + 2);
			}
		}
	}
	const linksOf = (lane, i) => given.links?.(lane, i) ?? [];
	const middleOf = (lane) => lane.top + lane.height / 2;
	// Below a bar that was found, wide enough to be seen.
	function mark(ctx, lane, i) {
		const left = x(lane.start[i]), right = x(lane.start[i] + lane.dur[i]);
		if (right < state.left || left > state.width - RIGHT) return;
		ctx.fillStyle = tones.ink;
		ctx.fillRect(Math.max(state.left, left), lane.top + lane.height - 3, Math.max(3, Math.min(state.width - RIGHT, right) - Math.max(state.left, left)), 3);
	}
	// From the begin of what comes first to the begin of the other, which gets a frame.
	function join(ctx, from, to) {
		const [lane, i] = to, left = x(lane.start[i]), inside = (px) => Math.max(state.left, Math.min(state.width - RIGHT, px));
		ctx.strokeStyle = tones.ink;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		ctx.moveTo(inside(x(from[0].start[from[1]])), middleOf(from[0]));
		ctx.lineTo(inside(left), middleOf(lane));
		ctx.stroke();
		if (left < state.left || left > state.width - RIGHT) return;
		ctx.setLineDash([3, 2]);
		ctx.strokeRect(left, lane.top - 1, Math.max(3, Math.min(x(lane.start[i] + lane.dur[i]), state.width - RIGHT) - left), lane.height + 2);
		ctx.setLineDash([]);
	}
	function hatch(ctx, left, top, width, height) {
		ctx.save();
		ctx.beginPath();
		ctx.rect(left, top, width, height);
		ctx.clip();
		ctx.strokeStyle = tones.paper;
		ctx.globalAlpha = 0.5;
		for (let at = left - height; at < left + width; at += 6) {
			ctx.moveTo(at, top + height);
			ctx.lineTo(at + height, top);
		}
		ctx.stroke();
		ctx.restore();
	}
	function words(ctx, name, ink, [left, top, width, height]) {
		ctx.save();
		ctx.beginPath();
		ctx.rect(left, top, width - 2, height);
		ctx.clip();
		ctx.fillStyle = ink;
		ctx.textAlign = "left";
		ctx.textBaseline = "middle";
		ctx.font = "11px system-ui, sans-serif";
		ctx.fillText(name.slice(0, Math.ceil(width / 4)), left + 3, top + height / 2 + 0.5);
		ctx.restore();
	}
	const later = () => (waiting ||= requestAnimationFrame(paint));

	// What can be seen is never wider than all that there is, and never narrower than CLOSEST.
	function show(from, to) {
		const [least, most] = given.limits(), width = Math.max(CLOSEST, Math.min(most - least, to - from)), middle = (from + to) / 2;
		state.from = Math.max(least, Math.min(most - width, middle - width / 2));
		state.to = state.from + width;
		canvas.dataset.from = Math.round(state.from);
		canvas.dataset.to = Math.round(state.to);
		later();
	}
	const zoom = (factor, at = (state.from + state.to) / 2) => show(at - (at - state.from) * factor, at + (state.to - at) * factor);
	const move = (share) => show(state.from + share * (state.to - state.from), state.to + share * (state.to - state.from));

	function choose(laneAt, at, reveal = true) {
		const lane = state.lanes[laneAt];
		if (!lane || !lane.start.length) return;
		state.lane = laneAt;
		state.at = Math.max(0, Math.min(lane.start.length - 1, at));
		const from = lane.start[state.at], to = from + lane.dur[state.at], width = state.to - state.from;
		said.textContent = `${lane.full ?? lane.label}: ${lane.text(state.at)}: ${span(lane.dur[state.at])} (${exactNs(lane.dur[state.at])}), begins at ${exactNs(from)}`;
		for (const [other, i] of linksOf(lane, state.at).slice(0, 3)) said.textContent += `; joined with ${other.name(i)}, which begins ${span(Math.abs(other.start[i] - from))} ${other.start[i] < from ? "before" : "after"}`;
		if (reveal && (to < state.from || from > state.to)) show((from + to - width) / 2, (from + to + width) / 2);
		given.chosen?.(lane, state.at);
		later();
	}
	function walk(lanes, bars) {
		if (state.lane < 0) return choose(state.lanes.findIndex((lane) => lane.start.length), 0);
		if (bars) return choose(state.lane, state.at + bars);
		const lane = state.lanes[state.lane], middle = lane.start[state.at] + lane.dur[state.at] / 2;
		let next = state.lane + lanes;
		while (state.lanes[next] && !state.lanes[next].start.length) next += lanes;
		if (state.lanes[next]) choose(next, Math.min(firstAfter(state.lanes[next], middle), state.lanes[next].start.length - 1));
	}
	function follow() {
		const [to] = state.lanes[state.lane] ? linksOf(state.lanes[state.lane], state.at) : [];
		if (to) choose(state.lanes.indexOf(to[0]), to[1]);
	}
	function find(words) {
		const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
		state.hits = !wanted.length ? [] : state.lanes.flatMap((lane) => lane.start.flatMap((_, i) => {
			const name = lane.name(i).toLowerCase();
			return wanted.every((word) => name.includes(word)) ? [[lane, i]] : [];
		})).sort(([a, i], [b, k]) => a.start[i] - b.start[k]);
		state.hit = -1;
		found.textContent = wanted.length ? plural(state.hits.length, "bar") : "";
		later();
	}
	function goTo(step) {
		if (!state.hits.length) return;
		state.hit = state.hit < 0 && step < 0 ? state.hits.length - 1 : (state.hit + step + state.hits.length) % state.hits.length;
		const [lane, i] = state.hits[state.hit];
		found.textContent = `${state.hit + 1} of ${plural(state.hits.length, "bar")}`;
		choose(state.lanes.indexOf(lane), i);
	}
	function whatIsAt(event) {
		const lane = state.lanes.findIndex((l) => event.offsetY >= l.top - 1 && event.offsetY < l.top + l.height + 2);
		if (lane < 0) return null;
		// A narrow bar is met within three pixels.
		const near = (3 / (state.width - state.left)) * (state.to - state.from), at = ns(event.offsetX), l = state.lanes[lane];
		const i = firstAfter(l, at - near);
		return i < l.start.length && l.start[i] <= at + near ? [lane, i] : [lane, -1];
	}

	const pointers = new Map();
	let moved = false, pinch = 0;
	canvas.addEventListener("pointerdown", (event) => {
		pointers.set(event.pointerId, event.offsetX);
		canvas.setPointerCapture(event.pointerId);
		moved = false;
		pinch = 0;
	});
	canvas.addEventListener("pointermove", (event) => {
		const before = pointers.get(event.pointerId);
		if (before === undefined) {
			const found = event.pointerType === "mouse" && whatIsAt(event);
			const over = found && found[1] >= 0 ? [state.lanes[found[0]], found[1]] : null;
			canvas.title = over ? over[0].text(over[1]) : "";
			if (given.links && (over?.[0] !== state.over?.[0] || over?.[1] !== state.over?.[1])) {
				state.over = over;
				later();
			}
			return;
		}
		const wide = state.width - state.left;
		if (pointers.size === 1 && (moved || Math.abs(event.offsetX - before) > 3)) {
			moved = true;
			move((before - event.offsetX) / wide);
			pointers.set(event.pointerId, event.offsetX);
		} else if (pointers.size === 2) {
			pointers.set(event.pointerId, event.offsetX);
			const [a, b] = [...pointers.values()], apart = Math.max(8, Math.abs(a - b));
			if (pinch) zoom(pinch / apart, ns((a + b) / 2));
			pinch = apart;
			moved = true;
		}
	});
	canvas.addEventListener("pointerleave", () => {
		if (state.over) later();
		state.over = null;
	});
	const up = (event) => {
		const had = pointers.delete(event.pointerId), found = whatIsAt(event);
		if (had && !moved && event.type === "pointerup" && found) {
			if (found[1] >= 0) choose(...found, false);
			else given.laneChosen?.(state.lanes[found[0]]);
		}
	};
	canvas.addEventListener("pointerup", up);
	canvas.addEventListener("pointercancel", up);
	canvas.addEventListener("dblclick", (event) => zoom(0.25, ns(event.offsetX)));
	canvas.addEventListener("wheel", (event) => {
		if (event.ctrlKey || event.metaKey) zoom(2 ** (event.deltaY / 200), ns(event.offsetX));
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move((event.deltaX || event.deltaY) / (state.width - state.left));
		else return;
		event.preventDefault();
	}, { passive: false });
	const reset = () => show(...whole());
	const keys = {
		ArrowLeft: () => walk(0, -1), ArrowRight: () => walk(0, 1), ArrowUp: () => walk(-1, 0), ArrowDown: () => walk(1, 0),
		"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), PageUp: () => move(-0.5), PageDown: () => move(0.5), Home: () => choose(state.lane, 0), l: follow, L: follow,
		End: () => choose(state.lane, Infinity), Escape: reset,
		Enter: () => {
			const lane = state.lanes[state.lane];
			if (lane) show(lane.start[state.at] - 0.1 * lane.dur[state.at], lane.start[state.at] + 1.1 * lane.dur[state.at]);
		},
	};
	canvas.addEventListener("keydown", (event) => {
		if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
		keys[event.key]();
		event.preventDefault();
	});
	const button = (text, label, act) => h("button", { type: "button", "aria-label": label, onclick: act }, text);
	const tools = h("div", { class: "tools", role: "group", "aria-label": "Zoom and move" }, button("+", "Zoom in", () => zoom(0.5)), button("−", "Zoom out", () => zoom(2)),
		button("◀", "Move to earlier", () => move(-0.5)), button("▶", "Move to later", () => move(0.5)), button("Whole step", "Show the whole step", reset));
	const found = h("span", { class: "count", role: "status" }), id = newId("find");
	if (given.find) append(tools, [h("span", { class: "finder" }, h("label", { for: id }, "Find"), h("input", { id, type: "search", autocomplete: "off", spellcheck: "false", "aria-description": given.find,
		oninput: (event) => find(event.target.value), onkeydown: (event) => {
			if (event.key === "Enter") goTo(event.shiftKey ? -1 : 1);
		} }), button("▲", "To the hit before", () => goTo(-1)), button("▼", "To the next hit", () => goTo(1)), found)]);
	box.prepend(tools);
	drawn(() => box.isConnected && draw());
	return { box, show, tools, lanes(lanes) { // other lanes over the same time
		state.lanes = lanes;
		state.lane = state.at = -1;
		state.over = null;
		if (given.find) find(tools.querySelector("input").value);
		if (box.isConnected) draw();
	}, choose };
}
