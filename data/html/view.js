/*
 * view.js - the script of the page that cscg-show --as html writes
 *
 * The page holds one object of data: states with their positions, transitions,
 * and walks or plans to play.  Everything is drawn on one canvas; all that
 * comes from files is put into the page as text, never as markup.
 */
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("data").textContent);
const n = data.n, what = data.what;
const canvas = $("map"), screenPen = canvas.getContext("2d");
let pen = screenPen;	/* what draw() draws with */

/* ---- the graph ---- */

const actionName = (a) => data.actions ? data.actions[a] : "action " + a;
const labelName = (s) => data.symbols ? data.symbols[s] : String(s);

/*
 * Transitions by state, outgoing and incoming; lines: all transitions between
 * two states.
 */
const out = Array.from({ length: n }, () => []);
const into = Array.from({ length: n }, () => []);
const visits = new Float64Array(n);
const lines = [];
{
	const between = new Map();
	data.from.forEach((u, i) => {
		const v = data.to[i];
		out[u].push(i);
		into[v].push(i);
		if (data.count)
			visits[v] += data.count[i];
		if (u === v)
			return;
		const lo = Math.min(u, v), hi = Math.max(u, v), key = lo * n + hi;
		let line = between.get(key);
		if (!line) {
			line = { lo, hi, moves: [], there: false, back: false, p: 0 };
			between.set(key, line);
			lines.push(line);
		}
		line.moves.push(i);
		line.there ||= u === lo;
		line.back ||= u === hi;
		line.p = Math.max(line.p, data.p[i]);
	});
}

/* An action and the one that usually leads back share a colour. */
const nActions = data.n_actions;
const classOf = (() => {
	const seen = new Map(), mate = [], kind = [];
	for (const line of lines)
		for (const i of line.moves)
			for (const j of line.moves)
				if (data.from[i] === data.to[j]) {
					const key = data.a[i] * nActions + data.a[j];
					seen.set(key, (seen.get(key) || 0) + 1);
				}
	const most = new Float64Array(nActions);
	for (let a = 0; a < nActions; a++)
		mate[a] = a;
	for (const [key, times] of seen) {
		const a = Math.floor(key / nActions);
		if (times > most[a]) {
			most[a] = times;
			mate[a] = key % nActions;
		}
	}
	let classes = 0;
	for (let a = 0; a < nActions; a++) {
		const m = mate[mate[a]] === a ? mate[a] : a;
		kind[a] = m < a ? kind[m] : classes++;
	}
	return kind;
})();
for (const line of lines)
	line.classes = [...new Set(line.moves.map((i) => classOf[data.a[i]]))];

/* Which clone of its symbol a state is, and how many there are. */
const group = data.label || null;
const ranks = new Map();
const clones = new Map();
if (group) {
	for (const s of [...new Set(group)].sort((a, b) => a - b)) {
		ranks.set(s, ranks.size);
		clones.set(s, []);
	}
	group.forEach((s, v) => clones.get(s).push(v));
}

/* ---- colours ---- */

/* Colours that most people can tell apart (Okabe and Ito), by theme. */
const actionColours = {
	light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b87f00", "#56b4e9", "#555555"],
	dark: ["#5db8f0", "#ff9a5c", "#3fd6a6", "#eaa6cb", "#f2c14e", "#9bd6ff", "#b5b5b5"],
};
const darkQuery = matchMedia("(prefers-color-scheme: dark)");
let dark = darkQuery.matches, css = {};

function readTheme() {
	const style = getComputedStyle(document.documentElement);
	dark = darkQuery.matches;
	for (const name of ["paper", "card", "ink", "soft", "plain", "accent", "rim", "trail"])
		css[name] = style.getPropertyValue("--" + name).trim();
}

function actionColour(c) {
	const list = actionColours[dark ? "dark" : "light"];
	return c < list.length ? list[c] :
	    `oklch(${dark ? 0.78 : 0.55} 0.13 ${(c * 137.5) % 360})`;
}

/*
 * Hues spread evenly; lightness alternates, so that neighbours differ.  More
 * than 64 cannot be distinguished.
 */
function rankColour(rank, of) {
	if (of > 64)
		return rankColour(rank % 64, 64);
	const odd = rank % 2, hue = 360 * (rank + 0.35) / (of + of % 2);
	return dark ? `oklch(${odd ? 0.42 : 0.55} ${odd ? 0.11 : 0.1} ${hue})` :
	    `oklch(${odd ? 0.7 : 0.85} ${odd ? 0.13 : 0.1} ${hue})`;
}

/* A colour scale from 0 to 1. */
function rampColour(share) {
	const s = Math.max(0, Math.min(1, share));
	return dark ? `oklch(${0.36 + 0.42 * s} ${0.01 + 0.15 * s} ${260 - 205 * s})` :
	    `oklch(${0.9 - 0.32 * s} ${0.01 + 0.18 * s} ${90 - 48 * s})`;
}

const modes = [];
if (group)
	modes.push([data.grounded ? "symbol" : "clones", data.grounded ? "symbol" : "group of clones"]);
if (data.runs.some((r) => r.belief))
	modes.push(["belief", "belief"]);
if (data.part)
	modes.push(["part", "part"]);
if (data.count)
	modes.push(["visits", "how often"]);
if (!modes.length)
	modes.push(["none", "nothing"]);
let mode = modes[0][0], fills = [];

