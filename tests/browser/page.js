/*
 * page.js DIR PROGRAM - the pages of DIR in a browser, as TAP
 *
 * map.html   a model with a walk and a plan of DIR/length actions
 * odd.html   a model whose names are markup
 * names.html a room of seven names, short and long
 * short.html a room of three short names
 * big.html   2,025 states
 * With SHOTS set, pictures are left in that directory.
 */
"use strict";
const fs = require("node:fs");
const { Browser } = require("./browse.js");
const { ok, is, finish, contrast, themes, sizes } = require("./tap.js");
const [dir, program] = process.argv.slice(2);
const shots = process.env.SHOTS;
const text = (b, id) => b.run(`document.getElementById("${id}").innerText`);
const now = (b) => b.run("cscg.now()");

async function point(b) {
	let [x, y] = await b.run("cscg.where(5)");
	await b.mouse("mouseMoved", x, y);
	await b.frame();
	is((await now(b)).over, 5, "the pointer selects the state under it");
	const tip = await text(b, "tip");
	ok(/^state 5\n/.test(tip), "the tooltip names the state", tip);
	for (const number of [/symbol \d+/, /clone \d+ of \d+/, /entered [\d.]+ times/])
		ok(number.test(tip), `the tooltip has ${number}`, tip);
	/* Transitions as in the file: action, to, p, count. */
	const rows = await b.run(`[...document.querySelectorAll("#tip tbody tr")].map((r) =>
	    [...r.cells].map((c) => c.textContent).join(" ")).join("; ")`);
	is(rows, fs.readFileSync(dir + "/moves", "utf8").trim(), "the tooltip lists the transitions of the state");
	is(await b.run("getComputedStyle(document.getElementById('tip')).display === 'none'"), false,
	    "the tooltip is visible");
	/* The line passes through the midpoint of two neighbours. */
	const to = +fs.readFileSync(dir + "/neighbour", "utf8");
	const [u, v] = await b.run(`[cscg.where(5), cscg.where(${to})]`);
	await b.mouse("mouseMoved", (u[0] + v[0]) / 2, (u[1] + v[1]) / 2);
	await b.frame();
	const edge = await text(b, "tip");
	ok(edge.includes(`5 to ${to}, p `) && edge.includes("count"), "the tooltip of an edge lists its transitions", edge);
}

async function click(b) {
	const [x, y] = await b.run("cscg.where(5)");
	await b.click(x, y);
	is((await now(b)).chosen, 5, "a click selects a state");
	ok(/^state 5\n/i.test(await text(b, "pinned")), "the panel shows the selected state", await text(b, "pinned"));
	await b.run("document.querySelector('#pinned td button').click()");
	is((await now(b)).chosen, +(await b.run("cscg.data.to[cscg.data.from.indexOf(5)]")),
	    "a click on a transition in the table selects its successor");
	await b.key("Escape");
	is((await now(b)).chosen, -1, "Esc deselects the state");
	await b.key("]");
	is((await now(b)).chosen, 0, "the key ] selects the first state");
	await b.key("[");
	is((await now(b)).chosen, await b.run("cscg.data.n - 1"), "the key [ goes from the first state to the last");
	await b.key("Escape");
}

async function move(b) {
	const before = (await now(b)).scale, at = await b.run("cscg.where(5)");
	await b.mouse("mouseWheel", at[0], at[1], { deltaX: 0, deltaY: -300 });
	await b.until(`cscg.now().scale > ${before}`);
	const after = await b.run("cscg.where(5)");
	ok(Math.hypot(after[0] - at[0], after[1] - at[1]) < 1, "zooming by the wheel keeps the point under the pointer",
	    `${at} ${after}`);
	await b.mouse("mousePressed", 300, 500, { button: "left", buttons: 1, clickCount: 1 });
	await b.mouse("mouseMoved", 320, 480, { button: "left", buttons: 1 });
	await b.mouse("mouseMoved", 350, 460, { button: "left", buttons: 1 });
	await b.mouse("mouseReleased", 350, 460, { button: "left", clickCount: 1 });
	await b.frame();
	const moved = await b.run("cscg.where(5)");
	ok(Math.abs(moved[0] - after[0] - 50) < 1 && Math.abs(moved[1] - after[1] + 40) < 1,
	    "the picture can be dragged", `${after} ${moved}`);
	await b.key("0");
	is((await now(b)).scale, before, "the key 0 shows the whole graph");
}

