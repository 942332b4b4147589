// Bars made of elements: stacked parts of a whole, their key, and a waterfall.
import { h } from "./dom.js";
import { exactNs, ms, percent, signed } from "./format.js";
import { kindOf, parts } from "./data.js";

// One bar; `whole` is what the bar's full width stands for.
export function stack(tree, time, whole, label) {
	const heads = parts(tree, time).filter((p) => p.level === "head" && p.ns > 0);
	const sum = heads.reduce((all, p) => all + p.ns, 0);
	const said = heads.map((p) => `${p.label} ${ms(p.ns)} ms, ${percent(p.ns, sum)}`).join("; ");
	return h("div", { class: "stack", role: "img", "aria-label": `${label}: ${said}` }, heads.map((p) =>
		h("span", { class: `part ${kindOf(p.label)}`, style: { width: `${(100 * p.ns) / whole}%` }, "data-value": p.ns,
			title: `${p.label}: ${ms(p.ns)} ms, ${percent(p.ns, sum)}` })));
}

export function key(tree, times) {
	const heads = tree.rows.filter((row) => row.level === "head" && times.some((time) => row.leaves.some((leaf) => time[leaf] > 0)));
	return h("ul", { class: "key" }, heads.map((row) => h("li", {}, h("span", { class: `swatch ${kindOf(row.label)}` }), row.label)));
}

// Rows of a tree with a bar each: where a step goes.
export function treeTable(tree, time, step, caption) {
	const rows = parts(tree, time).filter((p) => p.ns > 0 && !(p.level !== "head" && onlyChild(tree, p)));
	const sum = parts(tree, time).filter((p) => p.level === "head").reduce((all, p) => all + p.ns, 0);
	let kind = "";
	return h("table", { class: "tree" }, h("caption", {}, caption),
		h("thead", {}, h("tr", {}, ["Part", "ms", "%", ""].map((label, i) => h("th", { scope: "col", class: i === 1 || i === 2 ? "number" : "" }, label)))),
		h("tbody", {}, rows.map((p) => {
			kind = p.level === "head" ? kindOf(p.label) : kind;
			return h("tr", { class: p.level }, h("th", { scope: "row" }, p.label),
				h("td", { class: "number", "data-value": p.ns, title: exactNs(p.ns) }, ms(p.ns)), h("td", { class: "number" }, percent(p.ns, step)),
				h("td", { class: "barcell" }, h("span", { class: `fill ${kind}`, style: { width: `${(100 * p.ns) / step}%` } })));
		})),
		h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "sum"), h("td", { class: "number", "data-value": sum, title: exactNs(sum) }, ms(sum)),
			h("td", { class: "number" }, percent(sum, step)), h("td"))));
}

// A heading whose only part says the same again, as of the profiler.
function onlyChild(tree, part) {
	const head = tree.rows.find((row) => row.level === "head" && part.leaves.every((leaf) => row.leaves.includes(leaf)));
	return head && head.leaves.length === part.leaves.length && kindOf(head.label) === "tool";
}

// terms: [{label, ns, note, kind}], which add up to `total`; each begins where the last one ended.
export function waterfall(terms, total, caption) {
	let at = 0, least = 0, most = 0;
	const placed = terms.map((term) => {
		const from = at;
		at += term.ns;
		least = Math.min(least, at);
		most = Math.max(most, at);
		return { ...term, from, to: at };
	});
	const all = { label: total.label, ns: total.ns, from: 0, to: total.ns, kind: "total" };
	least = Math.min(least, total.ns);
	most = Math.max(most, total.ns);
	const span = most - least || 1, x = (ns) => (100 * (ns - least)) / span;
	const row = (term) => h("tr", { class: term.kind === "total" ? "total" : "" }, h("th", { scope: "row" }, term.label),
		h("td", { class: "number", "data-value": term.ns, title: exactNs(term.ns) }, signed(term.ns)),
		h("td", { class: "noise" }, term.noise ?? ""),
		h("td", { class: "fall" }, h("span", { class: `bar ${term.kind === "total" ? "total" : term.ns < 0 ? "gain" : "loss"}`,
			style: { left: `${x(Math.min(term.from, term.to))}%`, width: `${(100 * Math.abs(term.ns)) / span}%` } }),
		h("span", { class: "zero", style: { left: `${x(0)}%` } })));
	return h("table", { class: "waterfall" }, h("caption", {}, caption),
		h("thead", {}, h("tr", {}, ["Term", "ms per step", "noise", "from nothing to the whole loss"].map((label, i) =>
			h("th", { scope: "col", class: i === 1 ? "number" : "" }, label)))),
		h("tbody", {}, placed.map(row)), h("tfoot", {}, row(all)));
}
