// Pages of `--html` in Chromium, opened from file:// without a network. Keeps out: a page that asks for anything, complains, runs what a
// name says, shows another number than --json, cannot be sorted, filtered or used by keyboard, or has text too faint to read.
//   browser.mjs MODULES CHROMIUM DIR [SHOTS]     (DIR: NAME.html and NAME.json of runs; SHOTS: a folder for pictures of each view)
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "./chromium.mjs";

const [modules, chromium, dir, shots] = process.argv.slice(2);
let checks = 0, failed = 0, now = "";
function check(what, good, more = "") {
	checks++;
	if (good) return;
	failed++;
	console.log(`FAIL: ${now}: ${what} ${more}`.slice(0, 600));
}
const same = (what, shown, wanted) => check(what, JSON.stringify(shown) === JSON.stringify(wanted), `shows ${JSON.stringify(shown)}, --json has ${JSON.stringify(wanted)}`);
const byCaption = (caption) => `.tablebox:has(caption:text("${caption}"))`;

// All rows of a table as the exact values behind its cells; text cells as they stand.
async function rowsOf(page, caption) {
	const box = page.locator(byCaption(caption)).first();
	for (let more = box.locator(".more button"); await more.count(); more = box.locator(".more button")) await more.click();
	return box.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.getAttribute("data-value") ?? cell.textContent)));
}
const sorted = (rows) => rows.map((row) => row.map(String).join("|")).sort();

