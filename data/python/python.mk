# python.mk - the package for Python: make wheel, make install-python

PYTHON3 ?= python3
PYTHONDIR = $(PREFIX)/lib/python3/dist-packages
PY_FILES := $(wildcard data/python/cscg/*.py) data/python/cscg/py.typed

# A wheel with the library inside, in BUILD/wheel; the network is not used.
wheel: all
	@CSCG_LIBRARY=$(abspath $(BUILD))/libcscg.so \
	  $(PYTHON3) data/python/cscg_build.py $(BUILD)/wheel

install-python: all
	$(INSTALL) -d $(DESTDIR)$(PYTHONDIR)/cscg
	$(INSTALL) -m 644 $(PY_FILES) $(DESTDIR)$(PYTHONDIR)/cscg
	$(INSTALL) -m 755 $(BUILD)/libcscg.so $(DESTDIR)$(PYTHONDIR)/cscg
.PHONY: wheel install-python
