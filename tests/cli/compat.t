# Files that version 1.0.0 wrote (tests/compat/1.0.0) are read, with the results
# of that version.  Integers and words are compared exactly, reals to 1e-5;
# histories and messages are not compared.
#
# COMPAT_UPDATE=1 writes the expected results; only for a build of version 1.0.0.
. "$(dirname "$0")/../tap.sh"
FREEZE=$TOP/tests/freeze
# shellcheck source=../freeze/tools.sh
. "$FREEZE/tools.sh"
eval "$freeze_functions"
OLD=$TOP/tests/compat/1.0.0
BUILD=$(cd "$BUILD" && pwd)
freeze_wrap "$dir/new" "$BUILD" "$FREEZE/renames.tsv"
PATH=$dir/new:$PATH
cp "$OLD"/*.* .
chmod u+w -- *.*

rewritten() { # COMMAND: it writes a file; its lines without history
	"$@" >.packed || return
	no_history .packed
}

# The tables of a graph; a file of several has none.
graph() { # FILE
	case $1 in
	several.* | street.* | parts.*) cscg-show --as dot "$1" ;;
	*) cscg-show --as tsv "$1" && cscg-show --as tsv --nodes "$1" ;;
	esac
}

# The walk that a grounded model was learned from, or another of that room.
walk_of() { # MODEL
	case $1 in
	exact.* | learned.* | updated.* | saved.* | bound.* | tied.* | tracked.*)
		echo truth.walk ;;
	raw.* | double.* | plain.*) echo slip.walk ;;
	pi.*) echo start.walk ;;
	names.*) echo names.walk ;;
	stitched.*) echo stitch.walk ;;
	gaussian*) echo symbols.walk ;;
	esac
}

model() { # FILE
	graph "$1" && cscg-show --frontiers "$1" || return
	rewritten cscg-show --as schema "$1" || return
	case $1 in
	clones.* | board.*) rewritten cscg-show --as clones "$1" || return ;;
	gaussian*)
		cscg-show --as ppm "$1" -o .ppm || return
		freeze_file .ppm ;;
	esac
	w=$(walk_of "$1")
	[ -z "$w" ] || { cscg-score --unseen 0 "$1" -w "$w" && cscg-score --posterior "$1" -w "$w"; }
}

walk() { # FILE
	rewritten walkconv "$1" && walkconv --to tsv "$1" || return
	case $1 in
	frames.* | views.*)
		cscg-show --as ppm "$1" -o .ppm || return
		freeze_file .ppm ;;
	esac
}

codebook() { # FILE
	cscg-show --as tsv "$1" && cscg-show --as npy "$1" -o .npy || return
	freeze_file .npy
	case $1 in
	real.*)
		vq-kmeans --encode "$1" --frames centroids.npy -o .npy || return
		freeze_file .npy ;;
	*) rewritten vq-kmeans --encode "$1" frames.walk ;;
	esac
}

array() { # FILE
	case $1 in
	T.*) rewritten cscg-show --as model --from-npy T "$1" ;;
	C.*) rewritten cscg-show --as model --from-npy C "$1" ;;
	walk.*) rewritten walkconv "$1" ;;
	symbols.*) rewritten walkconv "$1" ;;
	frames.*) rewritten vq-kmeans --encode bytes.codebook --frames "$1" numbers.walk ;;
	centroids.* | doubles.*)	# as frames
		vq-kmeans -k 2 --frames "$1" --codebook .codebook -o .npy || return
		freeze_file .npy
		cscg-show --as npy .codebook -o .npy || return
		freeze_file .npy ;;
	*) echo 'not an array that is known here'; return 1 ;;
	esac
}

contents() { # FILE: what is in it
	case $1 in
	*.room) rewritten roomgen room "$1" && graph "$1" ;;
	*.walk) walk "$1" ;;
	*.model) model "$1" ;;
	*.codebook) codebook "$1" ;;
	*.npy) array "$1" ;;
	*.csv | *.tsv) rewritten walkconv "$1" ;;
	actions.plan) rewritten roomwalk --actions "$1" --start 0 grid.room ;;
	json.plan) cscg-show --as html --plan "$1" exact.model | data_of_page ;;
	*) echo 'not a kind that is known here'; return 1 ;;
	esac
}

[ -z "${COMPAT_UPDATE-}" ] || mkdir -p "$OLD/want"
for f in *.*; do
	case $f in *.checkpoint) continue ;; esac
	exits 0 "$f is read" "contents $f >.got"
	if [ -n "${COMPAT_UPDATE-}" ]; then
		gzip -9n <.got >"$OLD/want/$f.gz"
	fi
	gzip -dc "$OLD/want/$f.gz" | freeze_words "$FREEZE/renames.tsv" >.want
	holds "$f has the results of version 1.0.0" "awk -f '$FREEZE/near.awk' .want .got"
done

# The history is kept.
for f in grid.room truth.walk clones.model; do
	case $f in
	*.room) roomgen room --no-gzip $f >.got ;;
	*.walk) walkconv --no-gzip $f >.got ;;
	*.model) cscg-show --as schema --no-gzip $f >.got ;;
	esac
	holds "$f: its history is kept" 'grep -q "\"history\":\[{\"program\":\"roomgen\",\"version\":\"1.0.0\"" .got'
done

# Schemas are bound, matched and stitched.
for m in schema.model clones.model exact.model bound.model; do
	exits 0 "$m is bound" "cscg-bind --restarts 1 $m -w truth.walk -o .bound"
done
exits 0 'schemas are matched' 'walkconv --head 60 truth.walk | cscg-match --min-posterior 0 clones.model door.model'
exits 0 'schemas are stitched' 'cscg-stitch --restarts 1 parts.model -w stitch.walk -o .stitched'

# A checkpoint belongs to the version that wrote it: another version continues
# from it or refuses it, and does not change it.
goes_on() { # FILE COMMAND...
	f=$1
	shift
	cp "$f" .before
	"$@" --checkpoint "$f" --resume -o .resumed 2>.said
	rc=$?
	cat .said
	[ $rc = 0 ] || { [ $rc = 3 ] && [ ! -e .resumed ] && cmp "$f" .before; }
}
holds 'learn.checkpoint: resumed or refused' \
    'goes_on learn.checkpoint cscg-learn --clones 2 --iterations 5 --restarts 1 truth.walk'
holds 'kmeans.checkpoint: resumed or refused' \
    'goes_on kmeans.checkpoint vq-kmeans -k 4 --iterations 5 --restarts 2 frames.walk'
finish