async function quiet(browser, name) {
	for (const [width, scheme] of [[1280, "light"], [400, "dark"], [1280, "dark"], [400, "light"]]) {
		now = `${name} at ${width} px, ${scheme}`;
		const { page, heard, close } = await open(browser, join(dir, `${name}.html`), { width, scheme });
		check("one request, for itself", heard.requests.length === 1, heard.requests.join(" "));
		for (const name of await page.locator("button.name").all()) if (await name.isVisible()) { await name.click(); break; }
		check("no name ran", await page.evaluate(() => window.ran === undefined && document.querySelectorAll("iframe, img, svg, object").length === 0));
		check("nothing is wider than the window", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
		same("ids that are there twice", await page.evaluate(() => [...document.querySelectorAll("[id]")].map((e) => e.id).filter((id, i, all) => all.indexOf(id) !== i)), []);
		check("each entry above leads to a view", await page.locator("#nav a").evaluateAll((all) => all.length > 1 && all.every((a) => document.querySelector(`section${a.hash}`))));
		await readable(page);
		check("no error", heard.errors.length === 0, heard.errors.join("; "));
		if (shots) await page.evaluate(() => document.getElementById("nav").style.setProperty("position", "static"));
		for (const view of shots ? await page.locator("section.view").all() : [])
			await view.screenshot({ path: join(shots, `${name}_${(await view.getAttribute("id")).slice(5)}_${width}_${scheme}.png`) });
		await close();
	}
}

// Names of controls, contrast, the order of headings, tables' heads: axe-core's rules of WCAG 2 A and AA.
async function readable(page) {
	await page.evaluate(readFileSync(join(modules, "axe-core/axe.min.js"), "utf8"));
	const found = await page.evaluate(() => window.axe.run({ runOnly: ["wcag2a", "wcag2aa"] }));
	check("axe looked", found.passes.length > 5 && found.passes.some((pass) => pass.id === "color-contrast"), String(found.passes.length));
	check("axe finds nothing", found.violations.length === 0, found.violations.map((v) => `${v.id} ${v.nodes.length}x ${v.nodes[0].html.slice(0, 160)} ${v.nodes[0].failureSummary.slice(0, 200)}`).join("; "));
}

async function reportNumbers(page, json) {
	same("the findings' words", await page.locator(".finding .words").allTextContents(), json.findings.map((f) => f.text));
	same("the findings' ms", await page.locator(".finding .size").evaluateAll((all) => all.map((e) => Number(e.dataset.value))), json.findings.map((f) => f.share_ms));
	same("kernels", sorted((await rowsOf(page, "Kernels: all calls")).map((r) => [r[0], r[2], r[3], r[5], r[6], r[7]])), sorted(json.kernels.map((k) => [k.name, k.count, k.total_ns, k.min_ns, k.p50_ns, k.max_ns])));
	same("collectives", json.nccl.length ? sorted((await rowsOf(page, "Collectives by size")).map((r) => [r[0], r[1], r[2], r[4], r[5], r[6], r[7], r[8]])) : [],
		sorted(json.nccl.map((n) => [n.op, n.comm, n.ranks, n.count, n.wait_ns, n.transfer_ns, n.unsplit_ns, n.busbw_gbps ?? ""])));
	same("copies", json.copies.length ? sorted((await rowsOf(page, "Copies")).map((r) => [r[0], r[3], r[4], r[5]])) : [], sorted(json.copies.map((c) => [c.device, c.count, c.total_ns, c.bytes])));
	same("devices", sorted((await rowsOf(page, "Devices, ms per step")).map((r) => [r[0], r[2], r[3]])),
		sorted(json.devices.map((d) => [d.device, d.window_ns, ["matmul", "custom", "other", "memory", "graph"].reduce((sum, leaf) => sum + (d.time_ns[`work.${leaf}`] ?? 0), 0)])));
	const quality = Object.entries(json.quality).filter(([key]) => !["missing_ranks", "not_carried"].includes(key) && (json.quality.stretches > 0 || !key.startsWith("stretches")));
	const unnamed = await page.locator(".quality tbody tr").evaluateAll((rows) => rows.filter((row) => row.cells[2].textContent === row.cells[3].textContent).map((row) => row.cells[3].textContent));
	check("each number of the quality has words", unnamed.length === 0, unnamed.join(" "));
	same("quality", await page.locator(".quality tbody tr").evaluateAll((rows) => rows.map((row) => [row.cells[3].textContent, row.cells[1].dataset.value])), quality.map(([key, value]) => [key, String(value)]));
	const tree = await page.locator(".tree").evaluate((table) => ({ heads: [...table.querySelectorAll("tr.head td[data-value]")].reduce((sum, cell) => sum + Number(cell.dataset.value), 0),
		sum: Number(table.querySelector("tfoot td[data-value]").dataset.value) }));
	const fact = await page.locator(".facts dd").nth(1).getAttribute("data-value");
	check("the parts of a step add up to it", tree.heads === tree.sum && tree.sum === Number(fact), JSON.stringify(tree) + fact);
}

async function compareNumbers(page, json) {
	const other = new Set(json.bridge.filter((b) => b.different_work).map((b) => b.dir)), bridges = json.bridge.filter((b) => !b.different_work);
	check("of other work nothing is said to be lost", (await page.getByText(/ms (lost|saved) per step/).count()) === bridges.length);
	same("the runs", (await rowsOf(page, "The runs")).map((r) => r.slice(0, 8)), [...json.runs].sort((a, b) => a.gpus - b.gpus).map((r) => [r.dir, r.gpus, r.steps, r.step_ns, r.steps_per_s, r.efficiency, r.ideal_ns, other.has(r.dir) ? null : r.loss_ns].map((v) => String(v ?? ""))));
	const rows = bridges.flatMap((b) => ["changed_kernels", "changed_lines", "changed_collectives"].flatMap((key) => b[key].rows.map((r) => [r.base_ns, r.run_ns, r.run_ns - r.base_ns, r.noise_ns ?? ""])));
	const boxes = page.locator(".tablebox").filter({ has: page.locator("th", { hasText: "verdict" }) });
	for (let more = boxes.locator(".more button").first(); await more.count(); ) await more.click();
	same("the changed rows", sorted(await boxes.locator("tbody tr").evaluateAll((all) => all.map((row) => [2, 3, 4, 5].map((i) => row.cells[i].dataset.value ?? "")))), sorted(rows));
	const saidOf = (r) => (r.changed === null ? "noise not known" : r.changed ? "changed" : Math.abs(r.run_ns - r.base_ns) <= r.noise_ns ? "within noise" : "below 0.5 % of a step");
	same("what a changed row comes to", sorted(await boxes.locator("tbody tr").evaluateAll((all) => all.map((row) => [row.cells[2].dataset.value, row.cells[3].dataset.value, row.cells[6].textContent]))),
		sorted(bridges.flatMap((b) => ["changed_kernels", "changed_lines", "changed_collectives"].flatMap((key) => b[key].rows.map((r) => [r.base_ns, r.run_ns, saidOf(r)])))));
	const falls = await page.locator(".waterfall").evaluateAll((tables) => tables.map((table) => ({ terms: [...table.querySelectorAll("tbody td[data-value]")].map((cell) => Number(cell.dataset.value)),
		total: Number(table.querySelector("tfoot td[data-value]").dataset.value) })));
	same("the losses", falls.map((fall) => fall.total), bridges.map((b) => b.loss_ns));
	falls.forEach((fall, i) => {
		check("a waterfall sums exactly", fall.terms.reduce((a, b) => a + b, 0) === fall.total, JSON.stringify(fall));
		const charged = Object.values(bridges[i].charged_ns);
		check("its largest term is that of --json", Math.max(0, ...fall.terms.map(Math.abs)) === Math.max(0, ...charged.map(Math.abs)));
	});
	const bars = await page.locator(".run > .barline .stack").evaluateAll((all) => all.map((bar) => [...bar.children].reduce((sum, part) => sum + Number(part.dataset.value), 0)));
	same("the bars of the runs", bars, json.runs.map((run) => run.step_ns));
	await page.getByRole("button", { name: "share of the step" }).click();
	check("bars of shares are all full", await page.locator(".run > .barline .stack").evaluateAll((all) => all.every((bar) => Math.abs(bar.lastElementChild.getBoundingClientRect().right - bar.getBoundingClientRect().right) < 3)));
}

// Rank by rank: the steps of both runs as `report --json` has them, and the parts of each change add up to it.
async function pairedRanks(page, json) {
	const [before, after] = ["base", "run"].map((which) => new Map(JSON.parse(readFileSync(join(dir, `paired.${which}`), "utf8")).devices.map((d) => [d.ranks[0], Math.round(d.window_ns / d.steps)])));
	const rows = (await rowsOf(page, "Rank by rank")).map((r) => r.map(Number)), close = (a, b) => Math.abs(a - b) <= 1;
	same("the ranks", rows.map((r) => r[0]).sort(), [...before.keys()].sort());
	check("before, after and the change", rows.every(([rank, b, a, change]) => close(b, before.get(rank)) && close(a, after.get(rank)) && close(change, a - b)), JSON.stringify(rows));
	check("the parts add up", rows.every((r) => Math.abs(r.slice(4).reduce((x, y) => x + y, 0) - r[3]) <= r.length), JSON.stringify(rows));
	check("the largest change comes first", rows.every((r, i) => !i || Math.abs(rows[i - 1][3]) >= Math.abs(r[3])));
	same("only the slow rank computes longer", rows.filter((r) => r[4] > 0.05 * r[1]).map((r) => r[0]), [2]);
}

async function jitterNumbers(page, json) {
	same("the verdict", (await page.locator(".answer").textContent()).replace("Which rank is late? ", ""), json.verdict);
	same("the ranks", sorted((await rowsOf(page, "Ranks against")).map((r) => [r[1], r[2], r[3], r[7]])), sorted(json.ranks.map((r) => [r.device, r.behind_ns, r.by_cause_ns.duration, r.last])));
	same("the kernels", sorted((await rowsOf(page, "Kernels that differ")).map((r) => [r[0], r[2], r[3]])), sorted(json.kernels.map((k) => [k.kernel, k.duration_ns, k.duration_sd_ns])));
	const canvas = page.locator(".heat canvas").first(), read = page.locator(".heat .readout").first(), least = [];
	await canvas.focus();
	await page.keyboard.press("ArrowRight"); // the first cell
	for (let column = 0; column < Math.min(5, json.series.length); column++) {
		const values = [];
		for (let row = 0; row < json.ranks.length; row++) {
			values.push(Number((await read.textContent()).match(/\(([\d,]+) ns to/)[1].replaceAll(",", "")));
			await page.keyboard.press("ArrowDown");
		}
		least.push([Math.min(...values), Math.max(...values)]);
		for (let row = 0; row < json.ranks.length; row++) await page.keyboard.press("ArrowUp");
		await page.keyboard.press("ArrowRight");
	}
	same("the heat map's first and last ranks are those of the series", least, json.series.slice(0, least.length).map((s) => [s.min_ns, s.max_ns]));
}

// By measure: what `jitter --csv` writes of each kernel and rank, minus the mean of the ranks.
function matrices(name, ranks) {
	const read = (measure) => readFileSync(join(dir, `${name}.csv`, `${measure}_minus_mean.csv`), "utf8").trim().split("\n").slice(1)
		.map((line) => line.split(",").slice(-ranks - 1, -1).map((v) => (v === "" ? null : Number(v))));
	return { duration: read("duration"), "gap before": read("gap"), "time to end": read("time_to_end"), "launch to start": read("launch_to_start") };
}

async function jitterKernels(page, json, name) {
	const wanted = matrices(name, json.ranks.length), names = Object.keys(wanted);
	for (const measure of names) {
		await page.getByRole("button", { name: measure, exact: true }).click();
		const canvas = page.locator(".heat canvas").nth(1), read = page.locator(".heat .readout").nth(1), shown = [];
		await canvas.focus();
		await page.keyboard.press("ArrowRight");
		for (const key of ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp", "ArrowDown", "ArrowDown"]) {
			const [, rank, kernel, ns] = (await read.textContent()).replaceAll(",", "").match(/^rank (\d+) kernel (\d+) .*\((-?\d+) ns\)$/);
			shown.push([measure, Number(rank), Number(kernel), Number(ns)]);
			await page.keyboard.press(key);
		}
		check(`the heat map has --csv's numbers: ${measure}`, shown.every(([m, r, k, ns]) => Math.abs(ns - wanted[m][k][r]) <= 0.5) && new Set(shown.map(([, r]) => r)).size > 2, JSON.stringify(shown));
	}
	const late = json.ranks.map((r) => r.behind_ns), ends = [late.indexOf(Math.max(...late)), late.indexOf(Math.min(...late))], other = late.findIndex((_, r) => !ends.includes(r));
	await page.locator("#view-jitter select").selectOption(String(other));
	const shown = [...ends, other], charts = page.locator("#view-jitter .two .chart");
	same("four plots", await charts.count(), 4);
	for (let i = 0; i < 4; i++) {
		await charts.nth(i).scrollIntoViewIfNeeded();
		const box = await charts.nth(i).locator(".u-over").boundingBox();
		for (const share of [0.2, 0.6]) {
			await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
			await page.waitForTimeout(30);
			const values = await charts.nth(i).locator(".u-value").allTextContents(), kernel = Number(values[0].match(/^kernel (\d+)/)[1]);
			same("what a plot says is what --csv has", values.slice(3).map(Number), shown.map((r) => Number((wanted[names[i]][kernel][r] / 1e3).toFixed(1))));
		}
	}
	const dashes = await charts.first().locator(".u-marker").evaluateAll((all) => all.slice(-3).map((marker) => getComputedStyle(marker).backgroundImage.replace(/rgba?\([^)]*\)/g, "ink")));
	check("the legend's lines differ without their colours", new Set(dashes).size === 3 && dashes.every((d) => d.includes("gradient")), dashes.join("; "));
	same("its lines are named", (await charts.first().locator(".u-label").allTextContents()).slice(3), [`latest: rank ${ends[0]}`, `earliest: rank ${ends[1]}`, `rank ${other}`]);
}

async function keyboard(page) {
	await page.keyboard.press("Tab");
	check("Tab first goes to the link that skips the views", await page.evaluate(() => document.activeElement.className === "skip"));
	const second = page.locator(".finding summary").nth(1);
	await second.focus();
	await page.keyboard.press("Enter");
	check("Enter opens a finding's evidence", await page.locator(".finding details").nth(1).evaluate((e) => e.open));
	const box = page.locator(byCaption("Kernels: all calls")).first(), head = box.locator("th").filter({ hasText: "p50 us" });
	const values = () => box.locator("tbody tr").evaluateAll((rows) => rows.map((row) => Number(row.cells[6].dataset.value)));
	for (const [order, sign] of [["descending", 1], ["ascending", -1]]) {
		await head.locator("button").focus();
		await page.keyboard.press("Enter");
		const got = await values();
		check(`Enter on a head sorts, ${order}`, (await head.getAttribute("aria-sort")) === order && got.every((v, i) => i === 0 || sign * (got[i - 1] - v) >= 0), got.join(" "));
	}
	await box.locator("input").fill("SGEMM_1 gemm");
	const names = await box.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.cells[0].textContent));
	check("the filter keeps rows with all its words", names.length === 11 && names.every((name) => name.includes("sgemm_1")), names.join(" "));
	await box.locator("input").fill("no such kernel");
	check("the filter says that nothing is left", (await box.locator("tbody tr").count()) === 0 && (await box.locator(".count").textContent()).startsWith("0 of 0 rows"));
	const cell = page.locator(".tree td[title]").first(), exact = () => cell.evaluate((e) => [getComputedStyle(e, "::after").content, JSON.stringify(e.title)]);
	check("exact numbers are hidden at first", (await exact())[0] === "none");
	await page.getByRole("button", { name: "Exact numbers" }).focus();
	await page.keyboard.press("Enter");
	check("a key shows the exact numbers", await exact().then(([shown, wanted]) => shown === wanted && /\d ns/.test(wanted)), String(await exact()));
	await page.keyboard.press("Enter");
	await page.getByRole("button", { name: "Theme" }).click();
	await page.getByRole("button", { name: "Theme" }).click();
	const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	check("the theme can be chosen", (await paper()) === "rgb(20, 23, 28)");
	await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
	check("on paper colours are light and all evidence is open", (await paper()) === "rgb(255, 255, 255)" &&
		(await page.locator(".finding details").evaluateAll((all) => all.length > 1 && all.every((details) => details.open))));
	await page.evaluate(() => dispatchEvent(new Event("afterprint")));
	check("after that the chosen theme is back", (await paper()) === "rgb(20, 23, 28)");
}

