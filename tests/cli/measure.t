#!/bin/sh
# walkconv: recordings of positions become walks.  Expectations by hand.
. "$(dirname "$0")/../tap.sh"

table() { # NAME LINE...
	file=$1
	shift
	printf '%s\n' "$@" >"$file"
}
gives() { # NAME ARGUMENTS ROW...: the table that walkconv writes
	name=$1 args=$2
	shift 2
	printf '%s\n' "$@" >want
	same "$name" 'cat want' "walkconv --as csv $args"
}

# A track of an animal, tracking lost once: 20 cm cells
table track.csv t,px,py 0,5,5 1,12,6 2,25,8 3,NaN,NaN 4,50,30 5,52,41 6,30,45
gives 'cells, and one row for each' '-q --bin px,py --cell 20 --moves --derive-actions compass4 track.csv' \
    episode,x,a,reset 0,0:0,east,0 0,1:0,east,0 0,2:1,north,1 0,2:2,west,0 0,1:2,,0
exits 0 'the cell and a direction' 'walkconv --bin px,py --cell 20 --moves --derive-actions compass4 track.csv'
says 'are warned of' 'walkconv: cell and direction determine the next cell, so the walk is trivial to learn; use --see for the observation in a cell'
exits 0 'turns' 'walkconv --bin px,py --cell 20 --moves --derive-actions turns track.csv'
exactly 'are not' ''
gives 'cells without actions' "--bin px,py --cell 20,40 --moves --derive-actions none track.csv" \
    episode,x,a,reset 0,0:0,0,0 0,1:0,0,0 0,2:0,0,1 0,2:1,0,0 0,1:1,,0
gives 'cells on one axis' "--bin px --cell 20 --derive-actions none --gap 9 track.csv" \
    episode,x,a 0,0,0 0,0,0 0,1,0 0,2,0 0,2,0 0,1,
# px 5..52 in 2: width 23.5; py 5..45 in 4: width 10
gives 'a grid of 4 rows and 2 columns' '--bin px,py --grid 4x2 --derive-actions none --gap 9 track.csv' \
    episode,x,a 0,0:0,0 0,0:0,0 0,0:0,0 0,1:2,0 0,1:3,0 0,1:3,
# px sorted 5 12 25 30 50 52: rank 3 is 30
gives 'quantiles' '--bin px --quantile 2 --derive-actions none --gap 9 track.csv' \
    episode,x,a 0,0,0 0,0,0 0,0,0 0,1,0 0,1,0 0,1,
walkconv -q --bin px,py --cell 20 --moves --derive-actions compass4 track.csv -o all.gz
table part.csv t,px,py 0,50,30 1,52,41
same 'an alphabet is that of another recording' 'echo "{\"episode\":0,\"x\":[2,3],\"a\":[1],\"last\":true}"' \
    'walkconv -q --no-gzip --bin px,py --cell 20 --moves --derive-actions compass4 --alphabet-from all.gz part.csv | sed -n 2p'
table other.csv t,px,py 0,50,30 1,52,141
exits 3 'a cell that it lacks' 'walkconv -q --bin px,py --cell 20 --derive-actions compass4 --alphabet-from all.gz other.csv'
exactly 'is refused with its line' "walkconv: 'other.csv': line 3: symbol '2:7' is not known (5 symbols, '0:0' first)"

# Observations
table seen.csv t,px,py,wall,odour 0,1,1,L,1.0 1,2,1,L,1.0 2,11,1,I,2.0 3,12,1,I, 4,21,1,,
gives '--see another column than the cell' '--bin px,py --cell 10 --moves --derive-actions compass4 --see wall seen.csv' \
    episode,x,a 0,L,east 0,I,east 0,,
gives 'two of them' '--bin px,py --cell 10 --derive-actions none --see wall --see odour seen.csv' \
    episode,x,a '0,"L,1",0' '0,"L,1",0' '0,"I,2",0' '0,"I,",0' 0,,
gives 'a step for each change of the observation, without positions' '--see wall --moves --derive-actions none seen.csv' \
    episode,x,a 0,L,0 0,I,0 0,,
gives '--x is one' "--bin px,py --cell 10 --derive-actions none --x odour seen.csv --head 3" \
    episode,x,a 0,1,0 0,1,0 0,2,
# With a column of actions, that of the last row before the next cell counts.
table acted.csv px,a 1,wait 2,go 11,wait 12,back 3,
gives 'actions of a table' '--bin px --cell 10 --moves acted.csv' episode,x,a 0,0,go 0,1,back 0,0,
gives "--a '' ignores the column of actions" "--bin px --cell 10 --moves --a '' acted.csv" episode,x,a 0,0,0 0,1,0 0,0,

