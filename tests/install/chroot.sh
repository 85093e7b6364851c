#!/bin/sh
# chroot.sh DIR [STAGE...] - tests on a clean Debian (make check-root; as root)
#
# Makes a minimal root in DIR by debootstrap, with make and gcc, from the mirror that
# apt of this machine uses, copies this source tree there, and runs the stages.  DIR is
# removed at the end; with KEEP set it is kept and used by the next call.
#
#   package   packages, built outside the root: lintian, and make installcheck with
#             the tools only, then with the development files
#   demo      make deps demo
#   install   make install, installcheck, uninstall
#   python    make wheel; its tests in a venv, and those of python3-cscg if the
#             packages are built
#   recipes   the commands of data/recipes: of Apptainer, of both stages of the
#             container, of conda
#   autopkgtest  debian/tests by autopkgtest itself, on the packages
#   check     make deps check, which takes long
#
# The default is all but check and autopkgtest; the stage root is the root alone.  RELEASE is
# bookworm; DEBS may be a directory of packages that are built already.
set -eu
root=$1
shift
[ $# -gt 0 ] || set -- package demo install python recipes
: "${RELEASE:=bookworm}" "${KEEP:=}" "${DEBS:=}"
top=$(cd "$(dirname "$0")/../.." && pwd)
[ "$(id -u)" = 0 ] || { echo 'chroot.sh: only root can do this' >&2; exit 2; }
[ "$KEEP" ] || [ ! -e "$root" ] || { echo "chroot.sh: '$root' is there already" >&2; exit 2; }

say() { printf '== %s\n' "$*"; }

leave()
{
	umount "$root/proc" 2>/dev/null || :
	[ "$KEEP" ] || rm -rf --one-file-system "$root" "$root.deb" "$root.log"
}
trap leave EXIT
trap 'exit 1' HUP INT TERM

# Where apt gets this release from, from its own configuration.
mirror()
{
	apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
	    'Created-By: Packages' | awk -v r="$RELEASE" '$2 == r && $3 == "main" { print $1; exit }'
}

inside() { # COMMAND: in the tree in the root, with a clean environment
	chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
	    HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
	    ${https_proxy:+https_proxy="$https_proxy"} sh -ec "cd /cscg; $1"
}

make_root()
{
	say "a minimal $RELEASE with make and gcc"
	eval "$(apt-config shell proxy Acquire::http::Proxy)"
	[ -z "${proxy:-}" ] || export http_proxy="${http_proxy:-$proxy}"
	from=$(mirror)
	[ "$from" ] || { echo "chroot.sh: apt knows no $RELEASE" >&2; exit 1; }
	# debootstrap leaves a directory of its own until it is done.
	if [ ! -e "$root/etc/debian_version" ] || [ -e "$root/debootstrap" ]; then
		rm -rf "$root"
		debootstrap --variant=minbase --include=make,gcc "$RELEASE" "$root" "$from" \
		    >"$root.log" 2>&1 || { tail -n 20 "$root.log"; exit 1; }
	fi
	mount -t proc proc "$root/proc" 2>/dev/null || :
	sh "$top/tests/install/tree.sh" "$root/cscg"
	inside 'apt-get update -qq'
	: >"$root/ready"
	say "packages: $(inside 'dpkg -l | grep -c ^ii')"
}

build_package()
{
	say 'packages are built'
	rm -rf "$root.deb"
	mkdir -p "$root.deb"
	sh "$top/tests/install/tree.sh" "$root.deb/cscg"
	(cd "$root.deb/cscg" && dpkg-buildpackage -us -uc) >"$root.deb/log" 2>&1 ||
	    { tail -n 40 "$root.deb/log"; exit 1; }
	say 'lintian'
	lintian --allow-root "$root.deb"/*.changes || :
}

stage_root() { :; }

stage_package()
{
	[ "$DEBS" ] || build_package
	mkdir -p "$root/debs"
	cp "${DEBS:-$root.deb}"/*.deb "$root/debs"
	say 'the tools alone'
	inside 'apt-get install -y -qq --no-install-recommends /debs/cscg_*.deb >/dev/null'
	inside 'make -s installcheck PREFIX=/usr \
	    ZSHDIR=/usr/share/zsh/vendor-completions VERSION="$(dpkg-query -W -f "\${Version}" cscg)"' | tally
	say 'and for programs, as autopkgtest does it'
	inside 'apt-get install -y -qq --no-install-recommends /debs/libcscg2_*.deb \
	    /debs/libcscg-dev_*.deb $(sed -n "s/^Depends: cscg, libcscg-dev, //p" debian/tests/control |
	    tr -d ,) >/dev/null'
	inside 'sh debian/tests/installcheck' | tally
	say 'packages are removed'
	inside 'apt-get purge -y -qq cscg libcscg2 libcscg-dev >/dev/null;
	    ! find /usr -name "*cscg*" | grep .'
}

# The last line and what went wrong; fails if something did, or nothing was done.
tally()
{
	awk '/^not ok/ { bad++; print } /^#/ && bad { print } /# SKIP/ { print }
	/^ok/ { ok++ } /^1\.\./ { plan = substr($0, 4) }
	END { print ok + 0 " ok, " bad + 0 " not ok"; exit bad || !ok || plan != ok }'
}

stage_demo()
{
	say 'make deps demo'
	inside 'make deps demo' >"$root.log" 2>&1 || { tail -n 40 "$root.log"; exit 1; }
	tail -n 15 "$root.log"
	inside 'test -s build/demo/hole.map.svg'
}

stage_install()
{
	say 'make install installcheck uninstall'
	# Debian has a link there, man.
	inside 'make -s deps install'
	inside 'ldconfig; make -s installcheck' | tally
	inside 'make -s uninstall; ! find /usr/local ! -type d ! -path /usr/local/man | grep .'
}

# The wheel in a venv that sees NumPy of Debian: nothing comes from an index.
stage_python()
{
	say 'make wheel, in a venv'
	inside 'make -s deps'
	inside 'apt-get install -y -qq --no-install-recommends python3-venv python3-numpy >/dev/null'
	inside 'make -s wheel && rm -rf /venv && python3 -m venv --system-site-packages /venv &&
	    /venv/bin/pip --no-cache-dir install -q --no-index --no-deps build/wheel/cscg-*.whl'
	unit_tests /venv/bin/python3
	set -- "$root"/debs/python3-cscg_*.deb
	[ -e "$1" ] || return 0
	say 'the package python3-cscg'
	inside 'apt-get install -y -qq --no-install-recommends /debs/libcscg2_*.deb \
	    /debs/python3-cscg_*.deb >/dev/null'
	unit_tests python3
	inside 'apt-get purge -y -qq python3-cscg libcscg2 >/dev/null'
}

# The unit tests with an installed package, not the one of the source tree.
unit_tests() # INTERPRETER
{
	inside "cp data/python/tests/test_cscg.py /tmp && cd / && BUILD=/cscg/build $1 /tmp/test_cscg.py 2>&1" \
	    >"$root.log" || { tail -n 40 "$root.log"; exit 1; }
	tail -n 3 "$root.log"
	awk '/^Ran / && $2 >= 100 { ok = 1 } END { exit !ok }' "$root.log"
}

# Commands of a recipe, as the program that reads it would run them: the section
# %NAME of Apptainer, the RUN lines of a Containerfile.
section() { awk -v name="$1" '/^%/ { on = $1 == "%" name; next } on' "$top/data/recipes/cscg.def"; }
run_lines()
{
	awk '/^RUN / { on = 1; sub(/^RUN /, "") } /^COPY --from=build / { print "cp -a " $3 "/. " $4 }
	on { print; on = /\\$/ }' "$top/data/recipes/Containerfile"
}

stage_recipes()
{
	say 'cscg.def'
	clear_recipes
	inside "cp -a /cscg /src; $(section post)" >"$root.log" 2>&1 || { tail -n 40 "$root.log"; exit 1; }
	inside "$(section test)"
	inside 'test ! -e /src'
	say 'Containerfile'
	clear_recipes
	inside "cp -a /cscg /src; cd /src; $(run_lines)" >"$root.log" 2>&1 ||
	    { tail -n 40 "$root.log"; exit 1; }
	inside "$(section test) >/dev/null; cd /; python3 -c 'import cscg; print(cscg.__version__)'"
	say 'meta.yaml'
	clear_recipes
	inside "cp -a /cscg /src; cd /src; export CPU_COUNT=1 PREFIX=/conda SP_DIR=/conda/site; $(sed -n \
	    '/^  script:/,/^$/s/^    - //p' "$top/data/recipes/meta.yaml")" >"$root.log" 2>&1 ||
	    { tail -n 40 "$root.log"; exit 1; }
	inside "cd /; PATH=/conda/bin:\$PATH; $(sed -n '/^  commands:/,/^  [a-z]*:$/s/^    - //p' \
	    "$top/data/recipes/meta.yaml")" >/dev/null
	inside 'cd /; PYTHONPATH=/conda/site python3 -c "import cscg; print(cscg.__version__)"'
	clear_recipes
	# The recipes removed the lists of packages.
	inside 'apt-get update -qq'
}

clear_recipes()
{
	rm -rf "$root/src" "$root/out" "$root/conda"
	inside 'make -s uninstall PREFIX=/usr >/dev/null 2>&1 || :; rm -rf /usr/lib/python3/dist-packages/cscg'
}

stage_autopkgtest()
{
	say 'autopkgtest'
	rc=0
	autopkgtest -q "$root"/debs/*.deb "$top" -- chroot "$root" || rc=$?
	[ $rc = 0 ] || [ $rc = 2 ] # 2: a test was skipped
}

stage_check()
{
	say 'make deps check'
	inside 'make deps check'
}

if [ -e "$root/ready" ]; then
	mount -t proc proc "$root/proc" 2>/dev/null || :
else
	make_root
fi
for s; do "stage_$s"; done
say "done: $*"
