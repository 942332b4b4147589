// The documents that baton put into the page, by their ids: what `--json` prints, and a few more.

export function readDocuments() {
	const found = {};
	for (const element of document.querySelectorAll('script[type="application/json"]'))
		found[element.id] = JSON.parse(element.textContent);
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
