// A table that sorts and filters. Rows are made for what is shown only: a table of 100,000 rows
// filters all of them and shows a page of them at a time.
import { append, h, newId } from "./dom.js";

const MORE = 100;

// columns: {label, value(row), order(row): by what it sorts, else by its value, text(value, row), title(row), kind: "number"|"name"|"text"|"bar", share(row)}
// given: {rows, columns, sort: index, shown, caption, filter: true}
export function table(given) {
	const { columns, caption } = given;
	const shown = given.shown ?? 15;
	const state = { by: given.sort ?? 0, down: !given.up, shown, words: "" };
	const names = columns.filter((c) => c.kind === "name" || c.kind === "text");
	const texts = given.rows.map((row) => names.map((c) => c.value(row) ?? "").join("\n").toLowerCase());
	const order = given.rows.map((_, i) => i);
	const body = h("tbody"), count = h("span", { class: "count", role: "status" });
	const buttons = h("div", { class: "more" });
	const heads = columns.map((c, i) => h("th", { scope: "col", class: c.kind },
		h("button", { type: "button", class: "sort", onclick: () => sortBy(i) }, c.label)));

	function compare(a, b) {
		const of = columns[state.by].order ?? columns[state.by].value, x = of(given.rows[a]), y = of(given.rows[b]);
		if (x === y) return a - b;
		if (x === null || x === undefined) return 1;
		if (y === null || y === undefined) return -1;
		return (x < y ? -1 : 1) * (state.down ? -1 : 1);
	}
	function sortBy(i) {
		const number = columns[i].kind === "number" || columns[i].kind === "bar";
		state.down = state.by === i ? !state.down : number;
		state.by = i;
		order.sort(compare);
		fill();
	}
	function cell(column, row) {
		const value = column.value(row), text = column.text ? column.text(value, row) : value ?? "";
		const attributes = { class: column.kind, title: column.title?.(row), "data-value": column.exact?.(row) ?? value };
		if (column.kind === "name")
			return h("td", attributes, h("button", { type: "button", class: "name", "aria-expanded": "false",
				onclick: (event) => unfold(event.currentTarget) }, text || "(no name)"));
		if (column.kind === "bar")
			return h("td", attributes, h("span", { class: "fill", style: { width: `${Math.min(100, 100 * column.share(row))}%` } }),
				h("span", { class: "over" }, text));
		return h("td", attributes, text);
	}
	function unfold(button) {
		button.setAttribute("aria-expanded", String(button.getAttribute("aria-expanded") !== "true"));
	}
	// more: the rows that are there stay, further ones come behind them.
	function fill(more = false) {
		const wanted = state.words.toLowerCase().split(/\s+/).filter(Boolean);
		const hits = wanted.length ? order.filter((i) => wanted.every((word) => texts[i].includes(word))) : order;
		heads.forEach((head, i) => {
			if (i === state.by) head.setAttribute("aria-sort", state.down ? "descending" : "ascending");
			else head.removeAttribute("aria-sort");
		});
		if (!more) body.replaceChildren();
		const from = body.rows.length;
		body.append(...hits.slice(from, state.shown).map((i) => h("tr", {}, columns.map((c) => cell(c, given.rows[i])))));
		const some = Math.min(state.shown, hits.length);
		count.textContent = some === given.rows.length ? "" : `${some} of ${hits.length} rows` +
			(hits.length < given.rows.length ? ` (${given.rows.length} without the filter)` : "");
		buttons.replaceChildren();
		append(buttons, [hits.length > state.shown && h("button", { type: "button", onclick: () => showMore(MORE) },
			`Show ${Math.min(MORE, hits.length - state.shown)} more`), count]);
	}
	function showMore(n) {
		state.shown += n;
		fill(true);
	}

	const id = newId("filter");
	const filter = given.rows.length > 5 && names.length > 0 && h("div", { class: "filter" },
		h("label", { for: id }, "Filter"), h("input", { id, type: "search", autocomplete: "off", spellcheck: "false",
			oninput: (event) => {
				state.words = event.target.value;
				state.shown = shown;
				fill();
			} }));
	order.sort(compare);
	fill();
	return h("div", { class: "tablebox" }, filter, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
		h("table", {}, h("caption", {}, caption), h("thead", {}, h("tr", {}, heads)), body)), buttons);
}