function colourStates() {
	const belief = beliefNow(), busiest = Math.max(1, ...visits);
	const parts = data.part ? 1 + Math.max(...data.part) : 0;
	const cache = new Map();
	const once = (key, make) => {
		if (!cache.has(key))
			cache.set(key, make());
		return cache.get(key);
	};
	for (let v = 0; v < n; v++) {
		if (mode === "belief") {
			const p = belief.get(v) || 0;
			fills[v] = once(p, () => rampColour(Math.sqrt(p)));
		} else if (mode === "visits") {
			const k = Math.round(40 * Math.log1p(visits[v]) / Math.log1p(busiest));
			fills[v] = once(k, () => rampColour(k / 40));
		} else if (mode === "part") {
			fills[v] = data.part[v] < 0 ? css.plain :
			    once(data.part[v], () => rankColour(data.part[v], parts));
		} else if (mode === "none") {
			fills[v] = css.plain;
		} else {
			fills[v] = once(group[v], () => rankColour(ranks.get(group[v]), ranks.size));
		}
	}
}

/* ---- positions on the screen ---- */

const view = { solid: data.view === "solid", scale: 40, x: 0, y: 0, yaw: 0.4, pitch: -0.6 };
const sx = new Float64Array(n), sy = new Float64Array(n), depth = new Float64Array(n);
let width = 1, height = 1;

/* The centre of the positions, and their extent. */
function extent(at, dim) {
	const low = Array(dim).fill(Infinity), high = Array(dim).fill(-Infinity);
	at.forEach((c, i) => {
		low[i % dim] = Math.min(low[i % dim], c);
		high[i % dim] = Math.max(high[i % dim], c);
	});
	return { mid: low.map((l, i) => (l + high[i]) / 2), size: low.map((l, i) => high[i] - l) };
}
const flat = data.flat.map((c) => c / 100), flatBox = extent(flat, 2);
const solid = data.solid.map((c) => c / 100), solidBox = extent(solid, 3);
const radius3 = Math.hypot(...solidBox.size) / 2 + 1;
/* How far the solid picture reaches from its middle, however it is turned: a
   ball seen from FAR of its radii, where what is nearer is larger. */
const FAR = 3.5;
const reach3 = (() => {
	let most = 0;
	for (let v = 0; v < n; v++)
		most = Math.max(most, Math.hypot(...solidBox.mid.map((m, k) => solid[3 * v + k] - m)));
	return most / Math.sqrt(1 - (most / radius3 / FAR) ** 2);
})();

/* Positions in the plane of the picture, before it is moved and scaled. */
function flatten() {
	if (!view.solid) {
		for (let v = 0; v < n; v++) {
			sx[v] = flat[2 * v] - flatBox.mid[0];
			sy[v] = flat[2 * v + 1] - flatBox.mid[1];
			depth[v] = 1;
		}
		return;
	}
	const cy = Math.cos(view.yaw), ty = Math.sin(view.yaw);
	const cp = Math.cos(view.pitch), tp = Math.sin(view.pitch);
	for (let v = 0; v < n; v++) {
		const x = solid[3 * v] - solidBox.mid[0], y = solid[3 * v + 1] - solidBox.mid[1];
		const z = solid[3 * v + 2] - solidBox.mid[2];
		const x1 = cy * x - ty * y, y1 = ty * x + cy * y;
		const y2 = cp * y1 - tp * z, z2 = tp * y1 + cp * z;
		const near = 1 / (1 - z2 / radius3 / FAR);
		sx[v] = x1 * near;
		sy[v] = y2 * near;
		depth[v] = Math.max(0, Math.min(1, 0.5 + z2 / radius3 / 2));
	}
}

function project() {
	flatten();
	for (let v = 0; v < n; v++) {
		sx[v] = (sx[v] - view.x) * view.scale + width / 2;
		sy[v] = (sy[v] - view.y) * view.scale + height / 2;
	}
}

const TOOLS = 48;	/* pixels at the top that the buttons are in front of */
let fitted = true;	/* not moved or scaled since */
function fit() {
	flatten();
	let lx = Infinity, ly = Infinity, hx = -Infinity, hy = -Infinity;
	if (view.solid) {
		lx = ly = -reach3;
		hx = hy = reach3;
	}
	for (let v = 0; v < n && !view.solid; v++) {
		lx = Math.min(lx, sx[v]);
		hx = Math.max(hx, sx[v]);
		ly = Math.min(ly, sy[v]);
		hy = Math.max(hy, sy[v]);
	}
	/* A margin for the nodes themselves, and for what wraps. */
	view.scale = Math.max(0.5, Math.min(width / (hx - lx + 1.7), (height - TOOLS) / (hy - ly + 1.7), 90));
	view.x = (lx + hx) / 2;
	view.y = (ly + hy) / 2 - TOOLS / 2 / view.scale;
	fitted = true;
	ask();
}

const nodeRadius = () => Math.max(1.5, Math.min(26, 0.32 * view.scale));

/* Does the transition wrap around in a 2D picture?  Then it is drawn as stubs. */
function overRim(u, v) {
	if (view.solid || !data.given)
		return null;
	const d = [0, 1].map((k) => flat[2 * v + k] - flat[2 * u + k]);
	const over = d.map((x, k) => Math.abs(x) > 1.5 && Math.abs(x) > 0.6 * flatBox.size[k]);
	if (!over[0] && !over[1])
		return null;
	return d.map((x, k) => over[k] ? -Math.sign(x) * 0.72 : x * 0.72);
}
for (const line of lines) {
	const keep = view.solid;
	view.solid = false;
	line.rim = overRim(line.lo, line.hi);
	view.solid = keep;
}

/* ---- drawing ---- */

/* While a large picture is being moved it is drawn roughly, and well after it. */
let hurried = false, calm = 0;
function hurry() {
	if (n < 1000)
		return;
	hurried = nodeRadius() < 8;
	clearTimeout(calm);
	calm = setTimeout(() => {
		hurried = false;
		ask();
	}, 150);
}

