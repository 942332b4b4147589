// Bytes, first paint and interactions of pages in Chromium: the median of five loads, and of nine times of each interaction.
//   page.mjs MODULES CHROMIUM PAGE...
import { statSync } from "node:fs";
import { basename } from "node:path";
import { launch, open } from "../../tests/page/chromium.mjs";

const [modules, chromium, ...pages] = process.argv.slice(2);
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

// From the event until a frame with its effect was drawn.
const timed = (page, act) => page.evaluate(async (source) => {
	const act = new Function(`return (${source})`)(), times = [];
	for (let i = 0; i < 9; i++) {
		const begin = performance.now();
		act(i);
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
		times.push(performance.now() - begin);
	}
	return times;
}, act.toString());
const actions = {
	"sort a table": (i) => document.querySelectorAll("button.sort")[2 + (i % 4)].click(),
	"filter a table": (i) => {
		const input = [...document.querySelectorAll(".filter input")].at(-1);
		input.value = ["1", "12", "", "node", "n"][i % 5];
		input.dispatchEvent(new Event("input", { bubbles: true }));
	},
	"open a finding": (i) => {
		const all = document.querySelectorAll(".finding details");
		if (all.length) all[i % all.length].open ^= true;
	},
	"move in the heat map": (i) => document.querySelector(".heat canvas")?.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "ArrowDown" : "ArrowRight", bubbles: true })),
	"walk in a timeline": (i) => [...document.querySelectorAll(".timeline canvas")].at(-1)?.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "ArrowDown" : "ArrowRight", bubbles: true })),
	"zoom a timeline": (i) => document.querySelector(".timeline canvas")?.dispatchEvent(new KeyboardEvent("keydown", { key: i % 3 ? "+" : "Escape", bubbles: true })),
	"change the theme": () => document.querySelector(".theme button:last-child").click(),
	"show more rows": () => document.querySelector(".more button")?.click(),
};

const browser = await launch(modules, chromium);
for (const file of pages) {
	const paints = [], ready = [];
	let last;
	for (let i = 0; i < 5; i++) {
		last = await open(browser, file);
		paints.push(await last.page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN));
		ready.push(await last.page.evaluate(() => performance.timing.domComplete - performance.timing.navigationStart));
		if (i < 4) await last.close();
	}
	console.log(`${basename(file)}: ${statSync(file).size} bytes, first paint ${median(paints).toFixed(0)} ms, loaded ${median(ready)} ms, requests ${last.heard.requests.length}`);
	const has = { "walk in a timeline": ".timeline canvas", "zoom a timeline": ".timeline canvas", "move in the heat map": ".heat canvas", "open a finding": ".finding details", "filter a table": ".filter input", "show more rows": ".more button", "sort a table": "button.sort" };
	for (const [name, act] of Object.entries(actions)) {
		if (has[name] && !(await last.page.locator(has[name]).count())) continue;
		const times = await timed(last.page, act);
		console.log(`  ${name.padEnd(22)} median ${median(times).toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms`);
	}
	await last.close();
}
await browser.close();
