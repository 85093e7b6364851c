# Recordings of data/examples: from a table to a map, a score and a figure.
# all: slow (10 s)
. "$(dirname "$0")/../tap.sh"
examples=$TOP/data/examples

states() { # DIRECTORY
	cscg-show "$1/map.gz" | sed -n '1s/.*: \([0-9]*\) states.*/\1/p'
}
nats() { # FILE: nats per step of the last row
	awk 'END { print $4 }' "$1"
}
below() { # NUMBER NUMBER
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

# Seven by seven cells; 14 patterns of walls; 100,000 rows.
exits 0 'a labyrinth' "sh '$examples/labyrinth.sh' l"
cp "$out" score
same 'the recording has 100,000 frames' 'wc -l <l/track.csv' 'echo 100001'
same 'the map has a state for each cell' 'states l' 'echo 49'
holds 'the next symbol is predicted' 'below "$(nats score)" 0.03'
same 'the figure has a circle for each' 'grep -c "<circle" l/map.svg' 'echo 49'
# A tree of 49 cells has 48 corridors, each in both directions.
same 'the figure has a line for each corridor' 'grep -c "^<g><title>[0-9]* to" l/map.svg' 'echo 48'
cd l || exit 1
start=$(date +%s)
exits 0 'three commands, from the table to the figure' 'sed -n "/^walkconv/,\$p" "$TOP/data/examples/labyrinth.sh" >three && sh -e three'
holds 'take less than 10 seconds' '[ $(($(date +%s) - start)) -lt 10 ]'
if has_python numpy && ! ldd "$BUILD/libcscg.so" | grep -q 'lib[at]san'; then
	start=$(date +%s)
	mv map.svg tool.svg
	exits 0 'the labyrinth in Python' "PYTHONPATH='$TOP/data/python' PYTHONDONTWRITEBYTECODE=1 CSCG_LIBRARY='$BUILD/libcscg.so' python3 '$examples/recording.py'"
	cp "$out" ../python
	holds 'the Python program takes less than 10 seconds' '[ $(($(date +%s) - start)) -lt 10 ]'
	same 'the Python program gives the same map' 'sed -n 1p ../python' 'echo 49 states'
	same 'the Python program gives the same score' 'sed -n 2p ../python' 'printf "%.4f nats per step\n" "$(nats ../score)"'
	same 'the Python program gives the same figure' 'cat map.svg' 'cat tool.svg'
	same 'the Python program has at most eight statements' 'grep -c "^[a-z]" "$TOP/data/examples/recording.py"' 'echo 7'
else
	tap 0 'the same in Python # SKIP no NumPy'
fi
cd ..

# Twenty crossings; names of avenues are shared by three of five.
exits 0 'GPS tracks' "sh '$examples/gps.sh' g"
cp "$out" score
same 'the map has a state for each crossing' 'states g' 'echo 20'
same 'gaps are resets' 'walkconv --as csv g/test.gz | awk -F, "\$4 == 1" | wc -l' 'echo 9'
holds 'the next symbol is predicted' 'below "$(nats score)" 0.1'
same 'the figure has a circle for each' 'grep -c "<circle" g/map.svg' 'echo 20'

# 19 cells with four headings; some are equivalent.
exits 0 'an agent in a grid world' "sh '$examples/minigrid.sh' m"
cp "$out" score
holds 'states are cells with headings' '[ "$(states m)" -ge 60 ] && [ "$(states m)" -le 100 ]'
holds 'the next symbol is predicted' 'below "$(nats score)" 0.1'
holds 'the figure is drawn' 'grep -q "</svg>" m/map.svg'
finish
