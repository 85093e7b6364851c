/*
 * html_page.c - the files of data/html, as they were when this was built
 *
 * The assembler puts them into the object as they are, so that the script can
 * be read, edited and tested as a file of its own.  Names are relative to where
 * the compiler is started: the top of the source.
 */
#include "show/html_page.h"

#define EMBED(name, file) \
	__asm__(".pushsection .rodata\n" \
	    "\t.globl " #name "\n" \
	    "\t.hidden " #name "\n" \
	    "\t.type " #name ", %object\n" \
	    #name ":\n" \
	    "\t.incbin \"" file "\"\n" \
	    "\t.byte 0\n" \
	    "\t.size " #name ", . - " #name "\n" \
	    ".popsection\n")

EMBED(cscg_html_view_html, "data/html/view.html");
EMBED(cscg_html_view_css, "data/html/view.css");
EMBED(cscg_html_view_js, "data/html/view.js");