let asked = false;
function ask() {
	if (!asked)
		requestAnimationFrame(() => {
			asked = false;
			draw();
		});
	asked = true;
}

function seen(x, y, margin) {
	return x > -margin && x < width + margin && y > -margin && y < height + margin;
}

/* One line, moved aside by this many pixels. */
function strokeLine(line, aside) {
	const ax = sx[line.lo], ay = sy[line.lo], bx = sx[line.hi], by = sy[line.hi];
	if (line.rim && !view.solid) {
		const [dx, dy] = line.rim.map((d) => d * view.scale);
		pen.moveTo(ax, ay);
		pen.lineTo(ax + dx, ay + dy);
		pen.moveTo(bx, by);
		pen.lineTo(bx - dx, by - dy);
		return;
	}
	if ((ax < 0 && bx < 0) || (ay < 0 && by < 0) ||
	    (ax > width && bx > width) || (ay > height && by > height))
		return;
	let ox = 0, oy = 0;
	if (aside) {
		const l = Math.hypot(bx - ax, by - ay) || 1;
		ox = aside * (by - ay) / l;
		oy = -aside * (bx - ax) / l;
	}
	pen.moveTo(ax + ox, ay + oy);
	pen.lineTo(bx + ox, by + oy);
}

/* The head of an arrow between a and b, at this fraction of the line. */
function arrowHead(ax, ay, bx, by, share, size) {
	const l = Math.hypot(bx - ax, by - ay) || 1;
	const ux = (bx - ax) / l, uy = (by - ay) / l;
	const x = ax + (bx - ax) * share, y = ay + (by - ay) * share;
	pen.moveTo(x + ux * size, y + uy * size);
	pen.lineTo(x - ux * size - uy * size * 0.8, y - uy * size + ux * size * 0.8);
	pen.lineTo(x - ux * size + uy * size * 0.8, y - uy * size - ux * size * 0.8);
}

/* Lines of one slice of depth, a stroke for each colour and width; one-way ones
   have an arrow at the circle, of radius r, that they lead to. */
function drawLines(list, alpha, r) {
	const batches = new Map();
	for (const line of list)
		line.classes.forEach((c, k) => {
			const key = c * 2 + (line.p < 0.5);
			if (!batches.has(key))
				batches.set(key, []);
			batches.get(key).push([line, line.classes.length > 1 ?
			    (k - (line.classes.length - 1) / 2) * 2.4 : 0]);
		});
	pen.globalAlpha = alpha;
	for (const [key, batch] of batches) {
		pen.strokeStyle = pen.fillStyle = actionColour(key >> 1);
		pen.lineWidth = Math.max(0.5, Math.min(2.6, view.scale / 20)) * (key % 2 ? 0.45 : 1);
		pen.beginPath();
		for (const [line, aside] of batch)
			strokeLine(line, aside);
		pen.stroke();
		if (view.scale < 12)
			continue;
		pen.beginPath();
		for (const [line] of batch)
			if (line.there !== line.back && !(line.rim && !view.solid)) {
				const [u, v] = line.there ? [line.lo, line.hi] : [line.hi, line.lo];
				const size = Math.min(6, view.scale / 9);
				const length = Math.hypot(sx[v] - sx[u], sy[v] - sy[u]) || 1;
				arrowHead(sx[u], sy[u], sx[v], sy[v], Math.max(0.58, 1 - (r + size) / length), size);
			}
		pen.fill();
	}
	pen.globalAlpha = 1;
}

/*
 * The text of a state, and its size for a circle of radius 1.  All states have
 * the name of their symbol if every name has at most SHORT letters, else its
 * number, which the legend translates; one size, which the widest fits.
 */
const SHORT = 4;
const numbered = !!data.symbols && [...ranks.keys()].some((s) => [...labelName(s)].length > SHORT);
const labelText = (v) => group && !numbered ? labelName(group[v]) : String(group ? group[v] : v);
let labelSize = 0;
function label(v) {
	if (!labelSize) {
		pen.font = "100px system-ui, sans-serif";
		const texts = new Set(Array.from({ length: n }, (_, u) => labelText(u)));
		/* At the height of letters a circle is some 1.9 wide. */
		const wide = Math.max(...[...texts].map((text) => pen.measureText(text).width / 100));
		labelSize = Math.min(0.9, 1.7 / wide);
	}
	return { text: labelText(v), size: labelSize };
}

function circles(list, r) {
	pen.beginPath();
	for (const v of list) {
		/* So small, or so fast, that the difference is not visible. */
		if (r < 3 || hurried) {
			pen.rect(sx[v] - 0.9 * r, sy[v] - 0.9 * r, 1.8 * r, 1.8 * r);
			continue;
		}
		pen.moveTo(sx[v] + r, sy[v]);
		pen.arc(sx[v], sy[v], r, 0, 7);
	}
}

/* Circles of one slice of depth; one path for each colour is what is fast. */
function drawNodes(list, r, faint) {
	const shown = list.filter((v) => seen(sx[v], sy[v], r)), batches = new Map();
	for (const v of shown) {
		if (!batches.has(fills[v]))
			batches.set(fills[v], []);
		batches.get(fills[v]).push(v);
	}
	/* Distant circles are fainter, but must hide those behind them. */
	pen.globalAlpha = 1 - faint;
	if (faint && r > 5) {
		pen.globalAlpha = 1;
		circles(shown, r);
		pen.fillStyle = css.paper;
		pen.fill();
		pen.globalAlpha = 1 - faint;
	}
	for (const [fill, some] of batches) {
		circles(some, r);
		pen.fillStyle = fill;
		pen.fill();
	}
	if (r > 5.5) {
		circles(shown, r);
		pen.lineWidth = Math.min(1, r / 8);
		pen.strokeStyle = css.rim;
		pen.stroke();
	}
	if (r >= 9) {
		pen.textAlign = "center";
		pen.textBaseline = "middle";
		pen.fillStyle = css.ink;
		for (const v of shown) {
			const { text, size } = label(v);
			pen.font = `${Math.round(10 * r * size) / 10}px system-ui, sans-serif`;
			pen.fillText(text, sx[v], sy[v] + r * 0.06);
		}
	}
	pen.globalAlpha = 1;
}