# Time: gaps, thinning, episodes
table gps.csv time,lon,lat 2021-03-04T10:00:00Z,0,0 2021-03-04T10:00:05Z,1,0 \
    2021-03-04T11:00:09+01:00,2,0 '2021-03-04 10:01:00.5,3,0' 2021-03-05T00:00:00Z,4,0
gives 'a gap is a reset' '-q --bin lon,lat --cell 1 --derive-actions compass4 --gap 30 gps.csv' \
    episode,x,a,reset 0,0:0,east,0 0,1:0,east,0 0,2:0,east,0 0,3:0,east,1 0,4:0,,1
gives 'a long gap begins an episode' '-q --bin lon,lat --cell 1 --derive-actions compass4 --gap 30 --episode-gap 3600 gps.csv' \
    episode,x,a,reset 0,0:0,east,0 0,1:0,east,0 0,2:0,east,0 0,3:0,,1 1,4:0,,0
table clock.csv time,px 09:59:58,1 09:59:59.5,11 10:00:00,21 11:00:00,31 11:00:01,41
gives 'a time of day without a date' '--bin px --cell 10 --derive-actions none --gap 5 clock.csv' \
    episode,x,a,reset 0,0,0,0 0,1,0,0 0,2,0,0 0,3,0,1 0,4,,0
gives 'thinned in time' '-q --bin lon,lat --cell 1 --derive-actions compass8 --thin-time 9 --gap 99999 gps.csv' \
    episode,x,a,reset 0,0:0,east,0 0,2:0,east,1 0,3:0,east,0 0,4:0,,0
gives '--thin by rows' '-q --bin lon,lat --cell 2 --derive-actions compass8 --thin 2 gps.csv' \
    episode,x,a 0,0:0,east 0,1:0,east 0,2:0,
gives 'episodes of two steps' '--bin lon --cell 1 --derive-actions none --episode-length 2 gps.csv' \
    episode,x,a 0,0,0 0,1, 1,2,0 1,3, 2,4,
exits 0 'steps over cells' 'walkconv --bin lon,lat --cell 0.5 --see lat --derive-actions compass8 gps.csv'
exactly 'are warned of' 'walkconv: 4 of 4 displacements do not lead to a neighbouring cell and become resets; use larger cells, or thin less'
table a.csv px 1 11
table b.csv px 21 1
gives 'many files are many episodes' '--bin px --cell 10 --derive-actions none a.csv b.csv' \
    episode,x,a 0,0,0 0,1, 1,2,0 1,0,
gives 'two files share one grid' '--bin px --grid 2 --derive-actions none a.csv b.csv' \
    episode,x,a 0,0,0 0,1, 1,1,0 1,0,
table trials.csv rat,px A,1 A,11 B,21 B,1
gives 'episodes by column' '--bin px --cell 10 --derive-actions none --episode rat trials.csv' \
    episode,x,a 0,0,0 0,1, 1,2,0 1,0,
table relocated.csv px,reset 1,0 2,1 3,0
gives 'a column of resets' '--bin px --cell 10 --derive-actions none relocated.csv' \
    episode,x,a,reset 0,0,0,0 0,0,0,1 0,0,,0

# Tables of other programs
table dlc.csv scorer,DLC,DLC,DLC,DLC,DLC,DLC bodyparts,nose,nose,nose,tail,tail,tail \
    coords,x,y,likelihood,x,y,likelihood 0,10.0,10.0,0.99,5,5,.9 1,12.5,10,0.99,5,5,.9 \
    2,30.0,10,0.10,5,5,.9 3,30.0,10,0.95,5,5,.9 4,30,30,0.59,5,5,.9
gives 'DeepLabCut: three lines of names, a likelihood' '-q --bin nose.x,nose.y --cell 20 --moves --derive-actions compass4 dlc.csv' \
    episode,x,a,reset 0,0:0,east,0 0,1:0,,1
gives '--min-likelihood changes the threshold' '-q --bin nose.x,nose.y --cell 20 --moves --derive-actions compass4 --y-down --min-likelihood .1 dlc.csv' \
    episode,x,a 0,0:0,east 0,1:0,south 0,1:1,
gives 'frames of DeepLabCut are a time' '-q --bin nose.x,nose.y --cell 20 --moves --derive-actions compass4 --gap 2 dlc.csv' \
    episode,x,a 0,0:0,east 0,1:0,
table many.csv scorer,D,D individuals,m1,m2 bodyparts,nose,nose coords,x,x 0,1,30 1,11,30
gives 'a table of several animals' '--bin m1.nose.x --cell 10 --derive-actions none many.csv' episode,x,a 0,0,0 0,1,
table bonsai.csv '10,5 2021-03-04T12:00:00.0000000+00:00' '30,5 2021-03-04T12:00:00.0333333+00:00'
gives 'Bonsai: no names, blanks, a decimal comma' '--no-header --delimiter space --bin 1 --cell 10 --derive-actions none --time 2 --gap 1 bonsai.csv' \
    episode,x,a 0,1,0 0,3,