async function flame(page, tables) {
	const box = page.locator(".flame"), read = page.locator(".flamebox .readout"), rows = tables.find((t) => t.by?.by === "stack").by.rows;
	const all = rows.filter((r) => r.kind !== "rest").reduce((sum, r) => sum + r.gpu_ns, 0);
	same("the flame graph's whole", await box.locator(".frame.root").getAttribute("data-value"), String(all));
	await box.focus();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	check("arrows walk", (await read.textContent()).includes("Net.forward"), await read.textContent());
	await page.keyboard.press("Enter");
	const width = () => box.locator(".frame.at").evaluate((e) => e.getBoundingClientRect().width / e.parentNode.getBoundingClientRect().width);
	check("Enter opens a frame to the full width", (await width()) > 0.99);
	await page.keyboard.press("Escape");
	check("Escape closes it", (await box.locator(".frame", { hasText: "data.py:7" }).count()) > 0);
	await page.locator(".flamebox input").fill("net.FORWARD");
	check("frames are found by a word", (await box.locator(".frame.hit").count()) > 0);
	await page.getByRole("button", { name: "backward", exact: true }).click();
	const backward = rows.filter((r) => r.backward || r.name.includes("[backward]")).reduce((sum, r) => sum + r.gpu_ns, 0);
	same("the backward stacks alone", await page.locator(".flame .frame.root").getAttribute("data-value"), String(backward));
}

