# The index of a library: each value out of its range, each missing and each unknown
# key is refused, with its line and its name.
. "$(dirname "$0")/../tap.sh"

roomgen rectangle --size 2x3 -o first.room
roomgen rectangle --size 2x2 -o second.room
for r in first second; do roomgen room --as model $r.room -o $r; done
roomgen join first.room second.room -o both.room
roomwalk -n 200 both.room -o walk
cscg-stitch -q -j1 --restarts 1 --frontiers boundary --library books first second -w walk -o /dev/null
cp books/index good
exits 0 'the library is valid' 'cscg-show books'

refused() { # LINE SED-COMMAND TEXT
	sed "$1$2" good >books/index
	exits 3 "line $1: $2" 'cscg-show books'
	says 'message' "'books/index': line $1: $3"
}
head='format version runs next_id'
for key in $head; do
	refused 1 "s/\"$key\"/\"x$key\"/" "/"
	refused 1 "s/\"$key\":/\"x\":1,&/" '/x: unknown key'
done
refused 1 's/"noise"/"nosie"/' '/nosie: unknown key'
refused 1 's/,"noise".*/}/' '/noise: should be an object'
refused 1 's/"noise".*/"noise":3}/' '/noise: should be an object'
for key in steps slips misreads; do
	refused 1 "s/\"$key\":/\"$key\":-1,\"x\":/" '/noise: /x: unknown key'
	refused 1 "s/\"$key\":0/\"$key\":-1/" "/noise: /$key"
	refused 1 "s/\"$key\":0.0/\"$key\":\"0\"/" "/noise: /$key"
done
refused 1 's/"runs":1/"runs":-1/' '/runs'
refused 1 's/"next_id":3/"next_id":0/' '/next_id'
for key in kind id version states met first_run last_run steps; do
	refused 2 "s/\"$key\":[^,}]*[,]*//; 2s/,}/}/" "/$key: missing"
	refused 3 "s/\"$key\":[^,}]*/\"$key\":[]/" "/$key"
done
refused 2 's/"kind":"schema"/"kind":"other"/' '/kind'
refused 2 's/"kind"/"x":1,&/' '/x: unknown key'
for wrong in '"id":1/"id":0' '"version":1/"version":0' '"states":[0-9]*/"states":0' \
    '"met":1/"met":0' '"first_run":1/"first_run":0' '"first_run":1/"first_run":2' \
    '"last_run":1/"last_run":0' '"steps":[0-9]*/"steps":-1'; do
	key=${wrong#\"}
	refused 2 "s/$wrong/" "/${key%%\"*}"
done
refused 3 's/"id":2/"id":1/' '/id'
refused 3 's/"id":2/"id":3/' '/id'
refused 3 's/"id":2/"id":2,"schema":3/' '/schema'
refused 3 's/"id":2/"id":2,"schema":0/' '/schema'
: >books/index
exits 3 'an empty index' 'cscg-show books'
exactly 'message' "cscg-show: 'books/index': unexpected end: no cscg-library"
finish
