/*
 * report.js PAGE PROGRAM - the page of make report in a browser, as TAP
 *
 * The page has a figure fig-mpg with rows and a wide picture.  With SHOTS set,
 * pictures are left in that directory.
 */
"use strict";
const { Browser } = require("./browse.js");
const { ok, is, finish, contrast, themes, sizes } = require("./tap.js");
const [page, program] = process.argv.slice(2);
const shots = process.env.SHOTS;

/* Elements that overlap, or are wider than their parent. */
const faulty = (b) => b.run(`(() => {
	const box = (e) => e.getBoundingClientRect(), bad = [];
	const name = (e) => e.tagName + " " + e.textContent.trim().slice(0, 40);
	const over = (p, q) => p.width && q.width && p.left < q.right - 1 && q.left < p.right - 1 &&
	    p.top < q.bottom - 1 && q.top < p.bottom - 1;
	for (const row of document.querySelectorAll("tr, .counts, dl, .beside, h3, .many"))
		[...row.children].forEach((p, i) => [...row.children].slice(i + 1).forEach((q) => {
			if (over(box(p), box(q))) bad.push(name(p) + " and " + name(q)); }));
	for (const e of document.querySelectorAll("td, th, p, li, dd, dt, h1, h2, h3, figcaption, .v"))
		if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth && getComputedStyle(e).display !== "inline")
			bad.push(name(e) + ": " + e.scrollWidth + " in " + e.clientWidth);
	for (const e of document.querySelectorAll(".v"))
		if (box(e).right > box(e.parentElement).right + 1) bad.push(name(e) + " sticks out");
	return bad.join("; "); })()`);

async function look(b, name, theme, size) {
	const say = (what) => `${name}, ${theme}: ${what}`;
	await b.open(page, { theme, ...size });
	await b.run("document.querySelectorAll('details').forEach((d) => d.open = true)");
	await b.frame();
	is(await b.run("document.documentElement.scrollWidth <= innerWidth"), true, say("the page is not wider than the screen"));
	is(await faulty(b), "", say("no elements overlap"));
	const ratio = await contrast(b, "h1, h2, h3, h4, p, li, td, th, dt, dd, a, summary, figcaption, code, .v, .soft");
	ok(ratio >= 4.5, say("contrast of text is at least 4.5"), ratio);
	is(await b.run(`(() => { const i = document.querySelector("#fig-mpg img");
	    return i.naturalWidth > 0 && i.getBoundingClientRect().width >= 640; })()`), true,
	    say("a picture is as wide as its letters want"));
	is(await b.run(`(() => { const c = document.querySelector("#fig-mpg .rows tbody tr").cells;
	    return Math.abs(c[0].getBoundingClientRect().top - c[5].getBoundingClientRect().top) < 4; })()`),
	    true, say("a verdict stands where its row begins"));
	if (shots)
		await b.shot(`${shots}/report-${name}-${theme}.png`);
	is(b.faults().join(), "", say("no JavaScript errors and no requests"));
}

async function main() {
	const b = new Browser(program);
	try {
		for (const theme of themes)
			for (const [name, size] of sizes)
				await look(b, name, theme, size);
		await b.open(page);
		await b.run("document.querySelector('.summary a[href=\"#fig-mpg\"]').click()");
		await b.frame();
		ok(await b.run("Math.abs(document.getElementById('fig-mpg').getBoundingClientRect().top) < 2"),
		    "a name in the table leads to its figure", "it does not");
		/* fig-mpg has a row that is not met, and is of the paper. */
		const shown = (what) => b.run(`[...document.querySelectorAll("section.fig")].filter((e) =>
		    e.getClientRects().length).every((e) => e.matches("${what}"))`);
		const see = (id) => b.run(`document.querySelector("#${id}").getClientRects().length > 0`);
		for (const [label, what, mpg] of [["missed", ".missed", true], ["met", ".met", false],
		    ["beyond", ".beyond", false], ["all", ".fig", true]]) {
			await b.run(`document.querySelector("label[for=show-${label}]").click()`);
			await b.frame();
			is(await shown(what), true, "the filter " + label + " shows no other figure");
			is(await see("fig-mpg"), mpg, "the filter " + label + (mpg ? " shows" : " hides") + " fig-mpg");
		}
	} catch (e) {
		ok(false, "the browser answers", e.message);
	}
	await b.close();
	finish();
}
main();