// All events of a process in a step, as the document has them.
function eventsOf(process) {
	return process.tracks.flatMap((track) => {
		let at = 0;
		return track.start_ns.map((delta, i) => ({ kind: track.kind, start: (at += delta), dur: track.dur_ns[i], name: track.name[i] }));
	});
}

const shownFirst = (doc) => doc.steps.find((step) => step.why === "slowest");

// Buttons of steps have the length by which the steps were chosen, rows and lanes a name each.
async function stepNames(page) {
	const doc = await page.evaluate(() => JSON.parse(document.getElementById("timeline").textContent));
	const sum = (rows, key) => rows.reduce((all, row) => all + row[key], 0), step = shownFirst(doc);
	const wanted = doc.steps.map((s) => sum(s.rows, "window_ns") / sum(s.rows, "n") / 1e6), names = page.locator("#view-step .choice").first().locator("button");
	const shown = (await names.allTextContents()).map((text) => Number(text.match(/: ([\d.,]+) ms$/)[1].replaceAll(",", "")));
	check("the steps' lengths", shown.length === wanted.length && shown.every((v, i) => Math.abs(v / wanted[i] - 1) < 0.01), `${shown} ${wanted}`);
	await page.locator("#view-step details summary", { hasText: "These ranks" }).click();
	const ranks = (await rowsOf(page, "This step on")).map((r) => r[0]);
	check("each row of a step has its own name", ranks.length === step.rows.length && new Set(ranks).size === ranks.length, ranks.join("; "));
	const lanes = new Set(), said = page.locator("#view-step .readout").nth(1), idle = step.processes[0].tracks.filter((t) => t.kind === "idle").length;
	await page.locator("#view-step canvas").nth(1).focus();
	for (let i = 0; i < idle; i++) {
		await page.keyboard.press(i ? "ArrowDown" : "ArrowRight");
		lanes.add((await said.textContent()).split(":")[0]);
	}
	check("each GPU's idle time has its own name", lanes.size === idle && [...lanes].every((lane) => lane.includes("idle time")), [...lanes].join("; "));
	for (const link of await page.locator('.finding a[href="#view-step"]', { hasText: "in One step" }).all()) {
		const rank = Number((await link.textContent()).match(/rank (\d+)/)[1]);
		check("a finding leads to a rank that is drawn", doc.steps.some((s) => s.processes.some((p) => p.rank === rank)));
	}
}

