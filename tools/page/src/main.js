// The page of one run, of a comparison or of a jitter study: which one its documents say.
import { append, drawWaiting, h, redraw } from "./dom.js";
import { plural, setStep } from "./format.js";
import { readDocuments } from "./data.js";
import { compareVerdict, jitterVerdict, reportVerdict } from "./views/verdict.js";
import { compareHonesty, jitterHonesty, reportHonesty } from "./views/honesty.js";
import { scalingView } from "./views/scaling.js";
import { stepsView, whereView } from "./views/where.js";
import { stepView } from "./views/step.js";
import { jitterView } from "./views/jitter.js";

const kinds = {
	report: [["verdict", "Verdict", reportVerdict], ["steps", "Step by step", stepsView], ["step", "One step", stepView], ["where", "Where time goes", whereView], ["honesty", "Honesty", reportHonesty]],
	compare: [["verdict", "Verdict", compareVerdict], ["scaling", "Scaling", scalingView], ["honesty", "Honesty", compareHonesty]],
	jitter: [["verdict", "Verdict", jitterVerdict], ["jitter", "Jitter", jitterView], ["honesty", "Honesty", jitterHonesty]],
};

function heading(kind, docs) {
	if (kind === "report") {
		const run = docs.report.run, names = [...new Set(docs.report.devices.map((d) => d.name || "GPU"))];
		return [run.dirs.join(" "), `${docs.report.devices.length} × ${names.join(", ")}${run.hosts ? `, ${plural(run.hosts, "host")}` : ""}, ${docs.figures.has_steps ? plural(run.steps, "step") : "no steps"}`];
	}
	if (kind === "compare") {
		const { runs, scaling } = docs.compare;
		return [runs.map((run) => run.dir).join(" · "), `${plural(runs.length, "run")}, ${new Set(runs.map((r) => r.gpus)).size > 1 ? `${scaling} scaling` : "one size"}`];
	}
	return [docs.jitter.dir, `${plural(docs.jitter.ranks.length, "rank")}, ${plural(docs.jitter.steps, "step")}`];
}

function themeButton() {
	const themes = ["auto", "light", "dark"];
	const button = h("button", { type: "button" });
	let at = 0;
	const show = () => {
		if (at) document.documentElement.dataset.theme = themes[at];
		else delete document.documentElement.dataset.theme;
		button.textContent = `Theme: ${themes[at]}`;
		redraw();
	};
	button.addEventListener("click", () => {
		at = (at + 1) % themes.length;
		show();
	});
	show();
	return button;
}

// The exact numbers, which tables have where the pointer rests, in the cells: for those who have no pointer.
function exactButton() {
	const button = h("button", { type: "button", class: "exact", "aria-pressed": "false" }, "Exact numbers");
	button.addEventListener("click", () => {
		const on = document.documentElement.toggleAttribute("data-exact");
		button.setAttribute("aria-pressed", String(on));
	});
	return button;
}

// A view that fails does not take the others with it.
function attempt(view, docs) {
	try {
		return view(docs);
	} catch (error) {
		console.error(error);
		return [h("p", { class: "flag bad" }, `This view could not be drawn (${error.message}). Please report it; the other views are not concerned.`)];
	}
}

// Documents have ids too ("steps", "jitter"): those of views begin with another word.
function section([id, title, view], docs) {
	const content = attempt(view, docs);
	if (!content) return null;
	return append(h("section", { id: `view-${id}`, class: "view", tabindex: "-1", "aria-labelledby": `view-${id}-title` }, h("h2", { id: `view-${id}-title` }, title)), [content]);
}

// The first view is painted before the others are made.
function start() {
	const docs = readDocuments();
	const kind = Object.keys(kinds).find((name) => docs[name]);
	if (!kind) return;
	const [title, about] = heading(kind, docs);
	const step = { report: () => docs.figures.step_ns, compare: () => docs.compare.runs[docs.words.base].step_ns, jitter: () => docs.jitter.step_ns }[kind]();
	setStep(step);
	document.title = `${title} - baton ${kind}`;
	const main = document.getElementById("main"), nav = document.getElementById("nav"), list = h("ul");
	append(document.getElementById("top"), [h("div", { class: "brand" }, "baton", h("span", {}, ` ${kind}`)), h("h1", {}, title), h("p", {}, about), h("div", { class: "theme" }, exactButton(), themeButton())]);
	nav.append(list);
	main.replaceChildren();
	const rest = [...kinds[kind]];
	const next = () => {
		const [entry] = rest.splice(0, 1), made = section(entry, docs);
		if (made) {
			main.append(made);
			list.append(h("li", {}, h("a", { href: `#view-${entry[0]}` }, entry[1])));
			drawWaiting();
		}
		if (rest.length) setTimeout(next, 0);
		else finished();
	};
	next();
}

function finished() {
	append(document.getElementById("foot"), [`Made by baton; this page is one file, loads nothing and sends nothing.`]);
	document.documentElement.dataset.ready = "yes";
	if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
	let width = window.innerWidth;
	addEventListener("resize", () => {
		if (window.innerWidth !== width) redraw();
		width = window.innerWidth;
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	// Paper is white: charts are drawn in light colours for it, and again in the reader's afterwards.
	const root = document.documentElement;
	let theme;
	addEventListener("beforeprint", () => {
		theme = root.dataset.theme;
		root.dataset.theme = "light";
		for (const details of document.querySelectorAll("details:not(.astext)")) details.open = true;
		redraw();
	});
	addEventListener("afterprint", () => {
		if (theme) root.dataset.theme = theme;
		else delete root.dataset.theme;
		redraw();
	});
}

start();
