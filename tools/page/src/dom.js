// Elements without markup: text is only ever text, so no name in a run can become a script. Styles
// are set one by one, because the page's policy forbids style attributes.

export function h(tag, given = {}, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(given)) {
		if (value === undefined || value === null || value === false) continue;
		if (key === "style") for (const [name, v] of Object.entries(value)) element.style.setProperty(name, v);
		else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else element.setAttribute(key, value === true ? "" : value);
	}
	append(element, children);
	return element;
}

export function append(element, children) {
	for (const child of children.flat(Infinity))
		if (child !== undefined && child !== null && child !== false)
			element.append(child instanceof Node ? child : String(child));
	return element;
}

// What a CSS colour is at the moment, for canvases.
export function colour(name) {
	const probe = h("span", { style: { color: `var(--${name})`, display: "none" } });
	document.body.append(probe);
	const value = getComputedStyle(probe).color;
	probe.remove();
	return value;
}

// Drawings that depend on the theme or on the width. A new one waits until it is in the page, where
// it has a width; all are made again when the theme or the width changes.
// One whose element was taken out of the page is forgotten.
const drawings = new Map(), waiting = new Set();
export function drawn(draw, element) {
	drawings.set(draw, element);
	waiting.add(draw);
}
export function drawWaiting() {
	for (const draw of waiting) draw();
	waiting.clear();
}
export function redraw() {
	for (const [draw, element] of drawings) {
		if (element && !element.isConnected && !waiting.has(draw)) drawings.delete(draw);
		else draw();
	}
	waiting.clear();
}

let last = 0;
export const newId = (prefix) => `${prefix}-${++last}`;
