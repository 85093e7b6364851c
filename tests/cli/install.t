# make install, installcheck, uninstall and dist, with the present build.
# all: slow (15 s): install, installcheck, uninstall, dist
. "$(dirname "$0")/../tap.sh"
version=$(sed -n 's/^VERSION = //p' "$TOP/Makefile")
unset DESTDIR PREFIX
LINK=yes
make="${MAKE:-make} -s --no-print-directory -C '$TOP' -o all"

# With a sanitizer, linked programs must use it as well.  LINK is given on the
# command line, since make has a variable of that name.
if grep -q fsanitize "$BUILD/flags"; then
	LINK=no
fi

into="DESTDIR='$dir/root' PREFIX=/opt/cscg"
exits 0 'make install' "$make install BUILD='$BUILD' $into"
holds 'puts nothing elsewhere' '[ "$(find root -mindepth 2 -maxdepth 2)" = root/opt/cscg ] &&
    [ "$(ls root)" = opt ]'
at=root/opt/cscg
same 'a file for the library, and two names' \
    "cd $at/lib && for f in libcscg.so*; do echo \$f \$(readlink \$f); done" \
    "printf '%s\n' 'libcscg.so libcscg.so.${version%%.*}' \
        'libcscg.so.${version%%.*} libcscg.so.$version' 'libcscg.so.$version'"
if command -v readelf >/dev/null; then
	holds 'the library has its soname' \
	    "readelf -d $at/lib/libcscg.so | grep -q 'SONAME.*\[libcscg\.so\.${version%%.*}\]'"
fi
if [ "$LINK" = no ]; then
	tap 0 'the library exports the functions of symbols.txt # SKIP sanitizer'
elif command -v nm >/dev/null; then
	same 'the library exports exactly the functions of symbols.txt' \
	    "nm -D --defined-only $at/lib/libcscg.so | sed 's/.* //' | sort" \
	    "cat '$TOP/tests/install/symbols.txt'"
fi
same 'symbols.txt has the functions that cscg.h declares' \
    "sh '$TOP/tests/install/symbols.sh' $at/include/cscg.h" \
    "cat '$TOP/tests/install/symbols.txt'"
same 'symbols.txt has the functions of the Debian package' \
    "sed -n 's/^ \(cscg_.*\)@Base .*/\1/p' '$TOP/debian/libcscg2.symbols'" \
    "cat '$TOP/tests/install/symbols.txt'"
same 'cscg.h is the only header' "ls $at/include" 'echo cscg.h'
holds 'cscg.h has at most 1000 lines and includes no other header of ours' \
    "[ \$(wc -l <$at/include/cscg.h) -le 1000 ] && ! grep -q '^#include \"' $at/include/cscg.h"
same 'all tools' "ls $at/bin" all_tools
same 'all pages' "ls $at/share/man/man?" \
    "cd '$TOP/man' && for s in 1 5 7; do [ \$s = 1 ] || echo; echo $at/share/man/man\$s:; ls *.\$s; done"
holds 'no installed file has the path of the build' \
    "! grep -rIl -e '$dir' -e '$BUILD' $at"
