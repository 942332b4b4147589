// Numbers as the text report prints them: milliseconds with one precision for the whole page.

let decimals = 2;
export function setStep(stepNs) {
	decimals = stepNs >= 1e8 ? 1 : stepNs >= 1e7 ? 2 : 3;
}

// -0.00 is no number for people.
const plain = (text) => (Number(text) === 0 ? text.replace("-", "") : text);
export const fixed = (value, digits) => plain(value.toFixed(digits));
export const ms = (ns, digits = decimals) => fixed(ns / 1e6, digits);
export const signed = (ns) => (ns > 0 && Number(ms(ns)) !== 0 ? "+" : "") + ms(ns);
export const us = (ns) => fixed(ns / 1e3, 1);
export const percent = (part, whole) => (whole ? fixed((100 * part) / whole, 1) : "0.0") + " %";
export const grouped = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
export const least = (list) => list.reduce((a, b) => Math.min(a, b), Infinity);
export const most = (list) => list.reduce((a, b) => Math.max(a, b), -Infinity);
export const exactNs = (ns) => `${grouped(ns)} ns`;
// A length of time in a person's unit.
export function span(ns) {
	if (ns === 0) return "0";
	for (const [unit, one] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]]) if (ns >= one) return `${grouped(fixed(ns / one, 1))} ${unit}`;
	return `${ns} ns`;
}
export function bytes(value) {
	if (value === null || value === undefined) return "";
	const units = ["B", "kB", "MB", "GB", "TB"];
	let i = 0;
	while (value >= 1000 && i < units.length - 1) (value /= 1000), i++;
	return `${fixed(value, i ? (value < 10 ? 2 : 1) : 0)} ${units[i]}`;
}
export const plural = (n, word) => `${grouped(n)} ${word}${n === 1 ? "" : "s"}`;