table euro.csv 'px;py;r' '1,5;0;0,5' '"12,5";0;1'
gives 'decimals with a comma' '--bin px,py --cell 10 --derive-actions none euro.csv' episode,x,a 0,0:0,0 0,1:0,
table reward.csv 'x;a;r' '1,0;0;0,5' '2,0;0;1'
gives 'decimal commas in rewards, and 1,0 is 1' 'reward.csv' episode,x,a,r 0,1,0,0.5 0,2,,1
table pandas.csv ,x,a 0,3.0,1.0 1,,0.0 2,4.0,
gives 'pandas: an index, and 3.0 for 3' 'pandas.csv' episode,x,a 0,3,1 0,,0 0,4,
table names.csv x,a 1.50,0 1.0,0 v1.0,0 -1.0,0
gives 'text that is not an integer is kept' 'names.csv -q' episode,x,a 0,1.50,0 0,1,0 0,v1.0,0 0,-1.0,

# Bad input
bad() { # NAME STATUS MESSAGE ARGUMENTS
	exits "$2" "refused: $1" "walkconv $4 -o never.gz"
	exactly '  saying so' "walkconv: $3"
}
table word.csv px,py 1,2 1,here
bad 'a position that is no number' 3 "'word.csv': line 3: 'here' is not a number" '--bin px,py --cell 1 --derive-actions none word.csv'
bad 'no such column' 3 "'word.csv': line 1: no column 'pz'; there are 'px', 'py'" '--bin px,pz --cell 1 --derive-actions none word.csv'
bad 'no actions' 3 "'word.csv': line 1: no column 'a' (or 'action'); there are 'px', 'py' (--a names another, or '' for none; --derive-actions derives them)" '--bin px,py --cell 1 word.csv'
table back.csv t,px 5,1 4,1
bad 'decreasing time' 3 "'back.csv': line 3: time goes back from 5 to 4; if another begins here, --episode names its column" '--bin px --cell 1 --derive-actions none --gap 1 back.csv'
table noon.csv t,px noon,1
bad 'a time that is none' 3 "'noon.csv': line 2: time 'noon' is neither a number nor like 2021-03-04T10:05:06" '--bin px --cell 1 --derive-actions none --gap 1 noon.csv'
table cut.csv scorer,DLC bodyparts,nose
bad 'a cut header' 3 "'cut.csv': unexpected end: no line 'coords' after 'scorer'" '--bin nose.x --cell 1 --derive-actions none cut.csv'
table odd.csv scorer,DLC something,nose
bad 'a malformed header of a pose table' 3 "'odd.csv': line 2: not the header of a pose table: after 'scorer' come 'individuals', 'bodyparts' and 'coords'" '--bin nose.x --cell 1 --derive-actions none odd.csv'
printf '\211HDF\r\n\032\n' >t.h5
bad 'HDF5' 3 "'t.h5': line 1: this is an HDF5 file (.h5, .nwb, .mat); in Python: import h5py, numpy; numpy.savetxt('t.csv', h5py.File('t.h5')['NAME'][:], delimiter=',', header='x,y'); or, written by pandas: pandas.read_hdf('t.h5').to_csv('t.csv')" t.h5
printf 'MATLAB 5.0 MAT-file, Platform: GLNXA64\n' >t.mat
bad 'a .mat file' 3 "'t.mat': line 1: this is a .mat file; in Python: import scipy.io, numpy; numpy.savetxt('t.csv', scipy.io.loadmat('t.mat')['NAME'], delimiter=',', header='x,y')" t.mat
bad 'cells without a size' 2 '--bin requires one of --cell, --grid and --quantile (try --help)' '--bin px,py word.csv'
bad 'two sizes' 2 '--bin requires one of --cell, --grid and --quantile (try --help)' '--bin px,py --cell 1 --quantile 2 word.csv'
bad 'a size without cells' 2 '--cell, --grid and --quantile require --bin (try --help)' '--cell 1 word.csv'
for c in 0 -1 x 1,0 1,2,3 '1,' ',1' nan; do
	exits 2 "cells of '$c'" "walkconv --bin px,py --cell $c word.csv"
done
bad 'a grid that is none' 2 "--grid: '3' is not two numbers above 0 with 'x' between them, for two columns of --bin (try --help)" '--bin px,py --grid 3 word.csv'
bad 'a grid of one column' 2 "--grid: '3x4' is not a number above 0, for one column of --bin (try --help)" '--bin px --grid 3x4 word.csv'
exits 2 'a grid of fractions' 'walkconv --bin px,py --grid 1.5x2 word.csv'
for b in '' ',' 'px,' ',px' px,py,pz; do
	exits 2 "the columns '$b'" "walkconv --bin '$b' --cell 1 word.csv"
	exactly '  are none' "walkconv: --bin: '$b' is not one or two names of columns (try --help)"