async function stepTimeline(page) {
	const doc = await page.evaluate(() => JSON.parse(document.getElementById("timeline").textContent)), step = shownFirst(doc);
	const ranks = page.locator("#view-step canvas").nth(0), events = page.locator("#view-step canvas").nth(1), said = page.locator("#view-step .readout").nth(1);
	const seen = () => events.evaluate((c) => [Number(c.dataset.from), Number(c.dataset.to)]), wide = async () => (await seen()).reduce((a, b) => b - a);
	const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
	const all = eventsOf(step.processes[0]), known = new Set(all.map((e) => `${e.dur},${e.start}`)), met = new Set();
	await events.focus();
	await press("ArrowRight");
	for (const key of ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "End", "ArrowLeft", "ArrowDown", "Home", "ArrowUp", "ArrowRight", "ArrowDown", "ArrowDown"]) {
		const [, dur, start] = (await said.textContent()).replaceAll(",", "").match(/\((-?\d+) ns\) begins at (-?\d+) ns/);
		check("the chosen bar is an event of the document", known.has(`${dur},${start}`), await said.textContent());
		met.add(`${dur},${start}`);
		await press(key);
	}
	check("the keys walk", met.size > 8, String(met.size));
	const dur = Number((await said.textContent()).replaceAll(",", "").match(/\((\d+) ns\)/)[1]);
	await press("Enter");
	check("Enter shows the bar in full width", Math.abs((await wide()) - Math.max(200, 1.2 * dur)) < 3, `${await wide()} ${dur}`);
	await press("Escape");
	check("Escape shows the whole step", (await wide()) === step.span_ns, String(await wide()));
	await press("+");
	check("+ halves what is seen", Math.abs((await wide()) - step.span_ns / 2) < 2);
	const [before] = await seen();
	await press("PageDown");
	check("Page Down moves to later", (await seen())[0] > before);
	const place = await events.boundingBox(), middle = place.x + place.width * 0.6, high = place.y + 32;
	await page.mouse.move(middle, high);
	await page.mouse.down();
	const [held] = await seen();
	await page.mouse.move(middle + 120, high, { steps: 4 });
	await page.mouse.up();
	check("a drag to the right shows what is earlier", (await seen())[0] < held);
	const width = await wide();
	await page.keyboard.down("Control");
	await page.mouse.wheel(0, -200);
	await page.keyboard.up("Control");
	check("the wheel with Ctrl zooms in", Math.abs((await wide()) - width / 2) < 3, `${width} ${await wide()}`);
	const pinched = await wide();
	await events.evaluate((canvas) => {
		const box = canvas.getBoundingClientRect(), send = (type, pointerId, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId, pointerType: "touch", isPrimary: pointerId === 11, bubbles: true, clientX: box.x + x, clientY: box.y + 40 }));
		canvas.setPointerCapture = () => {};
		for (const [type, a, b] of [["pointerdown", 500, 600], ["pointermove", 500, 600], ["pointermove", 450, 650], ["pointerup", 450, 650]]) send(type, 11, a), send(type, 12, b);
	});
	check("two fingers that part zoom in", (await wide()) < 0.8 * pinched, `${pinched} ${await wide()}`);
	await page.locator("#view-step .tools").nth(1).getByRole("button", { name: "Show the whole step" }).click();
	check("the button shows the whole step", (await wide()) === step.span_ns);
	await page.locator("#view-step details summary", { hasText: "These events" }).click();
	same("the events' table", sorted((await rowsOf(page, "Events of")).map((r) => [r[3], r[4], r[5]])), sorted(all.map((e) => [e.start, e.dur, e.dur])));
	await page.locator("#view-step details summary", { hasText: "These ranks" }).click();
	same("the ranks' table", sorted((await rowsOf(page, "This step on")).map((r) => [r[1], r[2]])), sorted(step.rows.map((row) => [row.window_ns, row.window_ns - row.idle_ns.reduce((sum, [, ns]) => sum + ns, 0)])));
	const other = step.processes[step.processes.length - 1], line = step.rows.findIndex((row) => row.from_rank === other.rank), box = await ranks.boundingBox();
	await page.mouse.click(box.x + box.width / 2, box.y + 22 + 21 * line + 8);
	check("a click on a rank's row shows its events", await page.locator('#view-step .choice button[aria-pressed="true"]', { hasText: `rank ${other.rank}` }).count() === 1);
	await page.locator("#view-step .choice button").first().click();
	check("another step can be chosen", (await page.locator("#view-step canvas").first().getAttribute("aria-label")).startsWith(`Step ${doc.steps[0].number} on all ranks`));
}

