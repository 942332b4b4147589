// Line charts by uPlot, with a description for those who cannot see them.
import uPlot from "uplot";
import { colour, drawn, h } from "./dom.js";

// given: {x: [], series: [{label, values, colour, dash, points, width, band}], label, height, xLabel, yLabel, xTicks, text}
export function lines(given) {
	const box = h("div", { class: "chart", role: "img", "aria-label": given.label });
	drawn(() => draw(box, given), box);
	return box;
}

// Steps have no halves.
const whole = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

// A piece of the line as it is drawn: colour alone does not tell lines apart.
function stroke(ink, dash) {
	let at = 0;
	return `repeating-linear-gradient(90deg, ${dash.map((length, i) => `${i % 2 ? "transparent" : ink} ${at}px ${(at += length)}px`).join(", ")})`;
}

function draw(box, given) {
	const width = Math.max(260, box.clientWidth || 600);
	const ink = colour("ink-soft"), grid = colour("line");
	const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "12px system-ui, sans-serif",
		labelFont: "12px system-ui, sans-serif", labelSize: 18 };
	const ticks = given.xTicks && { splits: () => given.xTicks.map((tick) => tick.at), values: () => given.xTicks.map((tick) => tick.text) };
	const plot = new uPlot({
		width, height: given.height ?? 240, padding: [10, 14, 0, 4], legend: { live: true, isolate: false }, cursor: { drag: { x: true, y: false } },
		scales: { x: { time: false, range: given.xRange }, y: { range: given.yRange } },
		series: [{ label: given.xLabel, value: (_, v) => (v === null || v === undefined ? "" : given.xText?.(v) ?? v) }, ...given.series.map((s) => ({
			label: s.label, stroke: colour(s.colour), width: s.width ?? 2, dash: s.dash, spanGaps: true,
			points: { show: s.points ?? false, size: given.height ? 5 : 8, fill: colour(s.colour) }, value: (_, v) => (v === null || v === undefined ? "" : given.text(v)) }))],
		bands: given.bands?.map((b) => ({ series: b, fill: colour("band") })),
		axes: [{ ...axis, label: given.xLabel, size: 34, incrs: whole, ...ticks }, { ...axis, label: given.yLabel, size: 58, values: (_, all) => all.map((v) => given.axis?.(v) ?? v) }],
	}, [given.x, ...given.series.map((s) => s.values)], box);
	const markers = plot.root.querySelectorAll(".u-legend .u-marker");
	given.series.forEach((s, i) => Object.assign(markers[markers.length - given.series.length + i].style, { border: "0", width: "30px", height: `${Math.max(2, Math.round(s.width ?? 3))}px`, background: stroke(colour(s.colour), s.dash ?? [30]) }));
	while (box.firstChild !== plot.root) box.firstChild.remove();
}
