// The documents that baton put into the page, by their ids: what `--json` prints, and a few more.

// Names and lines of code may hold characters that turn the direction of text round, so that it reads as something else: their escapes are shown.
const turning = /\\\\|\\u(202[a-e]|206[6-9]|200[ef]|061c)|([\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c])/gi;
const shown = (json) => json.replace(turning, (all, code, raw) => (code || raw ? `\\\\u${code ?? raw.charCodeAt(0).toString(16).padStart(4, "0")}` : all));

export function readDocuments() {
	const found = {};
	for (const element of document.querySelectorAll('script[type="application/json"]'))
		found[element.id] = JSON.parse(shown(element.textContent));
	return found;
}

// The headings of a step and what stands below each, with the time that `time` gives the leaves.
export function parts(tree, time) {
	const sum = (leaves) => leaves.reduce((all, leaf) => all + (time[leaf] ?? 0), 0);
	return tree.rows.map((row) => ({ ...row, ns: sum(row.leaves) }));
}

// A colour for each heading of the time tree, by what it is, not by its place.
const kinds = { "Computing": "work", "NCCL and copies": "comm", "GPU-side waits": "gpu",
	"CPU launch overhead": "cpu", "Host stalls": "host", "Profiler": "tool", "Unknown": "unknown" };
export const kindOf = (label) => kinds[label] ?? "unknown";
export const leafNames = (tree) => {
	const names = {};
	for (const row of tree.rows) if (row.leaves.length === 1) names[row.leaves[0]] = row.label;
	return names;
};
export const headOf = (tree, leaf) => tree.rows.find((row) => row.level === "head" && row.leaves.includes(leaf))?.label;
