// A browser without a network, and a page in it that is listened to.
//   const browser = await launch(MODULES, CHROMIUM)
import { createRequire } from "node:module";
import { join } from "node:path";

export async function launch(modules, executablePath) {
	const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");
	return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"] });
}

// heard: what it asked for beside itself, and what went wrong in it.
export async function open(browser, file, { width = 1280, scheme = "light" } = {}) {
	const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, offline: true });
	const page = await context.newPage(), heard = { requests: [], errors: [] };
	page.on("request", (request) => heard.requests.push(request.url()));
	page.on("console", (message) => ["error", "warning"].includes(message.type()) && heard.errors.push(message.text()));
	page.on("pageerror", (error) => heard.errors.push(String(error)));
	page.on("dialog", (dialog) => { heard.errors.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
	await page.goto(`file://${file}`);
	await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 60000 });
	return { page, heard, close: () => context.close() };
}
