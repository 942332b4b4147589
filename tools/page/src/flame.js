// A flame graph of folded stacks. Only frames that are wide enough to see are elements; the others
// appear when their caller is opened. Arrow keys walk, Enter opens, Escape closes.
import { h, newId } from "./dom.js";
import { percent } from "./format.js";

const ROW = 20, NARROWEST = 0.0008;

// rows: [{name: "outer;inner", weight}]
export function buildTree(rows, rootName) {
	const root = { name: rootName, total: 0, children: new Map(), parent: null, depth: 0 };
	for (const { name, weight } of rows) {
		if (weight <= 0) continue;
		let node = root;
		root.total += weight;
		for (const frame of name.split(";")) {
			let child = node.children.get(frame);
			if (!child) {
				child = { name: frame, total: 0, children: new Map(), parent: node, depth: node.depth + 1 };
				node.children.set(frame, child);
			}
			child.total += weight;
			node = child;
		}
	}
	return root;
}

export function flame(root, text, caption) {
	const state = { top: root, at: root, words: "" };
	const said = h("p", { class: "readout", role: "status" });
	const box = h("div", { class: "flame", tabindex: "0", role: "application", "aria-label": `${caption}. Arrow keys walk, Enter opens a frame, Escape closes it.` });
	let elements = new Map();

	function describe(node) {
		return `${node.name}: ${text(node.total)}, ${percent(node.total, root.total)}`;
	}
	function place(node, from, share, out) {
		out.push({ node, from, share });
		let at = from;
		for (const child of [...node.children.values()].sort((a, b) => b.total - a.total)) {
			const part = (share * child.total) / node.total;
			if (part >= NARROWEST) place(child, at, part, out);
			at += part;
		}
	}
	function draw() {
		const out = [];
		for (let node = state.top.parent; node; node = node.parent) out.push({ node, from: 0, share: 1, above: true });
		place(state.top, 0, 1, out);
		elements = new Map();
		const words = state.words.toLowerCase();
		box.style.height = `${ROW * (1 + Math.max(...out.map((o) => o.node.depth)))}px`;
		box.replaceChildren(...out.map(({ node, from, share, above }) => {
			const hit = words && node.name.toLowerCase().includes(words);
			const element = h("span", { id: newId("frame"), title: describe(node), "data-value": node.total,
				class: `frame ${tone(node)}${above ? " above" : ""}${hit ? " hit" : ""}${node === state.at ? " at" : ""}`,
				style: { left: `${100 * from}%`, width: `${100 * share}%`, top: `${ROW * node.depth}px` }, onclick: () => open(node) }, node.name);
			elements.set(node, element);
			return element;
		}));
		choose(elements.has(state.at) ? state.at : state.top);
	}
	function choose(node) {
		elements.get(state.at)?.classList.remove("at");
		state.at = node;
		elements.get(node)?.classList.add("at");
		said.textContent = describe(node);
	}
	function open(node) {
		state.top = node;
		state.at = node;
		draw();
	}
	function walk(node, step) {
		const row = [...elements.keys()].filter((n) => n.depth === node.depth);
		return row[row.indexOf(node) + step];
	}
	const keys = { ArrowUp: (n) => n.parent, ArrowDown: (n) => [...n.children.values()].sort((a, b) => b.total - a.total)[0],
		ArrowLeft: (n) => walk(n, -1), ArrowRight: (n) => walk(n, 1) };
	box.addEventListener("keydown", (event) => {
		if (keys[event.key]) {
			const next = keys[event.key](state.at);
			if (next && elements.has(next)) choose(next);
		} else if (event.key === "Enter") open(state.at);
		else if (event.key === "Escape") open(state.top.parent ?? root);
		else return;
		event.preventDefault();
	});
	box.addEventListener("pointermove", (event) => {
		const node = [...elements].find(([, element]) => element === event.target)?.[0];
		if (node) said.textContent = describe(node);
	});
	const id = newId("search");
	draw();
	return h("div", { class: "flamebox" }, h("div", { class: "filter" }, h("label", { for: id }, "Find"), h("input", { id, type: "search", autocomplete: "off",
		oninput: (event) => {
			state.words = event.target.value;
			draw();
		} }), h("button", { type: "button", onclick: () => open(root) }, "Whole run")), box, said);
}

// Python, native code, a library's inside: told by the look of the frame, and by the words in it.
function tone(node) {
	if (!node.parent) return "root";
	if (/site-packages|dist-packages|^\/usr\/lib/.test(node.name)) return "library";
	if (/^\[/.test(node.name)) return "mark";
	return /\.py:\d/.test(node.name) ? "python" : "native";
}
