# lib/show/html.c embeds the files of the page of cscg-show --as html, a dependency
# that the compiler does not report.
HTML_PARTS := $(wildcard data/html/view.*)
$(BUILD)/lib/show/html.o: $(HTML_PARTS)

# Test this page and that of make report in a browser; needs DEPS_BROWSER.  make
# check-all includes it if they are installed.
DEPS_BROWSER = chromium nodejs
check-browser: all
	@BUILD=$(abspath $(BUILD)) sh tests/browser/run.sh
	@sh tests/browser/report.sh

.PHONY: check-browser
