/*
 * html_page.h - the files of data/html, as they were when this was built
 */
#ifndef CSCG_HTML_PAGE_H
#define CSCG_HTML_PAGE_H

#define CSCG_HTML_HIDDEN __attribute__((visibility("hidden")))

extern const char cscg_html_view_html[] CSCG_HTML_HIDDEN;
extern const char cscg_html_view_css[] CSCG_HTML_HIDDEN;
extern const char cscg_html_view_js[] CSCG_HTML_HIDDEN;

#endif