function ring(v, r, colour, wide) {
	if (v < 0)
		return;
	pen.beginPath();
	pen.arc(sx[v], sy[v], r, 0, 7);
	pen.strokeStyle = colour;
	pen.lineWidth = wide;
	pen.stroke();
}

/* The transitions of the selected state, with their names if they fit. */
function drawChosen(v, r) {
	for (const i of out[v]) {
		const u = data.to[i];
		if (u === v)
			continue;
		const colour = actionColour(classOf[data.a[i]]);
		pen.strokeStyle = pen.fillStyle = colour;
		pen.lineWidth = 1 + 2.5 * data.p[i];
		pen.beginPath();
		const rim = overRim(v, u);
		let bx = sx[u], by = sy[u];
		if (rim) {
			bx = sx[v] + rim[0] * view.scale;
			by = sy[v] + rim[1] * view.scale;
		}
		pen.moveTo(sx[v], sy[v]);
		pen.lineTo(bx, by);
		pen.stroke();
		pen.beginPath();
		arrowHead(sx[v], sy[v], bx, by, 0.55, Math.max(4, Math.min(8, r)));
		pen.fill();
	}
	ring(v, r + 3, css.accent, 3);
}

/* The path so far, and of a plan also the rest. */
function drawTrail(r) {
	if (!run)
		return;
	const from = run.plan ? 0 : Math.max(0, step - 25);
	const path = (first, last, alpha, wide) => {
		pen.globalAlpha = alpha;
		pen.strokeStyle = css.trail;
		pen.lineWidth = wide;
		pen.lineJoin = pen.lineCap = "round";
		pen.beginPath();
		for (let t = first; t < last; t++) {
			const u = run.z[t], v = run.z[t + 1];
			if (u < 0 || v < 0 || u === v || run.fresh && run.fresh[t + 1])
				continue;
			const rim = overRim(u, v);
			pen.moveTo(sx[u], sy[u]);
			if (rim) {
				pen.lineTo(sx[u] + rim[0] * view.scale, sy[u] + rim[1] * view.scale);
				pen.moveTo(sx[v], sy[v]);
				pen.lineTo(sx[v] - rim[0] * view.scale, sy[v] - rim[1] * view.scale);
			} else {
				pen.lineTo(sx[v], sy[v]);
			}
		}
		pen.stroke();
		pen.globalAlpha = 1;
	};
	const wide = Math.max(2, Math.min(6, r / 2));
	if (run.plan) {
		path(step, run.z.length - 1, 0.35, wide);
		path(0, step, 0.85, wide);
		ring(run.z[run.z.length - 1], r + 5, css.trail, 2);
	} else {
		path(from, Math.max(from, step - 8), 0.25, wide);
		path(Math.max(from, step - 8), step, 0.6, wide);
	}
}

const SLICES = 8;
function draw(dpr = devicePixelRatio || 1) {
	pen.setTransform(dpr, 0, 0, dpr, 0, 0);
	pen.clearRect(0, 0, width, height);
	project();
	const r = nodeRadius();
	if (view.solid) {
		const slice = (d) => Math.min(SLICES - 1, Math.floor(d * SLICES));
		const some = Array.from({ length: SLICES }, () => [[], []]);
		for (const line of lines)
			some[slice((depth[line.lo] + depth[line.hi]) / 2)][0].push(line);
		for (let v = 0; v < n; v++)
			some[slice(depth[v])][1].push(v);
		some.forEach(([some_lines, nodes], k) => {
			const near = k / (SLICES - 1);
			drawLines(some_lines, 0.3 + 0.6 * near, r * (0.45 + 0.4 * near));
			drawNodes(nodes, r * (0.45 + 0.4 * near), 0.55 * (1 - near));
		});
	} else {
		drawLines(lines, 0.85, r);
	}
	drawTrail(r);
	if (!view.solid)
		drawNodes(everyState, r, 0);
	if (chosen >= 0)
		drawChosen(chosen, r);
	if (over.state >= 0 && over.state !== chosen)
		ring(over.state, r + 2, css.ink, 2);
	if (run && run.z[step] >= 0) {
		ring(run.z[step], r + 2.5, css.paper, 5);
		ring(run.z[step], r + 2.5, css.trail, 3);
	}
}
const everyState = Array.from({ length: n }, (_, v) => v);

/* ---- values of a state ---- */

const number = (x) => x >= 1e6 ? x.toExponential(2) : String(+x.toPrecision(4));

function beliefNow() {
	const belief = new Map();
	if (run && run.belief) {
		const row = run.belief[step];
		for (let i = 0; i < row.length; i += 2)
			belief.set(row[i], row[i + 1] / 1000);
	}
	return belief;
}

