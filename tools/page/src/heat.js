// A heat map on a canvas, drawn small and made large: rows are ranks, columns are steps. The pointer or the arrow keys choose a
// cell, and a line below says what it is.
import { drawn, h } from "./dom.js";

const RIGHT = 8, BOTTOM = 42, TOP = 20;

function parse(rgb) {
	return rgb.match(/[\d.]+/g).slice(0, 3).map(Number);
}

// given: {down, across: names of the axes, rows: [{label, values}], columns: [labels], colours: () => [below, none, above], limit, text(row, column), label}
export function heat(given) {
	const { rows, columns } = given;
	const canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `${given.label}. Arrow keys choose a cell.` });
	const said = h("p", { class: "readout", role: "status" }, given.start);
	const cursor = h("span", { class: "cursor", hidden: true });
	const box = h("div", { class: "heat" }, canvas, cursor, said);
	const state = { row: -1, column: -1, left: 40, cell: 1, line: 1 };

	function draw() {
		const width = Math.max(260, box.clientWidth || 600), scale = window.devicePixelRatio || 1;
		state.line = Math.max(1, Math.min(22, Math.floor(560 / rows.length)));
		const height = TOP + state.line * rows.length + BOTTOM;
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		canvas.width = width * scale;
		canvas.height = height * scale;
		const ctx = canvas.getContext("2d");
		ctx.scale(scale, scale);
		ctx.font = "12px system-ui, sans-serif";
		state.left = Math.min(150, 12 + Math.max(...[`${given.down} ↓`, ...rows.map((row) => row.label)].map((label) => ctx.measureText(label).width)));
		state.cell = (width - state.left - RIGHT) / columns.length;
		cells(ctx);
		labels(ctx, height, width);
		frame();
	}
	function cells(ctx) {
		const [below, none, above] = given.colours().map(parse);
		const small = h("canvas", { width: columns.length, height: rows.length }), pen = small.getContext("2d");
		const pixels = pen.createImageData(columns.length, rows.length);
		for (let r = 0; r < rows.length; r++)
			for (let c = 0; c < columns.length; c++) {
				const value = rows[r].values[c], at = 4 * (r * columns.length + c);
				if (value === null || value === undefined) continue;
				const t = Math.max(-1, Math.min(1, value / given.limit)), far = t < 0 ? below : above, share = Math.sqrt(Math.abs(t));
				for (let i = 0; i < 3; i++) pixels.data[at + i] = none[i] + (far[i] - none[i]) * share;
				pixels.data[at + 3] = 255;
			}
		pen.putImageData(pixels, 0, 0);
		ctx.imageSmoothingEnabled = false;
		ctx.drawImage(small, state.left, TOP, state.cell * columns.length, state.line * rows.length);
		if (state.line > 6 && state.cell > 6) grid(ctx);
	}
	function grid(ctx) {
		for (let r = 1; r < rows.length; r++) ctx.clearRect(state.left, TOP + r * state.line - 1, state.cell * columns.length, 1);
		for (let c = 1; c < columns.length; c++) ctx.clearRect(state.left + c * state.cell - 1, TOP, 1, state.line * rows.length);
	}
	function labels(ctx, height, width) {
		ctx.fillStyle = getComputedStyle(box).color;
		ctx.textBaseline = "middle";
		ctx.textAlign = "right";
		const every = Math.ceil(14 / state.line);
		for (let r = 0; r < rows.length; r += every)
			ctx.fillText(rows[r].label, state.left - 6, TOP + (r + 0.5) * state.line, state.left - 8);
		ctx.textAlign = "center";
		ctx.fillText(`${given.across} →`, state.left + (width - state.left) / 2, height - 9);
		ctx.textAlign = "right";
		ctx.fillText(`${given.down} ↓`, state.left - 6, 9, state.left - 8);
		ctx.textAlign = "center";
		const step = Math.max(1, Math.ceil(44 / state.cell));
		for (let c = 0; c < columns.length; c += step)
			ctx.fillText(columns[c], Math.min(width - 12, state.left + (c + 0.5) * state.cell), height - BOTTOM + 13);
	}
	// An element of its own, so that the cells need not be drawn again.
	function frame() {
		cursor.hidden = state.row < 0;
		const place = { left: state.left + state.column * state.cell, top: TOP + state.row * state.line, width: Math.max(4, state.cell), height: Math.max(4, state.line) };
		for (const [name, value] of Object.entries(place)) cursor.style.setProperty(name, `${value}px`);
	}
	function choose(row, column) {
		state.row = Math.max(0, Math.min(rows.length - 1, row));
		state.column = Math.max(0, Math.min(columns.length - 1, column));
		said.textContent = given.text(state.row, state.column);
		frame();
	}
	canvas.addEventListener("pointermove", (event) => {
		const row = Math.floor((event.offsetY - TOP) / state.line), column = Math.floor((event.offsetX - state.left) / state.cell);
		if (row >= 0 && row < rows.length && column >= 0 && column < columns.length && (row !== state.row || column !== state.column)) choose(row, column);
	});
	const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
	canvas.addEventListener("keydown", (event) => {
		const move = moves[event.key];
		if (!move) return;
		choose(state.row + move[0], state.column + move[1]);
		event.preventDefault();
	});
	drawn(draw, box);
	return box;
}