done
bad 'directions on a line' 2 '--derive-actions compass4 requires two columns of --bin (try --help)' '--bin px --cell 1 --derive-actions compass4 word.csv'
bad 'actions twice' 2 '--derive-actions and --a both define the actions (try --help)' '--bin px --cell 1 --derive-actions none --a b word.csv'
bad 'observations twice' 2 '--see and --x both define the observation (try --help)' '--see px --x py word.csv'
bad 'a time without use' 2 '--time requires --thin-time, --gap or --episode-gap (try --help)' '--time t word.csv'
bad 'one column twice' 2 "'word.csv': line 1: column 'px' cannot be both the position and the position (--x, --a, --episode, --bin, --time)" '--bin px,px --cell 1 --derive-actions none word.csv'
walkconv track.csv --bin px --cell 20 --derive-actions none -o w.gz
bad 'a walk' 2 "'w.gz': this is a walk, but --bin is for tables" '--bin px --cell 1 w.gz'
walkconv w.gz -o w.npy
bad 'an array' 2 "'w.npy': this is an array, but --moves is for tables with names of columns" '--moves w.npy'
holds 'nothing was written' '! ls never.gz .never* 2>/dev/null'

# An allocation that fails is status 4 and one line.
oom=$BUILD/tests/oom.so
if [ -f "$oom" ] && ! ldd "$BUILD/walkconv" | grep -q libasan; then
	for c in '--bin px,py --grid 2x2 --moves --derive-actions turns track.csv' \
	    '--bin nose.x,nose.y --quantile 2 --derive-actions none dlc.csv' \
	    '--no-header --delimiter space --see 1 --derive-actions none bonsai.csv'; do
		walkconv $c -o want
		n=1 bad=0 hit=0
		while [ $n -le 160 ]; do
			rm -f got
			LD_PRELOAD=$oom CSCG_OOM_AT=$n walkconv $c -o got 2>msg
			rc=$?
			if [ $rc = 4 ] && [ ! -e got ] && grep -q 'out of memory' msg; then
				hit=$((hit + 1))
			elif [ $rc != 0 ] || ! cmp -s got want; then
				bad=$((bad + 1))
				echo "# allocation $n: status $rc $(head -1 msg)"
			fi
			n=$((n + 1))
		done
		holds "no memory for $c" "[ $bad = 0 ] && [ $hit -gt 10 ]"
	done
fi

# --- the tables of data/examples, cells by awk

tables=$TOP/data/examples/tables
cells() { # COLUMNS OPTION...: the cells of a table, one a line
	walkconv -q --derive-actions none --as csv --bin "$@" | sed 1d | cut -d, -f2
}
same 'a table of DeepLabCut' "cells nose.x,nose.y --cell 60 '$tables/deeplabcut.csv'" \
    "awk -F, 'NR > 3 && \$4 >= 0.6 { print int(\$2 / 60) \":\" int(\$3 / 60) }' '$tables/deeplabcut.csv'"
same 'deeplabcut.csv has a reset where the likelihood is low' "walkconv -q --bin nose.x,nose.y --cell 60 --derive-actions none --as csv '$tables/deeplabcut.csv' | awk -F, 'NR > 1 { t++ } \$NF == 1 { print t - 1 }'" 'echo 40'
same 'a table of Bonsai' "cells 1,2 --no-header --delimiter space --cell 80 --time 3 --gap 0.05 '$tables/bonsai.csv'" \
    "awk '\$1 != \"NaN\" { print int(\$1 / 80) \":\" int(\$2 / 80) }' '$tables/bonsai.csv'"
same 'GPS with semicolons and decimal commas' "cells longitude,latitude --cell 0.002 --time timestamp --gap 60 '$tables/gps.csv'" \
    "tr , . <'$tables/gps.csv' | awk -F ';' 'NR > 1 { print int(\$3 / 0.002) \":\" int(\$2 / 0.002) }'"
same 'gps.csv has a reset after a gap of 15 minutes' "walkconv -q --bin longitude,latitude --cell 0.002 --time timestamp --gap 60 --derive-actions none --as csv '$tables/gps.csv' | awk -F, 'NR > 1 { t++ } \$NF == 1 { print t - 1 }'" 'echo 50'
same 'a trajectory of an agent, with episodes' "walkconv -q --x front --as csv '$tables/minigrid.csv'" \
    "echo episode,x,a; awk -F, 'NR > 1 { print \$1 \",\" \$3 \",\" \$4 }' '$tables/minigrid.csv'"
finish