function facts(v) {
	const list = [];
	if (group) {
		const all = clones.get(group[v]);
		const name = data.symbols ? ` (${labelName(group[v])})` : "";
		list.push(`${data.grounded ? "symbol" : "group"} ${group[v]}${name}`);
		if (all.length > 1)
			list.push(`clone ${all.indexOf(v) + 1} of ${all.length}`);
	}
	if (data.clone)
		list.push(`group ${data.clone[v]}`);
	if (data.part)
		list.push(`part ${data.part[v]}`);
	if (data.count)
		list.push(`entered ${number(visits[v])} times`);
	if (run && run.belief)
		list.push(`belief ${beliefNow().get(v) || "below 0.005"}`);
	return list;
}

function element(tag, text, parent) {
	const e = document.createElement(tag);
	if (text !== undefined)
		e.textContent = text;
	if (parent)
		parent.append(e);
	return e;
}

function moveTable(moves, other, parent, links) {
	const table = element("table", undefined, parent);
	const head = element("tr", undefined, element("thead", undefined, table));
	for (const title of ["action", other === data.to ? "to" : "from", "p", "count"])
		if (title !== "count" || data.count)
			element("th", title, head).scope = "col";
	const body = element("tbody", undefined, table);
	for (const i of moves.slice(0, 40)) {
		const row = element("tr", undefined, body);
		element("td", actionName(data.a[i]), row);
		const cell = element("td", links ? undefined : other[i], row);
		if (links) {
			const button = element("button", other[i], cell);
			button.type = "button";
			button.addEventListener("click", () => choose(other[i], true));
		}
		element("td", number(data.p[i]), row);
		if (data.count)
			element("td", number(data.count[i]), row);
	}
	if (moves.length > 40)
		element("p", `and ${moves.length - 40} more`, parent).className = "hint";
}

function showTip(x, y) {
	const tip = $("tip");
	tip.textContent = "";
	if (over.state >= 0) {
		element("strong", `${what} ${over.state}`, tip);
		element("div", facts(over.state).join(", "), tip);
		moveTable(out[over.state], data.to, tip, false);
	} else if (over.line) {
		for (const i of over.line.moves)
			element("div", `${actionName(data.a[i])}: ${data.from[i]} to ${data.to[i]}, ` +
			    `p ${number(data.p[i])}` +
			    (data.count ? `, count ${number(data.count[i])}` : ""), tip);
	} else {
		tip.hidden = true;
		return;
	}
	tip.hidden = false;
	/* Beside the pointer, but inside the picture. */
	const w = tip.offsetWidth, h = tip.offsetHeight;
	const left = x + 16 + w > width ? x - 16 - w : x + 16;
	const top = y + 16 + h > height ? y - 16 - h : y + 16;
	tip.style.left = `${Math.max(2, Math.min(left, width - w - 2))}px`;
	tip.style.top = `${Math.max(2, Math.min(top, height - h - 2))}px`;
}

let chosen = -1;
function choose(v, centre) {
	chosen = v;
	const box = $("pinned");
	box.textContent = "";
	if (v < 0) {
		element("p", `Click a ${what}, or point at it, for its numbers.`, box).className = "hint";
		$("find").value = "";
		ask();
		return;
	}
	element("h2", `${what} ${v}`, box);
	element("p", facts(v).join(", "), box).className = "facts";
	element("h3", "Moves from here", box);
	moveTable(out[v], data.to, box, true);
	const others = into[v].filter((i) => data.from[i] !== v);
	if (others.length) {
		element("h3", "Moves that lead here", box);
		moveTable(others, data.from, box, true);
	}
	$("find").value = v;
	project();
	if (centre && !seen(sx[v], sy[v], -40))
		lookAt(v);
	ask();
}

function lookAt(v) {
	flatten();
	view.x = sx[v];
	view.y = sy[v];
	fitted = false;
}

/* ---- pointing ---- */

let over = { state: -1, line: null };
function pick(x, y) {
	const r = Math.max(nodeRadius() + 2, 7);
	let state = -1, line = null, best = r * r;
	for (let v = 0; v < n; v++) {
		const d = (sx[v] - x) ** 2 + (sy[v] - y) ** 2;
		/* In 3D the nearer of two is selected. */
		if (d < best || (view.solid && state >= 0 && d < r * r && depth[v] > depth[state] + 0.1)) {
			best = Math.min(d, best);
			state = v;
		}
	}
	if (state < 0) {
		let near = 36;
		for (const l of lines) {
			if (l.rim && !view.solid)
				continue;
			const ax = sx[l.lo], ay = sy[l.lo], bx = sx[l.hi] - ax, by = sy[l.hi] - ay;
			const along = Math.max(0, Math.min(1, ((x - ax) * bx + (y - ay) * by) / (bx * bx + by * by || 1)));
			const d = (ax + along * bx - x) ** 2 + (ay + along * by - y) ** 2;
			if (d < near) {
				near = d;
				line = l;
			}
		}
	}
	return { state, line };
}

function zoom(by, x = width / 2, y = height / 2) {
	const scale = Math.max(0.5, Math.min(400, view.scale * by));
	/* The point under the pointer stays fixed. */
	view.x += (x - width / 2) * (1 / view.scale - 1 / scale);
	view.y += (y - height / 2) * (1 / view.scale - 1 / scale);
	view.scale = scale;
	fitted = false;
	$("tip").hidden = true;
	hurry();
	ask();
}

function move(dx, dy, turn) {
	if (turn) {
		view.yaw += dx * 0.008;
		view.pitch -= dy * 0.008;
	} else {
		view.x -= dx / view.scale;
		view.y -= dy / view.scale;
		fitted = false;
	}
	hurry();
	ask();
}

