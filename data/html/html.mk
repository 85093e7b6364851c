# The page of cscg-show --as html: what it is made of is embedded in the library
# by lib/show/html.c, which the compiler's list of headers does not tell.
HTML_PARTS := $(wildcard data/html/view.*)
$(BUILD)/lib/show/html.o: $(HTML_PARTS)

# The page, and that of make report, in a real browser; needs DEPS_BROWSER.  make
# check-all does the same where they are there.
DEPS_BROWSER = chromium nodejs
check-browser: all
	@BUILD=$(abspath $(BUILD)) sh tests/browser/run.sh
	@sh tests/browser/report.sh

.PHONY: check-browser
