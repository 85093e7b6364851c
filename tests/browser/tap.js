/*
 * tap.js - what tests of pages share: TAP, and contrast of text
 */
"use strict";
let n = 0, bad = 0;

function ok(fine, name, why) {
	console.log(`${fine ? "" : "not "}ok ${++n} - ${name}`);
	if (!fine) {
		bad++;
		console.log("# " + why);
	}
}
const is = (got, wanted, name) => ok(got === wanted, name, `${got}, not ${wanted}`);
function finish() {
	console.log(`1..${n}`);
	process.exitCode = bad ? 1 : 0;
}

const themes = ["light", "dark"];
const sizes = [["desktop", { width: 1280, height: 800 }],
    ["phone", { width: 390, height: 844, phone: true }]];

/* The least contrast of text and what is behind it, as WCAG has it, among the
   elements that a selector chooses. */
const contrast = (b, selector) => b.run(`(() => {
	const rgb = (c) => c.match(/[\\d.]+/g).map(Number);
	const light = (c) => { const v = rgb(c).slice(0, 3).map((x) =>
	    (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
	    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] + 0.05; };
	const behind = (e) => { for (; e; e = e.parentElement) {
	    const c = getComputedStyle(e).backgroundColor;
	    if (rgb(c).length < 4 || rgb(c)[3] === 1) return light(c); }
	    return light("rgb(255, 255, 255)"); };
	return Math.min(...[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => {
	    const ink = light(getComputedStyle(e).color), paper = behind(e);
	    return Math.max(ink, paper) / Math.min(ink, paper); })); })()`);

module.exports = { ok, is, finish, contrast, themes, sizes };