const held = new Map();
let dragged = false;
const where = (e) => {
	const box = canvas.getBoundingClientRect();
	return [e.clientX - box.left, e.clientY - box.top];
};
canvas.addEventListener("pointerdown", (e) => {
	canvas.setPointerCapture(e.pointerId);
	held.set(e.pointerId, where(e));
	dragged = held.size > 1;
});
canvas.addEventListener("pointermove", (e) => {
	const [x, y] = where(e), was = held.get(e.pointerId);
	if (!was) {
		over = pick(x, y);
		canvas.classList.toggle("over", over.state >= 0);
		showTip(x, y);
		ask();
		return;
	}
	if (!dragged && Math.hypot(x - was[0], y - was[1]) < 5)
		return;
	dragged = true;
	$("tip").hidden = true;
	canvas.classList.add("held");
	if (held.size === 2) {
		const [a, b] = [...held.entries()].map(([id, p]) => id === e.pointerId ? [[x, y], p] : [p, p]);
		const far = (k) => Math.hypot(a[k][0] - b[k][0], a[k][1] - b[k][1]) || 1;
		move((x - was[0]) / 2, (y - was[1]) / 2, false);
		zoom(far(0) / far(1), (a[0][0] + b[0][0]) / 2, (a[0][1] + b[0][1]) / 2);
	} else {
		move(x - was[0], y - was[1], view.solid && !e.shiftKey);
	}
	held.set(e.pointerId, [x, y]);
});
for (const end of ["pointerup", "pointercancel"])
	canvas.addEventListener(end, (e) => {
		held.delete(e.pointerId);
		canvas.classList.remove("held");
		if (end === "pointerup" && !dragged && !held.size) {
			over = pick(...where(e));
			choose(over.state, false);
		}
	});
canvas.addEventListener("pointerleave", () => {
	over = { state: -1, line: null };
	$("tip").hidden = true;
	ask();
});
canvas.addEventListener("wheel", (e) => {
	e.preventDefault();
	zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), ...where(e));
}, { passive: false });
canvas.addEventListener("dblclick", (e) => zoom(1.8, ...where(e)));

/* ---- playing ---- */

let run = null, step = 0, playing = false, due = 0, last = 0;

function tell() {
	const z = run.z[step], parts = [`step ${step} of ${run.z.length - 1}`];
	parts.push(z < 0 ? "lost: the model cannot explain this" : `${what} ${z}`);
	if (run.x)
		parts.push(run.x[step] < 0 ? "saw nothing" : `saw ${labelName(run.x[step])}`);
	if (run.p && z >= 0)
		parts.push(`${run.plan ? "path so far" : "belief"} ${number(run.p[step])}`);
	parts.push(run.a[step] < 0 ? "end" : `then ${actionName(run.a[step])}`);
	return parts.join(" · ");
}

function goTo(t) {
	step = Math.max(0, Math.min(run.z.length - 1, t));
	$("step").value = step;
	const text = tell();
	$("now").textContent = text;
	$("step").setAttribute("aria-valuetext", text);
	if (mode === "belief")
		colourStates();
	if (chosen >= 0)
		$("pinned").querySelector(".facts").textContent = facts(chosen).join(", ");
	$("back").disabled = step === 0;
	$("next").disabled = step === run.z.length - 1;
	if (run.z[step] >= 0) {
		project();
		if (!seen(sx[run.z[step]], sy[run.z[step]], -20))
			lookAt(run.z[step]);
	}
	ask();
}

function pause() {
	playing = false;
	$("play").textContent = "Play";
	if (run)
		$("said").textContent = tell();
}

function play() {
	if (!run)
		return;
	if (playing) {
		pause();
		return;
	}
	if (step === run.z.length - 1)
		goTo(0);
	playing = true;
	due = 0;
	last = performance.now();
	$("play").textContent = "Pause";
	requestAnimationFrame(tick);
}

function tick(now) {
	if (!playing)
		return;
	due += (now - last) / 1000 * +$("speed").value;
	last = now;
	const whole = Math.floor(due);
	due -= whole;
	if (whole)
		goTo(step + whole);
	if (step === run.z.length - 1)
		pause();
	else
		requestAnimationFrame(tick);
}

function byHand(t) {
	pause();
	goTo(t);
	$("said").textContent = tell();
}

function startRun(i) {
	pause();
	run = data.runs[i];
	$("step").max = run.z.length - 1;
	goTo(0);
	colourStates();
}

/* ---- controls ---- */

function setMode(word) {
	mode = word;
	$("colour").value = word;
	colourStates();
	showLegend();
	ask();
}

function setSolid(on) {
	view.solid = on;
	$("solid").setAttribute("aria-pressed", on);
	$("tip").hidden = true;
	fit();
}

/* What the colours of states stand for, where that has a name: pairs of a name
   and a colour. */
function stateNames() {
	if (mode === "part")
		return [...new Set(data.part)].sort((a, b) => a - b).map((k) =>
		    [k < 0 ? "no part" : `part ${k}`, fills[data.part.indexOf(k)]]);
	if (mode === "symbol" && data.symbols)
		return [...ranks.keys()].map((s) => [numbered ? `${s} ${labelName(s)}` : labelName(s),
		    fills[clones.get(s)[0]]]);
	return [];
}

