# The graph of a walk is learned with default options, from observations and
# actions alone. make fig-recover does this for many rooms and seeds.
# all: figures in small
. "$(dirname "$0")/../tap.sh"

# room steps: the smallest number in which every transition occurs often enough
for job in 'torus 20000' 'hole 10000' 'rectangle-5x6 5000'; do
	room=${job% *}
	exits 0 "$job" "STEPS=${job#* } sh '$TOP/data/figures/recover.sh' $room 2001"
	cp "$out" "$room.tsv"
	# purity and isomorphism, on the walk itself and on a fresh one
	same '... is found, also on another walk' \
	    "tail -n 1 $room.tsv | cut -f 8-11" 'printf "1\tyes\t1\tyes\n"'
	holds '... with a state for each node' \
	    "awk '!/^#/ && \$4 == \$5 { n++ } END { exit n != 1 }' $room.tsv"
done
# 8 x 9 nodes, of which 2 * 9 + 2 * 6 are on the rim
same 'the torus needs 42 clones of its inside' 'tail -n 1 torus.tsv | cut -f 5,6' \
    'printf "72\t42\n"'
# A step costs ln T of its one edge, (c + p) / (c + p n): with 20000 / 288 visits,
# p = 0.002 and n = 72, 0.0020 nats.
holds 'almost every step is predicted' \
    "awk '!/^#/ { exit !(\$12 > 0.0015 && \$12 < 0.004) }' torus.tsv"

# With 10 % slips the graph is learned by EM, and T is limited by the length of
# the walk: EM from the true model is no better.
exits 0 'slip' "sh '$TOP/data/figures/recover.sh' slip-10000 2001"
cp "$out" slip.tsv
same '... has a state for each node' 'tail -n 1 slip.tsv | cut -f 4,5' 'printf "30\t30\n"'
holds '... as near to the truth as EM from the true model' \
    "awk '!/^#/ { exit !(\$8 < 0.2 && \$8 < 1.5 * \$11) }' slip.tsv"

# Walks whose noise, estimated once, left two wrong successors (seed 51006010) and
# three nodes with two states each (51006011).
exits 0 'slip, estimated again' \
    "sh '$TOP/data/figures/recover.sh' slip-50000 51006010 51006011"
cp "$out" again.tsv
same '... a state for each node' 'grep -v "^#" again.tsv | cut -f 4,5' \
    'printf "30\t30\n30\t30\n"'
holds '... T is that of the room' \
    "awk '!/^#/ && !(\$8 < 0.05) { wrong = 1 } END { exit wrong }' again.tsv"

# True nodes are not used for learning.
roomgen rectangle --size 5x6 -o room.gz
roomwalk -n 5000 --no-gzip room.gz -o seen
text() { sed 's/,"history":.*//'; }
cscg-learn --no-gzip seen | text >map
same 'a blind walk gives the same map' 'cat map' \
    'roomwalk -n 5000 --blind room.gz | cscg-learn --no-gzip | text'
holds 'the walk has its true nodes' "grep -q '\"z\":\[[0-9]' seen"
# Each line keeps its nodes, in the order of their spelling.
awk '{
	if (match($0, /"z":\[[0-9,]*\]/)) {
		n = split(substr($0, RSTART + 5, RLENGTH - 6), z, ",")
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && z[j] < z[j - 1]; j--) {
				k = z[j]; z[j] = z[j - 1]; z[j - 1] = k
			}
		s = z[1]
		for (i = 2; i <= n; i++) s = s "," z[i]
		$0 = substr($0, 1, RSTART + 4) s substr($0, RSTART + RLENGTH - 1)
	}
	print
}' seen >shuffled
holds 'shuffled nodes differ' '! cmp -s seen shuffled'
same 'shuffled nodes give the same map' 'cat map' 'cscg-learn --no-gzip shuffled | text'

finish