async function play(b) {
	const length = +fs.readFileSync(dir + "/length", "utf8");
	is((await now(b)).step, 0, "the plan begins at step 0");
	await b.key("ArrowRight");
	is((await now(b)).step, 1, "the right arrow key is one step forward");
	await b.clickOn("back");
	is((await now(b)).step, 0, "the back button is one step back");
	await b.run("document.getElementById('speed').value = '15'");
	await b.clickOn("play");
	is(await text(b, "play"), "Pause", "the play button starts the plan");
	await b.until("!cscg.now().playing");
	is((await now(b)).step, length, "the plan plays to its last step");
	is(await b.run("cscg.data.runs.at(-1).z.at(-1)"), +fs.readFileSync(dir + "/goal", "utf8"),
	    "which is the goal");
	const told = await text(b, "now");
	ok(told.startsWith(`step ${length} of ${length} · state `) && told.endsWith("· end"),
	    "and says so", told);
	await b.run(`const r = document.getElementById("run"); r.value = "0";
	    r.dispatchEvent(new Event("change"))`);
	await b.run(`const s = document.getElementById("step"); s.value = "20";
	    s.dispatchEvent(new Event("input"))`);
	is((await now(b)).step, 20, "the slider selects a step of the walk");
	await b.key("c");
	is((await now(b)).mode, "belief", "colours by belief can be selected");
	const [x, y] = await b.run("cscg.where(cscg.data.runs[0].z[20])");
	await b.mouse("mouseMoved", x, y);
	await b.frame();
	ok(/belief [01]/.test(await text(b, "tip")), "the tooltip of a state has its belief", await text(b, "tip"));
	if (shots)
		await b.shot(`${shots}/walk.png`);
	ok(/ · saw .* · belief [01]/.test(await text(b, "now")), "the line of the step has the belief", await text(b, "now"));
}

async function looks(b) {
	for (const theme of themes)
		for (const [name, size] of sizes) {
			await b.open(dir + "/map.html", { theme, ...size });
			is(await b.run("document.documentElement.scrollWidth <= innerWidth"), true,
			    `${name}, ${theme}: the page is not wider than the screen`);
			const ratio = await contrast(b, "h1, p, dt, dd, label, output, li");
			ok(ratio >= 4.5, `${name}, ${theme}: contrast of text is at least 4.5`, ratio);
			if (shots)
				await b.shot(`${shots}/map-${name}-${theme}.png`);
		}
}

/* Every state is in the picture, below the buttons. */
const whole = (b) => b.run(`(() => {
	const box = document.getElementById("map").getBoundingClientRect();
	return Array.from({ length: cscg.data.n }, (_, v) => cscg.where(v)).every(([x, y]) =>
	    x > box.left + 5 && x < box.right - 5 && y > box.top + 48 && y < box.bottom - 5); })()`);

