# A loss of power at any moment leaves the old file or the new one, never neither.
#
# The calls that write a file are recorded, and each prefix of them is replayed
# with all states that the disk may then have (tests/fault/replay.py).
# all: fault injection
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/fault/jobs.sh"

so=$BUILD/tests/fault.so
if ldd "$BUILD/roomgen" | grep -q -e libasan -e libtsan; then
	tap 0 'loss of power # SKIP in the plain build'
	finish
fi
if ! has_python; then
	tap 0 'loss of power # SKIP no python3'
	finish
fi

pre=
holds 'the jobs can be set up' fault_setup
echo old >old
replay="python3 '$TOP/tests/fault/replay.py'"

power() { # NAME FILE OLD COMMAND: which is run with $pre
	pre="env LD_PRELOAD=$so CSCG_FAULT_LOG=$dir/log"
	exits 0 "$1: is recorded" "$4"
	pre=
	exits 0 "$1: $2 is old or new" "$replay log '$2' $3 '$2'"
	sed 's/^/# states: /' "$out"
}

for t in $fault_jobs; do
	line=$(fault_job "$t" | tr '\n' ' ')
	cp old got
	power "$t" got old "$line -o got"
	rm got
	power "$t, a new file" got - "$line -o got"
done

learn='cat walk.gz | $pre cscg-learn -j 1 --clones 2 --iterations 5 --restarts 2
    --structure none --checkpoint state --checkpoint-every 1 -o got'
power 'cscg-learn --checkpoint' state - "$(echo "$learn" | tr '\n' ' ')"
holds 'the checkpoint was written more than once' '[ "$(grep -c "^rename.*state$" log)" -gt 2 ]'

# A library in one file, and as a directory that a second run changes.
cp old lib
power 'a library' lib old '$pre cscg-show --partition --as library model.gz -o lib'
cp log kept && cp log.data kept.data
stitch='cat joined.gz | $pre cscg-stitch -j1 --restarts 1'
power 'cscg-stitch --library, the first run' books - \
    "$stitch --library books left.model -o got"
cp -r books before
power 'cscg-stitch --library, the second run' books before \
    "$stitch --library books left.model right.model -o got"
holds 'the second run adds a schema' '[ -e books/schema-2.gz ] && [ ! -e before/schema-2.gz ]'
# The index must come after the models that it names.
awk '/^rename.*index/ { print }' log >early && grep -v '^rename.*index' log >late
grep '^create.*index' log | cat - early late >swapped && cp log.data swapped.data
exits 1 'an index before its models is noticed' "$replay swapped books before books"

# The replay detects a file that is not synced before it is renamed, and a name
# that is not synced at all.
grep -v '^sync	' kept >unsynced && cp kept.data unsynced.data
exits 1 'no sync of the file is noticed' "$replay unsynced lib old lib"
grep -v '^syncdir' kept >undone && cp kept.data undone.data
exits 1 'no sync of the directory is noticed' "$replay undone lib old lib"
finish