// The first GPU track with calls: what launched its kernels, which is marked, by key too; NCCL's wait and its transfer in two colours.
async function stepLinks(page) {
	const doc = await page.evaluate(() => JSON.parse(document.getElementById("timeline").textContent)), step = shownFirst(doc), waits = step.processes.findIndex((p) => p.tracks.some((t) => t.more.some((m) => m[2] > 0))), process = step.processes[waits];
	await page.locator("#view-step .step .choice button").nth(waits).click();
	const canvas = page.locator("#view-step canvas").nth(1), said = page.locator("#view-step .readout").nth(1), tracks = process.tracks;
	const rows = (track) => eventsOf({ tracks: [track] }), calls = tracks.filter((t) => t.kind === "thread").flatMap(rows), streams = tracks.filter((t) => t.kind === "stream");
	const track = streams.find((t) => t.launch.some((l) => l !== null)), first = track.launch.findIndex((l) => l !== null), kernel = rows(track)[first], call = calls[track.launch[first]];
	const at = async () => Number((await said.textContent()).replaceAll(",", "").match(/begins at (-?\d+) ns/)[1]);
	await canvas.focus();
	await page.keyboard.press("ArrowRight");
	for (let i = 0; i < 12 && !(await said.textContent()).includes(`, ${track.label}:`); i++) await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Home");
	for (let i = 0; i < first; i++) await page.keyboard.press("ArrowRight");
	check("a kernel says which call launched it", (await at()) === kernel.start && (await said.textContent()).includes(`joined with ${doc.host[call.name]}, which begins`), await said.textContent());
	await page.keyboard.press("l");
	check("L goes to the call", (await at()) === call.start, `${await at()} ${call.start}`);
	await page.keyboard.press("L");
	check("L goes back to the kernel", (await at()) === kernel.start);
	await page.keyboard.press("Escape");
	const picture = () => canvas.evaluate((c) => c.toDataURL()), box = await canvas.boundingBox(), left = await page.evaluate(() => document.querySelectorAll("#view-step canvas")[1].getBoundingClientRect().left);
	await page.mouse.move(5, 5);
	await page.waitForTimeout(60);
	const before = await picture();
	for (let y = 22; y < box.height && (await picture()) === before; y += 6) { // over a long kernel: a line to its call appears
		await page.mouse.move(left + box.width * 0.55, box.y + y);
		await page.waitForTimeout(60);
	}
	check("the pointer over a bar draws the line to its launch", (await picture()) !== before);
	await page.mouse.move(5, 5);
	const find = page.locator("#view-step .finder input"), count = page.locator("#view-step .finder .count"), word = "nccl";
	const named = tracks.flatMap((t) => rows(t).map((e) => ({ ...e, text: { idle: doc.leaves, stream: doc.work, thread: doc.host }[t.kind][e.name] }))).filter((e) => e.kind !== "idle" && e.text.toLowerCase().includes(word)).sort((a, b) => a.start - b.start);
	await find.fill(word);
	same("what is found", await count.textContent(), `${named.length} bars`);
	for (const [key, i] of [["Enter", 0], ["Enter", 1], ["Shift+Enter", 0], ["Shift+Enter", named.length - 1]]) {
		await find.press(key);
		same(`${key} goes from hit to hit`, [await count.textContent(), await at()], [`${i + 1} of ${named.length} bars`, named[i].start]);
	}
	await find.fill("no such name");
	same("nothing is found", await count.textContent(), "0 bars");
	await find.fill("");
	const colours = await page.evaluate(() => Object.fromEntries(["comm", "wait"].map((c) => [c, getComputedStyle(document.querySelector(`#view-step .swatch.${c}`)).backgroundColor.match(/\d+/g).map(Number)])));
	const most = streams.map((t) => ({ t, rows: rows(t), more: t.more.filter((m) => m[2] > 0).sort((a, b) => b[2] - a[2])[0] })).filter((s) => s.more).sort((a, b) => b.more[2] - a.more[2])[0];
	const event = most.rows[most.more[0]];
	await page.locator("#view-step details summary", { hasText: "These events" }).click();
	const told = (await rowsOf(page, "Events of")).find((r) => Number(r[3]) === event.start && Number(r[4]) === event.dur);
	check("the table says the wait", told[6] === "nccl.wait, nccl.transfer" && told[7].replaceAll(",", "").includes(`${most.more[2]} ns until the last of ${most.more[3]} ranks began`), told.join("|"));
	await find.fill(word);
	for (let i = named.findIndex((e) => e.start === event.start && e.dur === event.dur); i >= 0; i--) await find.press("Enter");
	await canvas.focus();
	await page.keyboard.press("Enter");
	await page.waitForTimeout(80);
	const widths = await canvas.evaluate((c, wanted) => { // of the longest wait in a row of pixels, and of the transfer that follows it
		const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height), out = { comm: 0, wait: 0 };
		for (let y = 0; y < c.height; y += 2) {
			const is = (name, x) => wanted[name].every((v, i) => data[4 * (y * c.width + x) + i] === v), run = (name, x) => { let n = 0; while (x + n < c.width && is(name, x + n)) n++; return n; };
			for (let x = 0, wait; x < c.width; x += wait + 1) {
				wait = run("wait", x);
				if (wait > out.wait) Object.assign(out, { wait, comm: Math.max(run("comm", x + wait), run("comm", x + wait + 1)) });
			}
		}
		return out;
	}, colours);
	check("the wait has its part of the bar", Math.abs(widths.wait / (widths.wait + widths.comm) - most.more[2] / event.dur) < 0.02, `${JSON.stringify(widths)} ${most.more[2]} of ${event.dur}`);
	await page.keyboard.press("Escape");
}