/* A 3D drawing stays inside the screen of a phone in any rotation. */
async function solid(b) {
	await b.open(dir + "/torus.html", sizes[1][1]);
	is((await now(b)).solid, true, "a torus is drawn in 3D");
	let cut = 0;
	for (let i = 0; i < 12; i++) {
		cut += !await whole(b);
		for (const key of ["ArrowLeft", "ArrowUp", "ArrowUp"])
			await b.key(key, 8);
	}
	is(cut, 0, "no rotation cuts off a part of the torus");
	await b.ask("Emulation.setDeviceMetricsOverride", { width: 700, height: 390,
	    deviceScaleFactor: 2, mobile: true });
	await b.frame();
	await b.frame();
	is(await whole(b), true, "the torus is whole on a rotated screen");
	const legend = await text(b, "legend");
	ok(/^0 look 0$/m.test(legend), "the legend names the symbols with their numbers", legend);
	is(await b.run(`(() => {
		const dot = [...document.querySelectorAll("#legend li")].find((l) => l.textContent === "3 look 3").firstChild;
		const seen = document.createElement("i");
		seen.style.background = cscg.colour(cscg.data.label.indexOf(3));
		return seen.style.background === dot.style.background && dot.style.background !== ""; })()`), true,
	    "in the colours that they have");
	is(await b.run("document.querySelectorAll('#legend .dot').length"), 31, "the legend has each symbol once");
}

/* Labels stay inside their circles, and the whole name is shown on pointing. */
async function names(b) {
	await b.open(dir + "/names.html");
	/* Half of the diagonal of the letters' box, for a radius of 100. */
	const labels = await b.run(`Array.from({ length: cscg.data.n }, (_, v) => {
		const { text, size } = cscg.label(v), pen = document.createElement("canvas").getContext("2d");
		pen.font = 100 * size + "px system-ui, sans-serif";
		pen.textBaseline = "middle";
		const box = pen.measureText(text);
		return { text, out: Math.hypot(box.width / 2, Math.max(pen.measureText("x").actualBoundingBoxAscent,
		    pen.measureText("x").actualBoundingBoxDescent)) };
	})`);
	for (const { text, out } of labels)
		ok(out <= 100, `the label "${text}" is inside its circle`, out);
	is(labels.map((l) => l.text).join(), "0,1,2,3,4,5,6", "labels are numbers if one name is long");
	ok((await text(b, "legend")).includes("5 😀😀😀😀😀😀😀😀"), "the legend has the name of each number");
	const [x, y] = await b.run("cscg.where(4)");
	await b.mouse("mouseMoved", x, y);
	await b.frame();
	const tip = await text(b, "tip");
	ok(tip.includes("Fußgängerüberführung, 2. Stock"), "the tooltip has the whole name", tip);
	if (shots)
		await b.shot(`${shots}/names.png`);
	is(b.faults().join(), "", "no JavaScript errors");
	await b.open(dir + "/short.html");
	const short = await b.run("Array.from({ length: cscg.data.n }, (_, v) => cscg.label(v))");
	is(short.map((l) => l.text).join(), "a,hall,MMMM", "short names are labels");
	is(new Set(short.map((l) => l.size)).size, 1, "all labels have one size");
	ok(/^hall$/m.test(await text(b, "legend")), "the legend then has no numbers");
}

/*
 * The files saved by the buttons: drawing, title and legend, in both formats.
 */