const NAMES = 40;	/* that a legend has at most */
function showLegend() {
	const list = $("legend"), states = stateNames();
	list.textContent = "";
	const names = new Map();
	/* A single unnamed action is not shown. */
	for (let a = 0; a < nActions && (nActions > 1 || data.actions); a++)
		names.set(classOf[a], (names.get(classOf[a]) || []).concat(actionName(a)));
	for (const [c, words] of [...names].slice(0, 16)) {
		const item = element("li", undefined, list);
		element("i", undefined, item).style.background = actionColour(c);
		item.append(words.join(" / "));
	}
	if (mode === "belief" || mode === "visits") {
		const item = element("li", undefined, list), ramp = element("i", undefined, item);
		ramp.className = "ramp";
		ramp.style.background = `linear-gradient(to right, ${[0, 0.25, 0.5, 0.75, 1].map(rampColour)})`;
		item.append(mode === "belief" ? "belief 0 to 1" : "seldom to often");
	}
	for (const [name, colour] of states.slice(0, NAMES)) {
		const item = element("li", undefined, list), dot = element("i", undefined, item);
		dot.className = "dot";
		dot.style.background = colour;
		item.append(name);
	}
	if (states.length > NAMES)
		element("li", `and ${states.length - NAMES} more`, list);
}

/* ---- saving ---- */

