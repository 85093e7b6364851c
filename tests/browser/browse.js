/*
 * browse.js - a real browser, by the pipe that Chromium offers for it
 *
 * Chromium started with --remote-debugging-pipe reads commands from descriptor
 * 3 and answers on descriptor 4, each a JSON object and a NUL.  So no package
 * and no port is needed.
 */
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

class Browser {
	constructor(program) {
		this.home = fs.mkdtempSync(path.join(os.tmpdir(), "cscg-browser."));
		this.child = spawn(program, ["--headless=new", "--no-sandbox", "--disable-gpu",
		    "--no-first-run", "--hide-scrollbars", "--disable-dev-shm-usage",
		    "--remote-debugging-pipe", "--user-data-dir=" + this.home, "about:blank"],
		    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.waiting = new Map();
		this.heard = [];
		this.id = 0;
		let text = "";
		this.child.stdio[4].setEncoding("utf8").on("data", (more) => {
			const all = (text + more).split("\0");
			text = all.pop();
			for (const one of all)
				this.hear(JSON.parse(one));
		});
		this.gone = new Promise((done) => this.child.on("exit", done));
	}
	hear(message) {
		const { id, error, result } = message;
		if (id === undefined) {
			this.heard.push(message);
			return;
		}
		const { done, fail } = this.waiting.get(id);
		this.waiting.delete(id);
		error ? fail(new Error(error.message)) : done(result);
	}
	ask(method, params = {}) {
		return new Promise((done, fail) => {
			this.waiting.set(++this.id, { done, fail });
			this.child.stdio[3].write(JSON.stringify({ id: this.id, method, params,
			    sessionId: this.session }) + "\0");
		});
	}
	async close() {
		this.session = undefined;
		await this.ask("Browser.close").catch(() => {});
		await this.gone;
		fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
	}

	/* A page of this size and theme, when it is drawn. */
	async open(file, { width = 1280, height = 800, theme = "light", phone = false } = {}) {
		this.session = undefined;
		const { targetId } = await this.ask("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.ask("Target.attachToTarget", { targetId, flatten: true });
		this.session = sessionId;
		this.heard = [];
		for (const domain of ["Page", "Runtime", "Log", "Network"])
			await this.ask(domain + ".enable");
		await this.ask("Emulation.setDeviceMetricsOverride", { width, height,
		    deviceScaleFactor: phone ? 2 : 1, mobile: phone });
		await this.ask("Emulation.setEmulatedMedia", { features: [
		    { name: "prefers-color-scheme", value: theme }] });
		await this.ask("Page.navigate", { url: "file://" + path.resolve(file) });
		await this.until("document.readyState === 'complete' && window.cscg && cscg.now().scale !== 40 || document.readyState === 'complete' && !document.getElementById('map')");
		await this.frame();
	}
	async run(expression) {
		const { result, exceptionDetails } = await this.ask("Runtime.evaluate",
		    { expression, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception.description);
		return result.value;
	}
	/* Wait for a condition, at most five minutes. */
	async until(expression) {
		for (let i = 0; i < 3000; i++) {
			if (await this.run(`!!(${expression})`).catch(() => false))
				return true;
			await new Promise((done) => setTimeout(done, 100));
		}
		throw new Error("never: " + expression);
	}
	frame() {
		return this.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
	}
	async mouse(type, x, y, more = {}) {
		await this.ask("Input.dispatchMouseEvent", { type, x, y, ...more });
	}
	async click(x, y) {
		await this.mouse("mouseMoved", x, y);
		await this.mouse("mousePressed", x, y, { button: "left", buttons: 1, clickCount: 1 });
		await this.mouse("mouseReleased", x, y, { button: "left", clickCount: 1 });
		await this.frame();
	}
	async clickOn(id) {
		const [x, y] = await this.run(`(() => { const e = document.getElementById("${id}");
		    e.scrollIntoView({ block: "nearest" }); const b = e.getBoundingClientRect();
		    return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
		await this.click(x, y);
	}
	async key(key, modifiers = 0) {
		const text = key.length === 1 ? { text: key } : {};
		await this.ask("Input.dispatchKeyEvent", { type: "keyDown", key, modifiers, ...text });
		await this.ask("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers });
		await this.frame();
	}
	/* CPU seconds of the page, without other processes. */
	async cpu() {
		await this.ask("Performance.enable", { timeDomain: "threadTicks" });
		const { metrics } = await this.ask("Performance.getMetrics");
		return metrics.find((m) => m.name === "TaskDuration").value;
	}
	async shot(file) {
		const { data } = await this.ask("Page.captureScreenshot", { format: "png" });
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}
	/* Errors and network requests since the page was opened. */
	faults() {
		return this.heard.map(({ method, params }) =>
		    method === "Runtime.exceptionThrown" ? params.exceptionDetails.exception.description :
		    method === "Log.entryAdded" && params.entry.level === "error" ? params.entry.text :
		    method === "Network.requestWillBeSent" && !/^(file|data):/.test(params.request.url) ?
		    "asks for " + params.request.url : null).filter(Boolean);
	}
}
module.exports = { Browser };