async function saved(b) {
	await b.open(dir + "/names.html");
	const svg = await b.run("cscg.svg()");
	if (shots)
		fs.writeFileSync(`${shots}/saved.svg`, svg);
	const made = await b.run(`(() => {
		const doc = new DOMParser().parseFromString(cscg.svg(), "image/svg+xml");
		return { fault: !!doc.querySelector("parsererror"),
		    texts: [...doc.querySelectorAll("text")].map((t) => t.textContent),
		    colours: [...doc.querySelectorAll("[fill]")].every((e) => /^(none|#[0-9a-f]{6})$/.test(e.getAttribute("fill"))),
		    foreign: doc.querySelectorAll("script, image, style").length }; })()`);
	is(made.fault, false, "the saved SVG is well-formed XML");
	ok(made.texts.includes(await b.run("cscg.data.title")), "the saved SVG has the title", made.texts.join());
	ok(made.texts.includes("4 Fußgängerüberführung, 2. Stock"), "the saved SVG has whole names in its legend", made.texts.join());
	ok(made.colours && !made.foreign, "the saved SVG has plain colours and no foreign elements");
	/* The middle of each node has the colour of its symbol. */
	const wrong = await b.run(`new Promise((done) => {
		const picture = new Image();
		picture.onload = () => {
			const c = document.createElement("canvas"), box = document.getElementById("map").getBoundingClientRect();
			c.width = picture.width;
			c.height = picture.height;
			const pen = c.getContext("2d");
			pen.drawImage(picture, 0, 0);
			let wrong = 0;
			for (let v = 0; v < cscg.data.n; v++) {
				const [x, y] = cscg.where(v), p = document.createElement("canvas").getContext("2d");
				p.fillStyle = cscg.colour(v);
				p.fillRect(0, 0, 1, 1);
				const want = p.getImageData(0, 0, 1, 1).data;
				/* Left of the letters, inside the circle. */
				const got = pen.getImageData(3 * (x - box.left - 0.26 * cscg.now().scale), 3 * (y - box.top), 1, 1).data;
				wrong += [0, 1, 2].some((k) => Math.abs(got[k] - want[k]) > 6);
			}
			done(wrong);
		};
		picture.src = cscg.png();
	})`);
	is(wrong, 0, "the PNG has every node in its colour, at three times the size");
	const clicked = await b.run(`(() => {
		const names = [], click = HTMLAnchorElement.prototype.click;
		HTMLAnchorElement.prototype.click = function () { names.push(this.download, this.href.slice(0, 5)); };
		document.getElementById("svg").click();
		HTMLAnchorElement.prototype.click = click;
		return names.join(" "); })()`);
	ok(/^[^ .]+\.svg blob:$/.test(clicked), "the button saves a file named by the title", clicked);
	if (shots)
		fs.writeFileSync(`${shots}/saved.png`, Buffer.from((await b.run("cscg.png()")).split(",")[1], "base64"));
	is(b.faults().join(), "", "no JavaScript errors");
}

/* The time is reported, not checked: it depends on the machine. */
async function time(b, what, rough) {
	const before = await b.cpu(), wall = await b.run(`cscg.time(30, ${rough})`);
	const cpu = (await b.cpu() - before) * 1000 / 30;
	console.log(`# ${what}: ${cpu.toFixed(1)} ms of a core for a drawing, ${wall.toFixed(1)} ms by the clock`);
}

async function main() {
	const b = new Browser(program);
	try {
		await b.open(dir + "/map.html");
		is(await b.run("document.title"), await b.run("document.querySelector('h1').textContent"), "the page has a title");
		await point(b);
		await click(b);
		await move(b);
		await play(b);
		is(b.faults().join(), "", "no JavaScript errors and no requests");
		await looks(b);
		await solid(b);
		is(b.faults().join(), "", "no JavaScript errors");
		await names(b);
		await saved(b);
		await b.open(dir + "/odd.html");
		is(await b.run("document.querySelectorAll('img, b').length"), 0, "names are not parsed as markup");
		is(await b.run("window.hacked"), undefined, "names are not run as script");
		ok((await text(b, "legend")).includes("</script><img src=x onerror=hacked=1>"),
		    "but text", await text(b, "legend"));
		is(b.faults().join(), "", "no JavaScript errors");
		await b.open(dir + "/big.html");
		is(await b.run("cscg.data.n"), 2025, "the page has 2,025 states");
		await time(b, "the page has 2,025 states", false);
		await time(b, "while they are moved", true);
		if (shots)
			await b.shot(`${shots}/big-flat.png`);
		await b.key("f");
		await time(b, "in 3D", false);
		await time(b, "while it is turned", true);
		if (shots)
			await b.shot(`${shots}/big-solid.png`);
		is(b.faults().join(), "", "no JavaScript errors");
	} catch (e) {
		ok(false, "the browser answers", e.message);
	}
	await b.close();
	finish();
}
main();