/* A colour of CSS as #rrggbb, which every program reads. */
const hexes = new Map();
const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function hex(colour) {
	if (!hexes.has(colour)) {
		pixel.fillStyle = colour;
		pixel.fillRect(0, 0, 1, 1);
		hexes.set(colour, "#" + [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).map((c) =>
		    c.toString(16).padStart(2, "0")).join(""));
	}
	return hexes.get(colour);
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/* What draw() needs of the context of a canvas, written as SVG. */
class SvgPen {
	parts = [];
	globalAlpha = 1;
	lineCap = "butt";
	setTransform() {}
	clearRect() {}
	beginPath() {
		this.path = "";
	}
	moveTo(x, y) {
		this.path += `M${x.toFixed(2)} ${y.toFixed(2)}`;
	}
	lineTo(x, y) {
		this.path += `L${x.toFixed(2)} ${y.toFixed(2)}`;
	}
	/* Only circles are drawn. */
	arc(x, y, r) {
		this.path += `M${(x + r).toFixed(2)} ${y.toFixed(2)}` +
		    `a${r} ${r} 0 1 0 ${-2 * r} 0a${r} ${r} 0 1 0 ${2 * r} 0z`;
	}
	rect(x, y, w, h) {
		this.path += `M${x.toFixed(2)} ${y.toFixed(2)}h${w}v${h}h${-w}z`;
	}
	add(style) {
		const alpha = this.globalAlpha < 1 ? ` opacity="${this.globalAlpha.toFixed(3)}"` : "";
		if (this.path)
			this.parts.push(`<path d="${this.path}" ${style}${alpha}/>`);
	}
	fill() {
		this.add(`fill="${hex(this.fillStyle)}"`);
	}
	stroke() {
		this.add(`fill="none" stroke="${hex(this.strokeStyle)}" stroke-width="${this.lineWidth.toFixed(2)}"` +
		    (this.lineCap === "round" ? ' stroke-linecap="round" stroke-linejoin="round"' : ""));
	}
	fillRect(x, y, w, h) {
		this.parts.push(`<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${hex(this.fillStyle)}"/>`);
	}
	measureText(text) {
		screenPen.font = this.font;
		return screenPen.measureText(text);
	}
	fillText(text, x, y) {
		const size = parseFloat(this.font);
		const middle = this.textBaseline === "middle" ? 0.36 * size : 0;
		this.parts.push(`<text x="${x.toFixed(2)}" y="${(y + middle).toFixed(2)}" font-size="${size}"` +
		    `${this.textAlign === "center" ? ' text-anchor="middle"' : ""} fill="${hex(this.fillStyle)}">${escaped(text)}</text>`);
	}
	text(w, h) {
		return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${w}" ` +
		    `height="${h}" viewBox="0 0 ${w} ${h}" font-family="Helvetica,Arial,sans-serif">\n` +
		    this.parts.join("\n") + "\n</svg>\n";
	}
}

const ENTRY = 18;	/* height of a line of the legend of a saved picture */
const entries = () => [...$("legend").children].map((item) => ({
	text: item.textContent,
	colour: item.firstElementChild && item.firstElementChild.className !== "ramp" &&
	    item.firstElementChild.style.background,
	dot: item.firstElementChild && item.firstElementChild.className === "dot",
}));

/* Lines of entries [entry, x] that fit into the width. */
function legendRows() {
	const rows = [[]];
	let x = 12;
	pen.font = "12px Helvetica, Arial, sans-serif";
	for (const entry of entries()) {
		const wide = 40 + pen.measureText(entry.text).width;
		if (x + wide > width && rows.at(-1).length) {
			rows.push([]);
			x = 12;
		}
		rows.at(-1).push([entry, x]);
		x += wide;
	}
	return rows;
}

/* The picture as it is seen, with its title and legend, by another pen. */
function paint(target, ratio) {
	const keep = pen;
	pen = target;
	try {
		const rows = legendRows(), high = height + 26 + ENTRY * rows.length;
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		draw(ratio);
		pen.textAlign = "left";
		pen.textBaseline = "alphabetic";
		pen.fillStyle = css.ink;
		pen.font = "14px Helvetica, Arial, sans-serif";
		pen.fillText(data.title, 12, height + 12);
		pen.font = "12px Helvetica, Arial, sans-serif";
		rows.forEach((row, i) => row.forEach(([entry, x]) => {
			const y = height + 16 + ENTRY * (i + 1);
			if (entry.colour) {
				pen.fillStyle = entry.colour;
				pen.fillRect(x, y - (entry.dot ? 9 : 5), entry.dot ? 10 : 16, entry.dot ? 10 : 3);
			}
			pen.fillStyle = css.ink;
			pen.fillText(entry.text, x + (entry.colour ? 20 : 0), y);
		}));
		return high;
	} finally {
		pen = keep;
	}
}

function pictureHeight() {
	return height + 26 + ENTRY * legendRows().length;
}

function svgPicture() {
	const target = new SvgPen(), high = pictureHeight();
	target.fillStyle = css.paper;
	target.fillRect(0, 0, width, high);
	paint(target, 1);
	return target.text(width, high);
}

const PNG_RATIO = 3;
function pngPicture() {
	const sheet = document.createElement("canvas"), high = pictureHeight();
	sheet.width = width * PNG_RATIO;
	sheet.height = high * PNG_RATIO;
	const target = sheet.getContext("2d");
	paint(target, PNG_RATIO);
	target.setTransform(1, 0, 0, 1, 0, 0);
	target.globalCompositeOperation = "destination-over";
	target.fillStyle = css.paper;
	target.fillRect(0, 0, sheet.width, sheet.height);
	return sheet;
}

function save(blob, suffix) {
	const link = document.createElement("a"), url = URL.createObjectURL(blob);
	link.href = url;
	link.download = (data.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "map") + suffix;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}
const saveSvg = () => save(new Blob([svgPicture()], { type: "image/svg+xml" }), ".svg");
const savePng = () => pngPicture().toBlob((blob) => save(blob, ".png"));

const keys = {
	" ": play,
	"ArrowLeft": () => run ? byHand(step - 1) : move(40, 0, view.solid),
	"ArrowRight": () => run ? byHand(step + 1) : move(-40, 0, view.solid),
	"ArrowUp": () => move(0, 40, view.solid),
	"ArrowDown": () => move(0, -40, view.solid),
	"Home": () => run && byHand(0),
	"End": () => run && byHand(run.z.length - 1),
	"+": () => zoom(1.25),
	"=": () => zoom(1.25),
	"-": () => zoom(0.8),
	"0": fit,
	"[": () => choose((chosen < 0 ? n : chosen) - 1 < 0 ? n - 1 : (chosen < 0 ? n : chosen) - 1, true),
	"]": () => choose((chosen + 1) % n, true),
	"f": () => setSolid(!view.solid),
	"c": () => setMode(modes[(modes.findIndex((m) => m[0] === mode) + 1) % modes.length][0]),
	"Escape": () => choose(-1, false),
};
const turns = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
document.addEventListener("keydown", (e) => {
	const tag = e.target.tagName;
	if (e.ctrlKey || e.metaKey || e.altKey || tag === "SELECT" || tag === "INPUT" ||
	    ((tag === "BUTTON" || tag === "SUMMARY") && e.key === " "))
		return;
	if (e.shiftKey && turns[e.key])
		move(...turns[e.key], view.solid);
	else if (keys[e.key])
		keys[e.key]();
	else
		return;
	e.preventDefault();
});

$("svg").addEventListener("click", saveSvg);
$("png").addEventListener("click", savePng);
$("fit").addEventListener("click", fit);
$("in").addEventListener("click", () => zoom(1.4));
$("out").addEventListener("click", () => zoom(1 / 1.4));
$("solid").addEventListener("click", () => setSolid(!view.solid));
$("play").addEventListener("click", play);
$("back").addEventListener("click", () => byHand(step - 1));
$("next").addEventListener("click", () => byHand(step + 1));
$("step").addEventListener("input", () => byHand(+$("step").value));
$("run").addEventListener("change", () => startRun(+$("run").value));
$("colour").addEventListener("change", () => setMode($("colour").value));
$("find").addEventListener("change", () => {
	const v = +$("find").value;
	if (Number.isInteger(v) && v >= 0 && v < n && $("find").value !== "")
		choose(v, true);
});
darkQuery.addEventListener("change", () => {
	readTheme();
	colourStates();
	showLegend();
	ask();
});
let first = true;
new ResizeObserver(() => {
	const box = canvas.parentElement.getBoundingClientRect(), dpr = devicePixelRatio || 1;
	width = box.width;
	height = box.height;
	canvas.width = Math.round(width * dpr);
	canvas.height = Math.round(height * dpr);
	if (first || fitted)
		fit();
	first = false;
	draw();
}).observe(canvas.parentElement);

readTheme();
$("note").textContent = data.note;
$("what").textContent = what;
$("find").max = n - 1;
$("solid").setAttribute("aria-pressed", view.solid);
canvas.setAttribute("aria-label", `${data.title}: a graph of ${n} ${what}s and ${data.from.length} moves`);
for (const [word, text] of modes)
	element("option", text, $("colour")).value = word;
data.runs.forEach((r, i) => {
	element("option", r.name, $("run")).value = i;
});
$("player").hidden = !data.runs.length;
$("run").hidden = data.runs.length < 2;
if (data.runs.length) {
	const last_run = data.runs.length - 1;
	$("run").value = data.runs[last_run].plan ? last_run : 0;
	startRun(+$("run").value);
}
choose(-1, false);
setMode(run && run.belief ? "belief" : mode);

/* For tests and for a console: the position of a state on the screen, its colour, its
   label (the size of letters is that for a radius of 1), and the time of a
   drawing in milliseconds, well done or in a hurry. */
window.cscg = {
	data,
	where: (v) => {
		const box = canvas.getBoundingClientRect();
		project();
		return [box.left + sx[v], box.top + sy[v]];
	},
	colour: (v) => fills[v],
	label,
	svg: svgPicture,
	png: () => pngPicture().toDataURL(),
	time: (times, rough) => {
		const began = performance.now();
		hurried = rough;
		for (let i = 0; i < times; i++) {
			draw();
			/* Nothing is drawn before it is visible. */
			pen.getImageData(0, 0, 1, 1);
		}
		hurried = false;
		return (performance.now() - began) / times;
	},
	now: () => ({ step, chosen, over: over.state, playing, mode, solid: view.solid, scale: view.scale }),
};
})();
