# The installed files work without the build (make installcheck): the tools on
# PATH are those of BINDIR, which make passes as BUILD.
. "$(dirname "$0")/../tap.sh"
: "${DESTDIR:=}" "${CC:=cc}"
# Some of these directories may be the same.
dirs=$(cd "$BUILD" && pwd -P)

for t in $TOOLS; do
	holds "$t is the installed one" "[ \"\$(cd \"\$(dirname \"\$(command -v $t)\")\" && pwd -P)\" = '$dirs' ]"
	same "$t has the version of this source" "$t -V" "echo '$t (cscg) $VERSION'"
	holds "$t has a page" "ls '$DESTDIR$MANDIR/man1/$t.1'*"
	holds "$t can be completed" "grep -q '^_cscg' '$DESTDIR$COMPDIR/$t'"
	holds "$t can be completed by fish" "grep -q '^complete -c $t ' '$DESTDIR$FISHDIR/$t.fish'"
	holds "$t can be completed by zsh" "grep -q '^#compdef.* $t' '$DESTDIR$ZSHDIR/_cscg'"
done
holds 'all pages are there' "for p in $PAGES; do
    ls \"$DESTDIR$MANDIR/man\${p##*.}/\${p##*/}\"* >/dev/null || no=1; done; [ ! \"\$no\" ]"

# Without them the other tests are skipped.
[ "$tap_bad" = 0 ] || finish

# The main pipeline.
roomgen hole -o room.gz
exits 0 'a walk is learned' 'roomwalk -n 50000 room.gz | cscg-learn -o map.gz'
roomwalk -n 5000 -s 1 room.gz -o fresh.gz
holds 'and is the room' 'cscg-show --truth room.gz -w fresh.gz map.gz | grep -q "^isomorphic	yes"'
exits 0 'its schema' 'cscg-show --as clones -o schema.gz map.gz'
roomgen hole --permute -s 7 -o other.gz
roomwalk -n 400 -s 5 -o steps.gz other.gz
exits 0 'is bound' 'cscg-bind schema.gz -w steps.gz -o there.gz'
exits 0 'finds the way' 'cscg-plan there.gz -w steps.gz --goal start -o back'
same 'which is one' \
    'roomwalk --start "$(walkconv --as tsv steps.gz | tail -n 1 | cut -f 4)" --actions back other.gz |
     walkconv --as tsv | tail -n 1 | cut -f 4' \
    'walkconv --as tsv steps.gz | sed -n 2p | cut -f 4'
roomgen torus | roomwalk -n 50000 | cscg-learn -o torus.gz
same 'and is known again' 'cscg-match schema.gz torus.gz -w steps.gz | awk "\$6 == 1 { r = \$3 } END { print r }"' \
    'echo schema'
exits 0 'pictures become symbols' 'roomgen voxel | roomwalk -n 300 --render | vq-kmeans -k 10 -o symbols.gz'
exits 0 'a live world' 'cscg-plan map.gz --goal symbol:3 --as summary -- roomserve room.gz'

# The library, where a compiler and its headers are.
export PKG_CONFIG_PATH="$DESTDIR$LIBDIR/pkgconfig"
export LD_LIBRARY_PATH="$DESTDIR$LIBDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ -z "$DESTDIR" ] || export PKG_CONFIG_SYSROOT_DIR="$DESTDIR"
. "$TOP/tests/install/link.sh"
finish
