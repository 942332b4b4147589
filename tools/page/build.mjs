// Builds the page's template: one file with the style, the script and their hashes in its policy.
//   node build.mjs OUT    (NODE_MODULES: where uplot and esbuild are; default: beside this file)
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.NODE_MODULES ?? join(here, "node_modules");
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

async function bundle(file) {
	const built = await esbuild.build({
		absWorkingDir: here, entryPoints: [join(here, "src", file)], bundle: true, minify: true,
		write: false, format: "iife", target: ["chrome111", "firefox113", "safari16.4"], charset: "ascii",
		legalComments: "none", alias: { uplot: join(modules, "uplot/dist/uPlot.esm.js"),
			"uplot.css": join(modules, "uplot/dist/uPlot.min.css") },
	});
	return built.outputFiles[0].text.trim();
}

const licence = readFileSync(join(modules, "uplot/LICENSE"), "utf8").trim();
const script = `/* uPlot:\n${licence} */\n${await bundle("main.js")}`;
const style = await bundle("page.css");
for (const [name, text] of Object.entries({ script, style }))
	if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`the ${name} would end its own element`);

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
	"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'";
const template = readFileSync(join(here, "src", "page.html"), "utf8")
	.replace("POLICY", () => policy).replace("STYLE", () => style).replace("SCRIPT", () => script);
if (template.split("<!--DOCUMENTS-->").length !== 2) throw new Error("one place for the documents");
writeFileSync(process.argv[2], template);
console.log(`${process.argv[2]}: ${template.length} bytes`);
