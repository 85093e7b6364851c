# figures.sh - the scripts of figures under fault injection; sourced after tap.sh
#
# figures.txt has a small job for each script.  The programs that scripts call are
# wrappers, bin/NAME, that count the calls and make one fail: $FAULT is NAME.I for
# the I-th call of NAME, $HOW the kind of fault:
#   status  the call fails with status 4
#   cut     the program is killed after 40 bytes of output
#   make    make is killed, and the call continues
#   script  the calling script is killed
#   all     make and all its children are killed at once
# $CALLS is a directory with a file for each call; $CALLS/make has the process id of
# make.
# shellcheck shell=sh

figures_bin()
{
	mkdir bin
	for name in "$BUILD"/room* "$BUILD"/cscg-* "$BUILD"/vq-kmeans \
	    "$BUILD"/walkconv awk cat cut dot gnuplot grep gzip head mktemp mv neato \
	    sed sort tail tr wc; do
		real=$(command -v "$name") || continue
		cat >"bin/${name##*/}" <<-END
		#!/bin/sh
		[ "\${CALLS-}" ] || exec $real "\$@"
		set -C
		i=1
		until { command : >"\$CALLS/${name##*/}.\$i"; } 2>/dev/null; do i=\$((i + 1)); done
		[ "${name##*/}.\$i" = "\${FAULT-}" ] || exec $real "\$@"
		case \$HOW in
		status) exit 4 ;;
		cut) $real "\$@" | head -c 40; kill -9 \$\$ ;;
		make) read -r pid <"\$CALLS/make"; kill -9 "\$pid" ;;
		script) kill -9 \$PPID ;;
		all) read -r pid <"\$CALLS/make"; kill -9 "-\$pid" ;;
		esac
		exec $real "\$@"
		END
		chmod +x "bin/${name##*/}"
	done
}

# Input of the scripts that no other script makes, or makes too small to be drawn.
figures_start()
{
	mkdir act c d digits found game kept m3 m3/schemas-0 m3/clean m3/noisy m3/scratch \
	    mem s2 s3 s3/rooms s3/exact s3/learned s4 schemas town voxel way
	roomgen torus --size 3x4 -o room.gz
	roomgen rectangle --size 3x4 --as model | cscg-show --as clones -o schemas/rectangle.gz
	for r in torus rectangle; do
		roomgen $r --size 3x4 --as model | cscg-show --as clones -o act/$r.gz
	done
	for d in 0 1 2 3 4 5 6 7 8 9; do
		roomgen digit $d --as model | cscg-show --as clones -o digits/digit-$d.gz
	done
	roomgen game -o game/game.gz
	# Means over walks of four pairs: here the same walks.
	for n in rectangle/8x9/0.2 rectangle/8x9/0 hole/9h3/0.2 hole/9h3/0; do
		mkdir -p short/4/${n%/*}
		ln -s ../../../../short.tsv short/4/$n.tsv
	done
	printf '#room\nslip\t50000\t1\t30\t30\t1\t.01\t.02\t.04\t.01\t.05\n' >recover-slip.tsv

	printf '0>2\n000\n' >ledge.txt
	roomgen voxel --map ledge.txt --as model | cscg-show --as schema -o voxel/a.gz
	printf '#sustained\t2250\n' >m3/noisy/a.tsv
	printf '0\t2000\ta\t1\t1\t1\n' >m3/noisy/a.all
	for n in 1000 5000; do
		printf 'a\t%s\tschema\t0.1\t4\t0.9\t0\t0\tyes\na\t%s\tscratch\t2\t4\t0.5\t0\t9\tno\n' $n $n
	done >m3-scratch.tsv

	printf '000\n0#0\n' >hall.map
	printf '0>20\n0000\n' >pit.map
	printf '0000>20\n0#00000\n\npart hall 0,0 2x3\npart pit 0,3 2x4\ndoor 0,2 east\n' >both.map
	roomgen voxel --map hall.map --door 0,2,east -o s3/rooms/hall.room
	roomgen voxel --map pit.map --door 0,0,west -o s3/rooms/pit.room
	for r in hall pit; do roomgen room --as model s3/rooms/$r.room -o s3/exact/$r.gz; done
	for r in 1 2 3 4 5 6; do cp s3/exact/hall.gz s3/exact/room$r.gz; done
	roomgen voxel --map both.map -o s3/place.room
	cp s3/place.room s3/twice.room
	roomwalk -n 500 --policy cover s3/rooms/pit.room | cscg-learn -q -o pit.gz
	for n in 1000 3000; do
		printf 'exact\t%s\t5\t.5\t.01\t1\t2\t3\t4\nscratch\t%s\t5\t2\t.1\t1\t2\t3\t4\n' $n $n
	done >curve.tsv

	printf '00000\n0##00\n0#000\n00000\n' >ring.map
	printf '%s\n' right right right right forward forward forward right forward forward \
	    forward forward right forward right forward forward left forward forward right >actions
	roomgen voxel --map ring.map --as model | cscg-show --as schema -o ring.gz

	for how in door moved open; do
		for way in forget add walk scratch; do
			printf "$how\t%s\t$way\t9\t5\t%s\t0\t1\n" 100 4 200 3
		done
	done >kept-all.tsv
	{
		printf 'clones\tgiven\t%s\t%s\t.1\t.5\t9\n' 1 .3 2 .2
		printf 'clones\tchosen\t0\t.1\t.1\t.1\t9\n'
		printf "pseudocount\t%s\t1e-3\t.2\t.1\t.3\t9\npseudocount\t%s\t1e-2\t.2\t.1\t.3\t9\n" \
		    1000 1000 3000 3000 10000 10000
		printf "starts\t%s\t1\t.2\t.1\t.3\t0\nstarts\t%s\t2\t.1\t.1\t.3\t0\n" 8 8 16 16
	} >c-all.tsv
	for f in old new; do printf '9\t1\ttorus\n12\t0\ttorus\n' >mem/$f-without.tsv; done
}

# Lines of output file, tab, command.
figures_jobs()
{
	sed '/^#/d; s|: |	|; s|\([a-z0-9-]*\.sh\)|sh "$TOP/data/figures/\1"|' \
	    "$TOP/tests/fault/figures.txt"
}