holds 'files can be read by all' '[ -z "$(find root -type f ! -perm -444)" ] &&
    [ -z "$(find root -type f -path "*/bin/*" ! -perm -555)" ]'
(cd root && find . | sort) >first
exits 0 'make install again' "$make install BUILD='$BUILD' $into"
same 'changes nothing' '(cd root && find . | sort)' 'cat first'

# Without a build directory none can be used.
exits 0 'make installcheck' "$make installcheck LINK=$LINK BUILD='$dir/none' CC=cc $into"
cp "$out" check
holds 'every test of it' "! grep '^not ok' check && grep -q '^1\.\.' check"
sed -n 's/^ok [0-9]* - \(.*\) # SKIP /\1	/p' check >skips
while IFS='	' read -r what why; do
	[ "$what $LINK" != 'linking no' ] || why=sanitizer
	tap 0 "installcheck: $what # SKIP $why"
done <skips
rm $at/bin/cscg-show
exits 2 'a tool that is missing' "$make installcheck LINK=no BUILD='$dir/none' $into"
prints 'is reported' 'not ok'
exits 0 'make uninstall' "$make uninstall BUILD='$BUILD' $into"
same 'leaves nothing' 'find root ! -type d' :

# With other directories, as distributions do.
exits 0 'make install with other directories' "$make install BUILD='$BUILD' DESTDIR='$dir/deb' PREFIX=/usr \
    LIBDIR=/usr/lib/some-arch MANDIR=/usr/man"
holds 'other directories are used' '[ -e deb/usr/lib/some-arch/libcscg.so ] && [ ! -e deb/usr/lib/libcscg.so ] &&
    [ -e deb/usr/man/man7/cscg.7 ] && grep -q "^libdir=/usr/lib/some-arch" deb/usr/lib/some-arch/pkgconfig/cscg.pc'
exits 0 'make uninstall with other directories' "$make uninstall BUILD='$BUILD' DESTDIR='$dir/deb' PREFIX=/usr \
    LIBDIR=/usr/lib/some-arch MANDIR=/usr/man"
same 'make uninstall removes everything' 'find deb ! -type d' :

# An archive: from a clone, twice; with unrelated files present; from the
# archive, without git.
dist() { # TREE
	${MAKE:-make} -s --no-print-directory -C "$1" dist BUILD="$1/build"
}
name=cscg-$version
if command -v git >/dev/null; then
	sh "$TOP/tests/install/tree.sh" tree
	rm -f tree/MANIFEST
	(cd tree && git init -q && git add -A &&
	    git -c user.name=test -c user.email=test@localhost commit -qm test &&
	    git clone -q . ../clone) >/dev/null 2>&1
	exits 0 'make dist' "dist '$dir/tree'"
	exits 0 'make dist in a clone' "dist '$dir/clone'"
	same 'the archive of the clone has the same bytes' "cat tree/build/$name.tar.gz" "cat clone/build/$name.tar.gz"
	echo garbage >clone/garbage
	echo changed >>clone/NEWS
	exits 0 'make dist in a changed clone' "sleep 1; umask 077; dist '$dir/clone'"
	same 'the archive has the committed files' "cat tree/build/$name.tar.gz" "cat clone/build/$name.tar.gz"
	gzip -dc tree/build/$name.tar.gz | tar -xf -
else
	# Listed files can be packed; the list is that of git.
	sh "$TOP/tests/install/tree.sh" $name
	(cd $name && { find . -type f; echo ./MANIFEST; } | sed 's,^\./,,' |
	    LC_ALL=C sort -u >../list && mv ../list MANIFEST)
	mkdir -p tree/build
	dist "$dir/$name" >/dev/null && cp $name/build/$name.tar.gz tree/build
	tap 0 'make dist in a clone # SKIP no git'
fi
echo garbage >$name/garbage
exits 0 'unpacked, without git' "dist '$dir/$name'"
same 'the unpacked archive gives the same bytes' "cat tree/build/$name.tar.gz" "cat $name/build/$name.tar.gz"
same 'all files are in one directory' \
    "tar -tzf tree/build/$name.tar.gz | sed '/^$name\//d'" :
holds 'all required files are in it' "tar -tzf tree/build/$name.tar.gz >list &&
    for f in Makefile README.md LICENSE NEWS man/cscg.7 tests/run.sh debian/control CITATION.cff MANIFEST; do
    grep -qx '$name/'\$f list || { echo \$f; exit 1; }; done"
rm $name/MANIFEST
exits 2 'make dist without git and MANIFEST' "dist '$dir/$name'"
cp "$err" talk
holds 'make dist reports the reason' "grep -q 'dist: this is neither a clone nor an unpacked archive' talk"
finish