// Beside the lines of code stands their text as it is, whatever it is; of a file that is not here it is missing.
async function sourceText(page) {
	const rows = (await rowsOf(page, "Lines of the program")).map((r) => [r[0].replace(/^.*\//, ""), r[1]]);
	same("the text of lines", sorted(rows), sorted([["data.py:7 load", ""], ["train.py:10 Net.forward", "return '</script><script>window.ran=9</script><img src=x onerror=window.ran=10>' # net"],
		["train.py:10 Net.forward (backward)", "return '</script><script>window.ran=9</script><img src=x onerror=window.ran=10>' # net"], ["train.py:20 loss", "loss = '\u2028window.ran=11' & \"quoted\" # \\u202etxt\\u202c"]]));
	check("a missing text says so", (await page.locator(byCaption("Lines of the program")).first().locator("tr", { hasText: "data.py:7" }).textContent()).includes("not readable"));
}

// What the strips say under the pointer is what the document has, whose samples are those of --json.
async function gaugeStrips(page, json) {
	const doc = await page.evaluate(() => JSON.parse(document.getElementById("gauges").textContent)), of = (name) => doc.gauges.find((g) => g.name === name);
	same("samples of the clock", of("sm_mhz").samples, json.devices.reduce((sum, d) => sum + d.gpu.sm_mhz.samples, 0));
	check("the clocks lie between those of --json", Math.min(...of("sm_mhz").least) >= Math.min(...json.devices.map((d) => d.gpu.sm_mhz.min)) && Math.max(...of("sm_mhz").most) <= Math.max(...json.devices.map((d) => d.gpu.sm_mhz.max)));
	check("the reason is said", (await page.locator("#view-steps").textContent()).includes("What slowed a GPU down: SW power cap."));
	for (const [name, one] of [["sm_mhz", 1], ["slowed", 10]]) {
		const strip = page.locator(`figure[data-gauge="${name}"]`), g = of(name);
		await strip.scrollIntoViewIfNeeded();
		const box = await strip.locator(".u-over").boundingBox();
		for (const share of [0.1, 0.5, 0.9]) {
			await page.mouse.move(box.x + box.width * share, box.y + box.height / 2);
			await page.waitForTimeout(30);
			const [step, ...values] = (await strip.locator(".u-value").allTextContents()).map(Number);
			same(`${name} in step ${step}`, values, [g.most[step], g.mean[step], g.least[step]].map((v) => Number((v / one).toFixed(0))));
		}
	}
}

// A finding's link opens the step that has most of it, which --json tells too.
async function worstSteps(page, json) {
	const doc = await page.evaluate(() => JSON.parse(document.getElementById("timeline").textContent));
	for (const step of doc.steps) for (const i of step.findings) {
		const link = page.locator(".finding").nth(i).locator('a[href="#view-step"]', { hasText: "most of it" }), finding = json.findings[i];
		await page.locator(".finding details").nth(i).evaluate((e) => (e.open = true));
		same("the link names the step", await link.textContent(), `step ${step.number}, which has most of it`);
		if (finding.steps) same("the worst step", step.number, finding.steps.worst);
		await link.click();
		check("the link opens it", (await page.locator('#view-step .choice button[aria-pressed="true"]').first().textContent()).includes(`step ${step.number}, `));
		const canvas = await page.locator("#view-step canvas").first().getAttribute("aria-label");
		check("its ranks are shown", canvas.startsWith(`Step ${step.number} on all ranks`), canvas);
	}
	check("some finding has a worst step", doc.steps.some((s) => s.findings.length > 0));
}

const browser = await launch(modules, chromium);
try {
	for (const file of readdirSync(dir).filter((f) => f.endsWith(".html"))) {
		const name = file.slice(0, -5);
		await quiet(browser, name);
		now = name;
		const json = JSON.parse(readFileSync(join(dir, `${name}.json`), "utf8"));
		const { page, heard, close } = await open(browser, join(dir, file));
		if (name === "plain") {
			await keyboard(page);
			await page.reload();
			await page.waitForFunction(() => document.documentElement.dataset.ready);
			await flame(page, await page.evaluate(() => JSON.parse(document.getElementById("tables").textContent).tables));
			await page.reload();
			await page.waitForFunction(() => document.documentElement.dataset.ready);
		}
		if (name === "four") {
			check("the late rank's finding leads to its events", (await page.locator('.finding a[href="#view-step"]', { hasText: "rank 2" }).count()) > 0);
			await stepTimeline(page);
			await page.reload();
			await page.waitForFunction(() => document.documentElement.dataset.ready);
			await stepLinks(page);
			await worstSteps(page, json);
		}
		if (name === "several") await stepNames(page);
		if (name === "source") await sourceText(page);
		if (name === "hot") await gaugeStrips(page, json);
		if (name === "stalls") await worstSteps(page, json);
		await { "baton.report/0": reportNumbers, "baton.compare/0": compareNumbers, "baton.jitter/0": jitterNumbers }[json.schema](page, json);
		if (name === "paired") await pairedRanks(page, json);
		else if (json.schema === "baton.compare/0" && name === "scaling") check("other ranks are not paired", (await page.locator("caption", { hasText: "Rank by rank:" }).count()) === 0);
		if (name === "jitter") await jitterKernels(page, json, name);
		check("no error after all that", heard.errors.length === 0 && (await page.evaluate(() => window.ran === undefined)), heard.errors.join("; "));
		await close();
	}
} finally {
	await browser.close();
}
console.log(`${checks} checks, ${failed} failed`);
process.exit(failed || !checks ? 1 : 0);
