#!/bin/sh
# walkconv: tables to walks and back, parts of walks, and bad input.
. "$(dirname "$0")/../tap.sh"

# Names, quotes, a dropout, an action on a last row that does not count.
cat >names.csv <<'END'
episode,x,a
0,red,left
0,"blue, ""dark""",right
0,,left
0,red,
1,green,right
1,red,
END
sed 's/^1,red,$/1,red,jump/' names.csv >last.csv

# From tables to walks

exits 0 'a table with names becomes a walk' 'walkconv --no-gzip names.csv'
prints 'symbols are numbered as they appear' \
    '"symbols":["red","blue, \"dark\"","green"]'
prints 'so are actions' '"actions":["left","right"]'
prints 'a dropout is null' '{"episode":0,"x":[0,1,null,0],"a":[0,1,0],"last":true}'
prints 'the end line counts' '{"end":true,"episodes":2,"steps":6}'
same 'a table converted to a walk and back is the same' 'cat names.csv' \
    'walkconv names.csv | walkconv --as csv'
same 'an action on a last row is not used' 'walkconv --no-gzip names.csv' \
    'walkconv --no-gzip last.csv'

printf 'obs,time,action\r\n5,a,1\r\n0,b,0\r\n7,c,1\r\n' >numbers.csv
exits 0 'numbers are kept' 'walkconv --no-gzip numbers.csv'
prints 'with the largest plus one as size' '"n_actions":2,"n_obs":8,"history"'
prints 'other columns are passed over' '"x":[5,0,7],"a":[1,0]'
printf 'x,a\n07,0\n1,0\n' >zero.csv
exits 0 'a number with a leading zero is a name' 'walkconv --no-gzip zero.csv'
prints 'and makes names of all' '"symbols":["07","1"]'
printf 'x,a\n10000000,0\n1,0\n' >large.csv
exits 0 'a table with a number out of range' 'walkconv --no-gzip large.csv'
prints 'a large name' '"symbols":["10000000","1"]'

tr , '\t' <numbers.csv >numbers.tsv
same 'TSV is the same with tabs' 'walkconv --no-gzip numbers.csv' \
    'walkconv --no-gzip numbers.tsv'
same '--from tsv gives the same walk' 'walkconv --no-gzip numbers.csv' \
    'walkconv --no-gzip <numbers.tsv --from tsv | sed "s/{\"from\":\"tsv\"}/{}/"'
same 'a compressed table is read' 'walkconv --no-gzip numbers.csv' \
    'gzip -c numbers.csv | walkconv --no-gzip'
gzip -k names.csv
same 'a CSV file is detected by its name' 'walkconv names.csv | zcat' \
    'walkconv names.csv.gz | zcat'
exits 0 'columns can be named' 'printf "s;1,m\n1,0\n2,0\n" >odd.csv &&
    walkconv --no-gzip --x "s;1" --a m odd.csv'
prints 'and are used' '"x":[1,2],"a":[0],"last":true'
exits 0 'a table without actions' 'printf "x\n1\n\n2\n" >noact.csv &&
    walkconv --no-gzip --a "" noact.csv'
prints 'has one action' '{"episode":0,"x":[1,null,2],"a":[0,0],"last":true}'
exits 0 'a table without rows is a walk without steps' \
    'printf "x,a\n" | walkconv --no-gzip'
prints 'is a valid file' '{"end":true,"episodes":0,"steps":0}'

says 'and --missing has no effect on it' 'walkconv: standard input: no rows: there are no steps in it'
exits 0 'not with -q' 'printf "x,a\n" | walkconv -q --no-gzip'
exactly 'of course' ''
exits 0 'a table without rows among several is named' 'printf "x,a\n" >rowless.csv && walkconv numbers.csv rowless.csv'
exactly 'that has none' "walkconv: 'rowless.csv': no rows: there are no steps in it"

# Variants: blanks, other separators, capitals, marks

cat >neat.csv <<'END'
episode, x    , a
0      , red  , left
0      , blue , "right"
0      , red  ,
1      , " red", left
1      , blue ,
END
exits 0 'blanks around fields are no part of them' 'walkconv --no-gzip neat.csv'
prints 'but are in quotes' '"actions":["left","right"],"symbols":["red","blue"," red"]'
same 'such a name comes back' 'printf "episode,x,a\n0,\" red\",left\n0,blue,\n"' \
    'walkconv neat.csv | walkconv --select 1 --as csv'
plain='walkconv --no-gzip names.csv'
# The same table in other formats; the name with a comma keeps its quotes.
sed 's/\(^[^,]*\),\(.*\),\([^,]*\)$/\1;\2;\3/' names.csv >semi.csv
same 'semicolons are detected in the first line' "$plain" 'walkconv --no-gzip semi.csv'
same 'semicolons are detected in a pipe' "$plain" 'cat semi.csv | walkconv --no-gzip'
tr ';' '\t' <semi.csv >tabs.csv
same 'tabs are detected' "$plain" 'walkconv --no-gzip tabs.csv'
cp names.csv commas.tsv
same 'commas are detected in a .tsv file' "$plain" 'walkconv --no-gzip commas.tsv'
tr ';' '|' <semi.csv >bars.csv
same 'other separators are given by --delimiter' "$plain" \
    'walkconv --no-gzip --delimiter "|" bars.csv | sed "s/{\"delimiter\":\"|\"}/{}/"'
same 'tab has a name' "$plain" \
    'walkconv --no-gzip --delimiter tab tabs.csv | sed "s/{\"delimiter\":\"tab\"}/{}/"'
printf 'x a\n1 0\n2 0\n' >spaces.csv
exits 0 '--delimiter space' 'walkconv --as csv --delimiter space spaces.csv'
prints 'which is a delimiter as well' '0,1,0'
printf '\357\273\277x,a\r\n1,0\r\n2,1\r\n\r\n' >windows.csv
same 'a byte order mark, CR LF and an empty last line are ignored' \
    'printf "episode,x,a\n0,1,0\n0,2,\n"' 'walkconv --as csv windows.csv'
sed '1s/.*/Episode,X,A/' names.csv >capitals.csv
same 'names of columns may be in capitals' "$plain" 'walkconv --no-gzip capitals.csv'
sed '1s/.*/Trial,Seen,Did/' names.csv >mine.csv
same 'column names by options' \
    'walkconv --as csv --x Seen --a Did --episode Trial mine.csv' \
    'walkconv --as csv --x seen --a DID --episode trial mine.csv'
printf 'X,x,a\n7,1,0\n8,2,0\n' >both.csv
exits 0 'an exact spelling has precedence' 'walkconv --as csv both.csv'
prints 'then' '0,1,0'
printf '# x,a,reset\n1,0,False\n2,0,TRUE\n' >marked.csv
same 'a mark before the names, and other spellings of true' \
    'printf "episode,x,a,reset\n0,1,0,0\n0,2,,1\n"' 'walkconv --as csv marked.csv'
# numpy.savetxt() puts "# " before its header, with any delimiter.
for d in space tab ';' ','; do
	case $d in space) c=' ' ;; tab) c='\t' ;; *) c=$d ;; esac
	for m in '# ' '#' '#\t' "#$c" "#$c$c"; do
		printf "${m}x${c}a\n1${c}0\n2${c}0\n" >mark.csv
		same "parted by $d and marked '$m'" 'printf "episode,x,a\n0,1,0\n0,2,\n"' \
		    "walkconv --as csv --delimiter '$d' mark.csv"
	done
	printf "#${c}x${c}a\n7${c}1${c}0\n8${c}2${c}0\n" >mark.csv
	same "parted by $d, a column #" 'printf "episode,x,a\n0,1,0\n0,2,\n"' \
	    "walkconv --as csv --delimiter '$d' mark.csv"
done
printf '#\tx;a\n1;0\n2;0\n' >mark.csv
same 'the blank after the mark is no delimiter' \
    'printf "episode,x,a\n0,1,0\n0,2,\n"' 'walkconv --as csv mark.csv'
printf '# "x","a"\n1,0\n2,0\n' >mark.csv
same 'names behind it may be quoted' \
    'printf "episode,x,a\n0,1,0\n0,2,\n"' 'walkconv --as csv mark.csv'
printf '#,x,a\n' >mark.csv
same 'a table without rows has a name with #' 'printf "episode,x,a\n"' 'walkconv -q --as csv mark.csv'
# In tables, Z and R are mostly measurements, not node and reward.
printf 'x,a,Z,R\n1,0,0.25,west\n2,0,0.5,east\n' >zr.csv
same 'Z and R are other columns, and passed over' \
    'printf "episode,x,a\n0,1,0\n0,2,\n"' 'walkconv --as csv zr.csv'
printf 'node,a,z\nhall,go,3\nyard,go,4\n' >node.csv
exits 0 'a column named by an option has no other meaning' 'walkconv --no-gzip --x node node.csv'
prints 'than that' '"symbols":["hall","yard"]'
prints 'and others stay' '"z":[3,4]'
printf 'episode,x,a\n5,1,0\n6,2,0\n' >ep.csv
exits 0 'an episode column that does not exist' "walkconv --no-gzip --episode '' ep.csv"
prints 'is passed over' '"x":[1,2],"a":[0]'

# Missing values, as other programs write them

printf 'x,a,z,r\n3,0,1,0.5\nNaN,0,NaN,NaN\n4,0,2,1\n-1,NaN,-1,NaN\n' >lost.csv
exits 0 'words for missing values' 'walkconv --no-gzip --missing NaN --missing -1 lost.csv'
exactly 'are silent' ''
prints 'are like empty fields' '{"episode":0,"x":[3,null,4,null],"a":[0,0,0],"z":[1,null,2,null],"r":[0.5,null,1,null],"last":true}'
# A word for a missing observation is not one for a missing action or reward.
cat >costs.csv <<'END'
episode,x,a,z,reset,r,goal
0,3,1,0,0,-1,4
0,-1,-1,-1,1,-1,-1
-1,4,0,1,-1,0.5,3
0.5,0,1,2,0,-1,0
END
exits 0 '-1 for a missing observation' 'walkconv --no-gzip --missing -1 costs.csv'
prints 'is still a reward' '{"episode":0,"x":[3,null],"a":[1],"z":[0,null],"reset":[1],"r":[-1,-1],"goal":[4,null],"last":true}'
prints 'and a value that numbers episodes' '{"end":true,"episodes":3,"steps":4}'
printf 'x,a\n3,1\n4,-1\n-1,1\n3,\n' >turns.csv
exits 0 'negative actions' 'walkconv --no-gzip --missing -1 turns.csv'
prints 'stay two' '"actions":["1","-1"]'
prints 'as they were' '"x":[3,4,null,3],"a":[0,1,0],"last":true'
printf 'x,a,z,reset,r\n3,0,0,0,0\n0,1,1,1,1\n4,0,0,0,0\n' >nought.csv
exits 0 '0 for a missing observation' 'walkconv --no-gzip --missing 0 --missing 1 nought.csv'
prints 'changes nothing else' '{"episode":0,"x":[3,null,4],"a":[0,1],"z":[0,1,0],"reset":[1],"r":[0,1,0],"last":true}'
printf 'episode,x,a,reset,r\nNA,1,0,NA,NA\nNaN,2,0,NaN,-1e3\n' >words.csv
exits 0 'words that are no numbers' 'walkconv --no-gzip --missing NA --missing NaN words.csv'
prints 'are missing in other columns' '{"episode":0,"x":[1],"a":[],"last":true}'
prints 'episodes stay two' '{"episode":1,"x":[2],"a":[],"r":[-1000],"last":true}'
printf 'x,a\n3,0\nNaN,0\n4,\n' >nan.csv
exits 0 'NaN without --missing' 'walkconv --no-gzip nan.csv'
exactly 'a warning is printed' "walkconv: 'NaN' is used as a symbol; if it marks a missing value, use --missing NaN"
prints 'and a name' '"symbols":["3","NaN","4"]'
exits 3 'an action that is missing' 'printf "x,a\n1,0\n2,NA\n3,0\n" | walkconv --missing NA --episode ""'
exactly 'is missing' 'walkconv: standard input: line 3: no action, but the episode continues'
# 60 steps, each with a symbol of its own; if every second one occurs twice,
# there is no warning.
awk 'BEGIN { print "x,a"; for (i = 0; i < 60; i++) print 0.5 + i ",0" }' >real.csv
exits 0 'measurements' 'walkconv real.csv -o real.gz'
exactly 'are wondered at' "walkconv: 60 different symbols in 60 steps, '0.5' first: measurements must be quantised to symbols that recur, see walkconv(1)"
awk 'BEGIN { print "x,a"; for (i = 0; i < 60; i++) print 0.5 + i % 30 ",0" }' >twice.csv
exits 0 'values that repeat' 'walkconv twice.csv -o twice.gz'
exactly 'is not' ''

# Start of episodes

printf 't,reset,x,a\n0,1,1,0\n1,0,2,0\n0,1,1,0\n1,0,2,0\n' >reset.csv
exits 0 'steps that restart at a reset' 'walkconv reset.csv -o reset.gz'
exactly 'are no question' ''
sed 's/^0,1/0,0/' reset.csv >noreset.csv
exits 0 'steps that restart without a reset' 'walkconv noreset.csv -o reset.gz'
exactly 'they are' "walkconv: 'noreset.csv': line 4: 't' goes from 1 to 0: does another episode begin there? (--episode names its column)"
printf 'Trial,x,a\n1,1,0\n1,2,0\n2,1,0\n2,2,0\n' >trials.csv
exits 0 'trials that change' 'walkconv trials.csv -o trials.gz'
exactly 'give a warning' "walkconv: 'trials.csv': line 4: 'Trial' changes: does another episode begin there? (--episode Trial)"
exits 0 '--episode gives no warning' 'walkconv --episode Trial trials.csv -o trials.gz'
exactly 'or empty' ''
exits 0 "--episode '' gives no warning" "walkconv --episode '' trials.csv -o trials.gz"
exactly 'of a column' ''

# The trial may change at a reset, and not elsewhere.
printf 'trial,reset,x,a\n1,0,1,0\n1,0,2,0\n2,1,1,0\n2,0,2,0\n3,0,1,0\n' >mixed.csv
exits 0 'trials after a reset' 'walkconv mixed.csv -o mixed.gz'
exactly 'give a warning where there is no reset' "walkconv: 'mixed.csv': line 6: 'trial' changes: does another episode begin there? (--episode trial)"
sed '$s/3,0/3,1/' mixed.csv >told.csv
exits 0 'trials that change at resets only' 'walkconv told.csv -o mixed.gz'
exactly 'are not' ''
sed '1s/^/# /' mixed.csv >markedtrials.csv
exits 0 'a mark before the names' 'walkconv markedtrials.csv -o mixed.gz'
exactly 'hides no trial' "walkconv: 'markedtrials.csv': line 6: 'trial' changes: does another episode begin there? (--episode trial)"
sed '1s/^/#,/' mixed.csv >markedtrials.csv
exits 0 'a marked header of trials gives the same warning' 'walkconv markedtrials.csv -o mixed.gz'
exactly 'in a field of its own' "walkconv: 'markedtrials.csv': line 6: 'trial' changes: does another episode begin there? (--episode trial)"

# Trials that are numbered for each subject need both columns.
printf '%s\n' who,trial,x,a A,1,1,0 A,1,2,0 A,2,1,0 B,2,3,0 B,1,1,0 >subjects.csv
same 'several columns identify episodes together' \
    'printf "episode,x,a\n0,1,0\n0,2,\n1,1,\n2,3,\n3,1,\n"' \
    'walkconv --as csv --episode who --episode trial subjects.csv'
same 'several columns of episodes in any order' 'walkconv --as csv --episode who --episode trial subjects.csv' \
    'walkconv --as csv --episode trial --episode who subjects.csv'
exits 3 'one of two columns of episodes' 'walkconv --episode trial subjects.csv'
exactly 'and the message names the option' "walkconv: 'subjects.csv': line 6: episode '1' continues after another began (--episode may be repeated, for several columns)"
# ("a,", "") and ("a", ",") are different, with any separator.
printf 'u,v,x,a\n"a,",,1,0\na,",",2,0\n"a\\",",",3,0\n"a\\,",,4,0\n' >keys.csv
same 'values of columns are kept apart' 'printf "episode,x,a\n0,1,\n1,2,\n2,3,\n3,4,\n"' \
    'walkconv --as csv --episode u --episode v keys.csv'

# All fields, as walkconv writes them.
cat >full.csv <<'END'
episode,x,a,z,reset,r,goal
0,0,1,4,0,,
0,,0,5,0,0.1,2
0,2,,,1,-3,1
1,1,0,0,0,1e+300,
1,1,,1,1,0.3333333333333333,0
END
same 'all fields survive' 'cat full.csv' 'walkconv full.csv | walkconv --as csv'
same 'through TSV as well' 'cat full.csv' \
    'walkconv full.csv | walkconv -o full.tsv && walkconv full.tsv | walkconv --as csv'
exits 0 'the walk has them' 'walkconv --no-gzip full.csv'
prints 'nodes, resets, rewards, goals' '"z":[4,5,null],"reset":[2],"r":[null,0.10000000000000001,-3],"goal":[null,2,1],"last":true}'
same 'columns may stand in any order under other names' 'walkconv full.csv | zcat' \
    'awk -F, -v OFS=, "{ print \$7, \$6, \$5, \$4, \$3, \$2, \$1 }" full.csv |
     sed "1s/.*/goal,reward,reset,node,action,observation,episode/" | walkconv | zcat'

# From walks to tables

roomgen torus | roomwalk -n 300 --episodes 3 -o w.gz
exits 0 'a walk becomes a table by the name of the file' \
    'walkconv w.gz -o w.csv && head -1 w.csv'
prints 'with true nodes' 'episode,x,a,z'
holds 'a row for each step' '[ "$(wc -l <w.csv)" = 901 ]'
exits 0 'names are written' 'walkconv --as csv w.gz | cut -d, -f3 | sort -u'
prints 'such as' 'left'
exits 0 '--numbers' 'walkconv --as csv --numbers w.gz | cut -d, -f3 | sort -u | tr "\n" " "'
prints 'if asked for' ' 0 1 2 3 a '
same 'numbers of symbols come back as they were' \
    'zcat w.gz | grep -o "\"x\":[^]]*"' 'walkconv w.csv | zcat | grep -o "\"x\":[^]]*"'
walkconv w.gz -o w.csv.gz
same 'a table is compressed if its name says so' 'zcat w.csv.gz' 'cat w.csv'
walkconv w.gz -o w.npy
same 'an array comes back' 'walkconv --as csv --numbers w.npy' \
    'walkconv --as csv --numbers w.gz | cut -d, -f1-3'
same 'an array is known by its first byte' 'walkconv --as csv w.npy' \
    'walkconv --as csv <w.npy'
same 'a walk with names, dropouts and numbers in an array' \
    'printf "0,0,0\n0,1,1\n0,,0\n0,0,\n1,2,1\n1,0,\n"' \
    'walkconv names.csv | walkconv --as npy | walkconv --as csv | tail -n +2'

# Parts

same 'episodes are kept in the order given' \
    'printf "0,green,right\n0,red,\n1,red,left\n1,\"blue, \"\"dark\"\"\",right\n1,,left\n1,red,\n"' \
    'walkconv --as csv --select 1,0 names.csv | tail -n +2'
same 'a range without an end' 'walkconv w.gz --as csv --select 1-2' \
    'walkconv w.gz --as csv --select 1-'
holds 'head keeps the first steps of each episode' \
    '[ "$(walkconv --head 7 --as csv w.gz | wc -l)" = 22 ] &&
     walkconv --head 7 --as csv w.gz | sed -n 8p | grep -q "^0,[0-9]*,,"'
same 'head of one step' 'printf "episode,x,a\n0,red,\n1,green,\n"' \
    'walkconv --head 1 --as csv names.csv'
same 'inputs are joined, episodes renumbered' \
    '(zcat w.gz; zcat w.gz) | walkconv --as csv' 'walkconv --as csv w.gz w.gz'
same 'concatenated gzip files' 'cat w.gz w.gz | walkconv --as csv' \
    'walkconv --as csv w.gz w.gz'
holds 'the last episode has the last number' \
    'walkconv --as csv w.gz w.gz | tail -1 | grep -q "^5,"'
same 'tables are joined, each an episode of its own' \
    'printf "0,5,1\n0,0,0\n0,7,\n1,5,1\n1,0,0\n1,7,\n"' \
    'walkconv --as csv numbers.csv numbers.tsv | tail -n +2'

exits 0 'a test set is set aside' 'walkconv --test test.gz w.gz -o train.gz'
exits 0 'the history has the fraction' 'cscg-show train.gz'
prints 'in its history' ' | walkconv --test given'
same 'together they are the whole' 'walkconv --as csv train.gz test.gz' \
    'walkconv --as csv w.gz'
holds 'a fifth of three episodes is one' \
    'zcat test.gz | grep -q "^{\"end\":true,\"episodes\":1,\"steps\":300}"'
walkconv --test test.csv --test-fraction 0.5 w.gz -o train.csv
holds 'half of three is two; in the form of the output' \
    'tail -1 test.csv | grep -q "^1," && tail -1 train.csv | grep -q "^0,"'
walkconv --select 0 --test test.gz --test-fraction 0.25 w.gz -o train.gz
holds 'a single episode is cut by steps' \
    'zcat train.gz | grep -q "\"episodes\":1,\"steps\":225}" &&
     zcat test.gz | grep -q "\"episodes\":1,\"steps\":75}"'
same 'no step is lost' 'walkconv --as csv train.gz test.gz | cut -d, -f2,4' \
    'walkconv --as csv --select 0 w.gz | cut -d, -f2,4'
walkconv --test test.gz --test-fraction 0 w.gz -o train.gz
holds 'neither part is empty' 'zcat test.gz | grep -q "\"episodes\":1"'
walkconv --test test.gz --test-fraction 1 w.gz -o train.gz
holds 'neither part of a split is empty with a fraction of 1' 'zcat train.gz | grep -q "\"episodes\":1"'

# Names that a spreadsheet would take for formulas

printf '%s\n' x,a '"=cmd|'"' /c calc'!A0"'",-1+1' "'+x,@up" "''=x,-2" "'+x," >calc.csv
exits 0 'names like formulas' 'walkconv calc.csv --no-gzip'
prints 'are read as they are' \
    '"actions":["-1+1","@up","-2"],"symbols":["=cmd|'"' /c calc'!A0"'","+x","'"'=x"'"]'
exits 0 'names that look like formulas are written' 'walkconv calc.csv --as csv'
same 'formulas have an apostrophe, numbers have none' "cut -d, -f2,3 '$out' | tail -n +2" \
    "printf '%s\\n' \"'=cmd|' /c calc'!A0,'-1+1\" \"'+x,'@up\" \"''=x,-2\" \"'+x,\""
cp "$out" escaped.csv
same 'the apostrophe is removed by reading' 'walkconv escaped.csv --no-gzip | grep -o "\"symbols.*\|{\"ep.*"' \
    'walkconv calc.csv --no-gzip | grep -o "\"symbols.*\|{\"ep.*"'

# --alphabet-from

walkconv names.csv -o train.gz
printf 'x,a\ngreen,right\nred,\n' >test.csv
exits 0 'a test set gets the numbers of the training set' \
    'walkconv --alphabet-from train.gz --no-gzip test.csv'
prints 'symbols' '{"episode":0,"x":[2,0],"a":[1],"last":true}'
prints 'and all names' '"n_actions":2,"n_obs":3,"actions":["left","right"],"symbols":["red","blue, \"dark\"","green"]'
walkconv test.csv -o test.gz
same 'a walk is renumbered as well' 'walkconv --alphabet-from train.gz test.csv --as csv --numbers' \
    'walkconv --alphabet-from train.gz test.gz --as csv --numbers'
printf 'x,a\ngreen,right\npink,left\n' >pink.csv
exits 3 'a symbol it lacks is refused' 'walkconv --alphabet-from train.gz pink.csv'
exactly 'is refused, with its line' "walkconv: 'pink.csv': line 3: symbol 'pink' is not known (3 symbols, 'red' first)"
printf 'x,a\ngreen,up\nred,left\n' >up.csv
exits 3 'an action it lacks is refused' 'walkconv --alphabet-from train.gz up.csv'
exactly 'with its place as well' "walkconv: 'up.csv': line 2: action 'up' is not known (2 actions, 'left' first)"
walkconv numbers.csv -o n.gz
exits 3 'a number it lacks is refused' 'printf "x,a\n8,0\n1,0\n" | walkconv --alphabet-from n.gz'
exactly 'by range' "walkconv: standard input: line 2: symbol '8' is not a number 0..7"
walkconv pink.csv -o pink.gz
exits 3 'an unknown symbol in a walk' 'walkconv --alphabet-from train.gz pink.gz'
says 'by name' "symbol 'pink' does not occur in the other input"
exits 3 'a cut --alphabet-from is refused' 'head -c 100 train.gz >cut.gz; walkconv --alphabet-from cut.gz test.csv'
exactly 'as cut' "walkconv: 'cut.gz': unexpected end of gzip data"

# Bad tables: status 3, position and cause

bad() { # NAME TEXT MESSAGE [OPTION...]
	name=$1 text=$2 msg=$3
	shift 3
	printf "$text" >bad.csv
	exits 3 "refused: $name" "walkconv $* bad.csv -o never.gz"
	exactly "  saying so" "walkconv: 'bad.csv': $msg"
}
bad 'no columns' '' 'unexpected end: no names of columns'
bad 'no observations' 'y,a\n1,2\n' "line 1: no column 'x' (or 'obs', 'observation'); there are 'y', 'a' (--x names another)"
bad 'no actions' 'x,b\n1,2\n' "line 1: no column 'a' (or 'action'); there are 'x', 'b' (--a names another, or '' for none)"
bad 'no such column x' 'x,a\n' "line 1: no column 'y'; there are 'x', 'a'" --x y
bad 'a missing column of one' 'x\n' "line 1: no column 'y'; there is 'x'" --x y
bad 'a missing column of many' "$(seq -s , 100 199)\\n" "line 1: no column 'y'; there are '100', '101', '102', '103', '104', '105', '106', '107', '108', '109', '110', '111', '112', '113', '114', '115', '116', '117', '118', '119', '120', '121', ...; the first line must name the columns" --x y
bad 'no such column a' 'x,a\n' "line 1: no column 'b'; there are 'x', 'a'" --a b
bad 'no such column episode' 'x,a\n' "line 1: no column 'e'; there are 'x', 'a'" --episode e
bad 'two columns of one role' 'x,obs,a\n1,2,3\n' "line 1: columns 'x' and 'obs' are the same thing"
bad 'x twice, by case' 'X,OBS,a\n1,2,3\n' "line 1: columns 'X' and 'OBS' are the same thing"
bad 'no names' '1,0\n2,0\n' "line 1: no column 'x' (or 'obs', 'observation'); there are '1', '0'; the first line must name the columns (--x names another)"
bad 'semicolons with a comma among them' 'x;a;at (m,m)\n1;2;3\n' "line 1: no column 'x' (or 'obs', 'observation'); there are 'x;a;at (m', 'm)'; with 2 ';' in the first line, is ';' the delimiter? (--delimiter)"
bad 'spaces' 'x a b\n1 2 3\n' "line 1: no column 'x' (or 'obs', 'observation'); there is 'x a b'; with 2 spaces in the first line, is space the delimiter? (--delimiter)"
bad 'tabs that were not asked for' 'x\ta\n1\t2\n' "line 1: no column 'x' (or 'obs', 'observation'); there is 'x?a'; with 1 tab in the first line, is tab the delimiter? (--delimiter)" --delimiter ,
bad 'an empty line inside' 'x,a\n1,0\n\n2,0\n' 'line 3: an empty line inside the table'
bad 'an episode that is no UTF-8' 'x,a,episode\n1,0,f\374r\n' 'line 2: a name is not valid UTF-8; is it Latin-1? (iconv -f LATIN1 -t UTF-8)'
bad 'UTF-16' '\377\376x\0,\0a\0\n\0' 'line 1: this is UTF-16; convert it (iconv -f UTF-16 -t UTF-8)'
bad 'UTF-16, the other way round' '\376\377\0x\0,\0a\0\n' 'line 1: this is UTF-16; convert it (iconv -f UTF-16 -t UTF-8)'
bad 'Parquet' 'PAR1\025\004\n' 'line 1: this is a Parquet file; convert it to CSV'
bad 'a picture' '\211PNG\r\n\032\n' 'line 1: this is a PNG picture, not JSON; vq-kmeans --frames takes pictures as the rows of a .npy array'
bad 'UTF-16 without a mark' 'x\0,\0a\0\n\0' 'line 1: this is UTF-16; convert it (iconv -f UTF-16LE -t UTF-8)'
bad 'a spreadsheet' 'PK\003\004\024\0' 'line 1: this is a zip archive, such as .xlsx and .ods; save the sheet as CSV'
bad 'too few fields' 'x,a\n1,2\n1\n' 'line 3: 1 field, but the first line has 2'
bad 'too many fields' 'x,a\n1,2,3\n' 'line 2: 3 fields, but the first line has 2'
bad 'no action inside an episode' 'x,a\n1,0\n2,\n3,0\n' 'line 3: no action, but the episode continues; if another begins here, --episode names its column'
bad 'an episode that comes back' 'x,a,episode\n1,0,A\n1,0,B\n1,0,A\n' "line 4: episode 'A' continues after another began (--episode may be repeated, for several columns)"
bad 'a negative node' 'x,a,z\n1,0,-1\n' "line 2: node '-1' is not a number 0..9999999"
bad 'a node that is no number' 'x,a,z\n1,0,1.5\n' "line 2: node '1.5' is not a number 0..9999999"
bad 'a reward that is no number' 'x,a,r\n1,0,much\n' "line 2: 'much' is not a reward"
bad 'a reward that is infinite' 'x,a,r\n1,0,1e999\n' "line 2: '1e999' is not a reward"
bad 'a reward that is NaN' 'x,a,r\n1,0,nan\n' "line 2: 'nan' is not a reward; if this marks a missing value, use --missing"
bad 'a reward with two commas' 'x;a;r\n1;0;0,5,5\n' "line 2: '0,5,5' is not a reward"
bad 'a reset that is neither' 'x,a,reset\n1,0,2\n' "line 2: reset is '2', neither 0 nor 1"
bad 'a quote out of place' 'x,a\n1"2,0\n' 'line 2: field 1: a quote inside a plain field'
bad 'a quote not closed' 'x,a\n1,"0\n' 'unexpected end inside the quotes that field 2 of line 2 begins with'
bad 'a name that is no UTF-8' 'x,a\n\200,0\n' 'line 2: a name is not valid UTF-8; is it Latin-1? (iconv -f LATIN1 -t UTF-8)'
bad 'a name with a newline' 'x,a\n"a\nb",0\n' 'line 2: a name holds a control character'
bad 'a control character in a name with an umlaut' 'x,a\n"f\303\274\nr",0\n' 'line 2: a name holds a control character'
bad 'a newline and no UTF-8' 'x,a\n"\nf\374r",0\n' 'line 2: a name is not valid UTF-8; is it Latin-1? (iconv -f LATIN1 -t UTF-8)'

gzip -c names.csv >whole.gz
n=$(wc -c <whole.gz) i=1 bad=0
while [ $i -lt "$n" ]; do
	head -c $i whole.gz >cut.csv.gz
	walkconv cut.csv.gz -o never.gz 2>msg
	[ $? = 3 ] && grep -q 'unexpected end' msg || bad=$((bad + 1))
	i=$((i + 3 * stride))
done
holds 'a compressed table cut anywhere is refused' "[ $bad = 0 ]"

if has_python numpy; then
	python3 -c 'import numpy as n
n.save("f.npy", n.zeros((3,2))); n.save("c.npy", n.zeros((3,4), int))
n.save("o.npy", n.array([[1,0],[-2,0]])); n.save("x.npy", n.array([3,1,2], "u1"))'
	holds 'NumPy reads our arrays' "python3 -c 'import numpy as n
a = n.load(\"w.npy\"); assert a.shape == (900, 3) and a[-1,1] == -1'"
	same 'NumPy arrays are read' 'printf "episode,x,a\n0,3,0\n0,1,0\n0,2,\n"' 'walkconv x.npy --as csv'
	exits 3 'floats are refused' 'walkconv f.npy'
	exactly 'by shape and type' "walkconv: 'f.npy': not an array of integers of shape (N,), (N, 2) or (N, 3)"
	exits 3 'four columns are refused' 'walkconv c.npy'
	exits 3 'a negative symbol is refused' 'walkconv o.npy'
	exactly 'with its row' "walkconv: 'o.npy': row 1: symbol -2 is negative"
else
	tap 0 'arrays to NumPy and back # SKIP no NumPy'
fi
exits 3 'an array cut short' 'head -c 500 w.npy >cut.npy; walkconv cut.npy'
exactly 'is refused' "walkconv: 'cut.npy': unexpected end: 46 of 2700 items"
exits 3 'no array at all' 'walkconv --from npy names.csv'
exactly 'is refused as well' "walkconv: 'names.csv': this is not a .npy file"

# Bad input of other kinds

exits 3 'empty input' 'walkconv </dev/null'
exactly 'is a walk cut at once' 'walkconv: standard input: unexpected end: no cscg-walk'
exits 3 'a missing file' 'walkconv nowhere.csv'
exactly 'is named' "walkconv: 'nowhere.csv': No such file or directory"
exits 3 'a directory' 'mkdir -p d; walkconv d'
exactly 'is no input' "walkconv: 'd': is a directory"
exits 3 'a walk and a table' 'walkconv w.gz names.csv'
exactly 'are not joined' "walkconv: 'names.csv': walks and tables cannot be joined"
exits 3 'a table before a walk' 'walkconv names.csv w.gz'
exactly 'walk after table' "walkconv: 'w.gz': walks and tables cannot be joined"
exits 3 'walks that do not fit' 'roomgen hole | roomwalk -n 10 -o h.gz; walkconv w.gz h.gz'
says 'are not joined' "walkconv: 'h.gz': line 1: /n_obs: "
exits 3 'a room is no walk' 'roomgen torus | walkconv'
exactly 'is refused, with the tool that makes a walk' 'walkconv: standard input: line 1: this is a cscg-room file, not a cscg-walk (roomwalk makes a walk in a room)'
printf 'PAR1,x,a\n5,1,0\n6,2,0\n' >par.csv
same 'a column may be called like other files' 'printf "episode,x,a\n0,1,0\n0,2,\n"' \
    'walkconv --as csv par.csv'
exits 3 'one step cannot be split' 'printf "x,a\n1,\n" | walkconv --test test.gz'
exactly 'is refused' 'walkconv: a walk of 1 steps cannot be split'
printf '%s\n' '{"format":"cscg-walk","version":1,"n_actions":1,"n_obs":1,"symbols":[""]}' \
    '{"end":true,"episodes":0,"steps":0}' >empty.json
exits 3 'an empty name is not put into a table' 'walkconv --as csv empty.json'
exactly 'since it would read as none' 'walkconv: the name of symbol 0 is empty: a table needs numbers'
exits 0 'numbers can be' 'walkconv --as csv --numbers empty.json'

exits 2 'a bad list' 'walkconv --select 3,x w.gz'
exactly 'of episodes' "walkconv: --select: '3,x' is not a list such as 3,7-9,20- (try --help)"
for l in '' ',' '1,' -1 2-1 1--2 99999999999; do
	exits 2 "the list '$l'" "walkconv --select '$l' /nonexistent"
done
exits 2 'episodes out of range' 'walkconv --select 1-3 w.gz -o never.gz'
exactly 'are asked for without effect' 'walkconv: --select 1-3: the input has 3 episodes'
exits 2 'an open range behind the end' 'walkconv --select 3- w.gz -o never.gz'
exits 2 'an unknown format' 'walkconv --as xml w.gz'
exits 2 'no steps' 'walkconv --head 0 w.gz'
exits 2 'a fraction above one' 'walkconv --test t --test-fraction 1.5 w.gz'
exits 2 '--test-fraction without --test' 'walkconv --test-fraction 0.5 w.gz'
exactly 'says what is missing' 'walkconv: --test-fraction requires --test (try --help)'
exits 2 'two results in one file' 'walkconv --test a.gz w.gz -o a.gz'
exactly 'is refused' 'walkconv: --test requires a separate file (try --help)'
exits 2 'standard input twice' 'walkconv --alphabet-from - <w.gz'
exactly 'is refused as well' 'walkconv: standard input can be read only once (try --help)'
exits 2 'two operands both -' 'walkconv - - <w.gz'
exits 2 'one column in two roles' 'walkconv --x Seen --a Seen nowhere.csv'
exactly 'is a slip' "walkconv: --x and --a both name column 'Seen' (try --help)"
exits 2 'one column as action and episode' 'walkconv --a did --episode did nowhere.csv'
exactly 'is one' "walkconv: --a and --episode both name column 'did' (try --help)"
exits 2 'named twice' 'walkconv --episode did --episode did nowhere.csv'
exactly 'is one as well' "walkconv: --episode and --episode both name column 'did' (try --help)"
exits 2 'no episodes and some' "walkconv --episode '' --episode did nowhere.csv"
exactly 'do not go together' "walkconv: --episode '' cannot be combined with another --episode (try --help)"
exits 2 'very many columns' "walkconv $(printf ' --episode %s' 1 2 3 4 5 6 7 8 9) nowhere.csv"
exactly 'are too many' 'walkconv: --episode: more than 8 columns (try --help)'
exits 2 'one column in two roles, spelt in two ways' 'walkconv --x Seen --a seen mine.csv'
exactly 'it is one' "walkconv: 'mine.csv': line 1: column 'Seen' cannot be both the observation and the action (--x, --a, --episode, --bin, --time)"
exits 2 'the usual column of another' 'walkconv --x a names.csv'
exactly 'is refused' "walkconv: 'names.csv': line 1: column 'a' is the observation: the action must be another column (--a names another, or '' for none)"
for d in '' ab 1 '"' é; do
	exits 2 "the delimiter '$d'" "walkconv --delimiter '$d' nowhere.csv"
	exactly 'is none' "walkconv: --delimiter: '$d' is not a character like ';', nor tab or space (try --help)"
done
exits 2 'a delimiter for arrays' 'walkconv --from npy --delimiter , w.npy'
exactly 'has no use' 'walkconv: --delimiter cannot be combined with --from npy (try --help)'
for o in '--x q' "--a ''" '--episode foo' "--delimiter ';'" '--missing NaN'; do
	exits 2 "a walk and $o" "walkconv w.gz $o -o never.gz"
	exactly 'do not go together' "walkconv: 'w.gz': this is a walk, but ${o%% *} is for tables"
done
exits 2 'a table option for a walk from a pipe' 'walkconv --x q <w.gz'
exactly 'which is named as well' 'walkconv: standard input: this is a walk, but --x is for tables'
exits 3 'what is no walk' 'roomgen torus | walkconv --x q'
says 'is that first' 'this is a cscg-room file, not a cscg-walk'
exits 2 'an unwritable output' 'walkconv w.gz -o nowhere/x.gz'
says 'is a usage error' "'nowhere/x.gz'"
exits 2 'an unwritable test set' 'walkconv w.gz --test nowhere/x.gz -o never.gz'
exits 4 'a full disk' 'walkconv w.gz >/dev/full'
exits 4 'a full disk under a table' 'walkconv --as csv w.gz >/dev/full'
exits 4 'a full disk under the test set' 'walkconv w.gz --test /dev/full -o never.gz'
exits 4 'closed output' 'walkconv w.gz >&-'
exits 0 'a closed reader ends walkconv without a message' \
    'walkconv --as csv w.gz w.gz w.gz w.gz w.gz w.gz w.gz w.gz | head -1; [ ! -s "$err" ]'
holds 'no partial file is left' '! ls never.gz .never* .test* .train* 2>/dev/null'

# An allocation that fails is status 4 and one line, or does no harm.
oom=$BUILD/tests/oom.so
if [ -f "$oom" ] && ! ldd "$BUILD/walkconv" | grep -q libasan; then
	walkconv test.csv -o n2.gz
	# Names with escapes: Jansson must not continue after a failure.
	printf 'x,a\n"a ""b""",go\nred,go\n"a ""b""",\n' >quoted.csv
	walkconv quoted.csv -o n3.gz
	sed '1s/^/#,/' full.csv >markfull.csv
	for c in full.csv markfull.csv 'subjects.csv --episode who --episode trial --missing 3' \
	    'names.csv' 'test.csv --alphabet-from n2.gz' \
	    'quoted.csv --alphabet-from n3.gz' \
	    'w.npy --select 1 --as npy' 'w.gz --head 3 --test t.gz --as csv'; do
		walkconv $c -o want
		n=1 bad=0 hit=0
		while [ $n -le 160 ]; do
			rm -f got
			LD_PRELOAD=$oom CSCG_OOM_AT=$n walkconv $c -o got 2>msg
			rc=$?
			if [ $rc = 4 ] && [ ! -e got ] && grep -q 'out of memory' msg &&
			    [ "$(wc -l <msg)" = 1 ]; then
				hit=$((hit + 1))
			elif [ $rc != 0 ] || ! cmp -s got want; then
				bad=$((bad + 1))
				echo "# allocation $n: status $rc $(head -1 msg)"
			fi
			n=$((n + stride))
		done
		holds "no memory for $c" "[ $bad = 0 ] && [ $hit -gt $((10 / stride)) ]"
	done
else
	tap 0 'allocations that fail # SKIP no preloading here'
fi

# The examples of the page
awk '/^\.Bd/ { on = 1; next } /^\.Ed/ { on = 0 } on' "$TOP/man/walkconv.1" |
    sed 's/\\e/\\/g' >examples.sh
mkdir ex
exits 0 'the examples of the page run' 'cd ex && sh -e ../examples.sh'
holds 'the examples write their files' '
    zcat ex/train.gz | grep -q "\"symbols\":\[\"red\",\"blue\"\]" &&
    zcat ex/train.gz | grep -q "\"episodes\":1,\"steps\":3" &&
    zcat ex/later.gz | grep -q "\"x\":\[1,0\],\"a\":\[1\]" &&
    zcat ex/rats.gz | grep -q "\"x\":\[0,null,1\],\"a\":\[0,1\]" &&
    zcat ex/rats.gz | grep -q "\"episodes\":2,\"steps\":5" &&
    zcat ex/track.gz | grep -q "\"symbols\":\[\"corner\",\"side\"\]" &&
    zcat ex/track.gz | grep -q "\"x\":\[0,1,0,1,1\],\"a\":\[0,0,0,1\],\"reset\":\[2\]" &&
    zcat ex/short.gz | grep -q "\"episodes\":2,\"steps\":2000" &&
    [ "$(wc -l <ex/walk.csv)" = 1001 ]'

# --- positions of steps

printf '%s\n' t,u,v 0,1,1 1,2,1 2,11,1 3,NaN,1 4,12,2 5,21,2 6,22,2 7,31,2 >at.csv
exits 0 'positions are written' 'walkconv -q --bin u,v --cell 10 --moves --derive-actions turns --gap 3 --xy xy.csv at.csv -o at.w'
same 'positions have their steps, lost ones are left out' 'cat xy.csv' \
    'printf "%s\n" step,x,y 0,1,1 0,2,1 1,11,1 1,12,2 2,21,2 2,22,2 3,31,2'
exits 0 'positions with a test set' 'walkconv -q --bin u --cell 10 --moves --derive-actions none --gap 3 --test te.w --test-fraction 0.5 --xy xy.csv at.csv -o tr.w'
same 'positions are those of the training walk; one column has y 0' 'cat xy.csv' 'printf "%s\n" step,x,y 0,1,0 0,2,0 1,11,0 1,12,0'
exits 2 '--xy without positions' 'walkconv --xy xy.csv at.csv'
says 'need columns' '--xy requires --bin'
exits 2 'positions of some episodes' 'walkconv --bin u,v --cell 10 --select 0 --xy xy.csv at.csv'
says 'have other numbers' '--xy cannot be combined with --select or --head'
exits 2 'positions in the test set' 'walkconv --bin u,v --cell 10 --test t --xy t at.csv'
says 'are refused' '--xy requires a separate file'

# Text
printf 'Ab b\n\tb\303\204 x\n' >text
names() { gzip -cdf | sed -n '1s/.*"symbols":\(\[[^]]*\]\).*/\1/p'; }
steps() { gzip -cdf | grep -o '"x":\[[^]]*\]'; }
same 'characters, in the order of their first occurrence' 'walkconv --text chars text | names' \
    'printf "%s\n" '"'"'["A","b"," ","\\n","\\t","Ä","x"]'"'"
same '--text chars numbers the characters' 'walkconv --text chars text | steps' 'echo "\"x\":[0,1,2,1,3,4,1,5,2,6,3]"'
same 'characters and back' 'walkconv --text chars text | walkconv --as text' 'cat text'
same 'text has one action' 'walkconv --text chars --no-gzip text | grep -o "\"n_actions\":[0-9]*\|\"a\":.*]"' \
    'printf "%s\n" "\"n_actions\":1" "\"a\":[0,0,0,0,0,0,0,0,0,0]"'
same 'lower case, also beyond ASCII' 'walkconv --text words --lower text | names' 'echo "[\"ab\",\"b\",\"bä\",\"x\"]"'
same 'case is kept' 'walkconv --text words text | names' 'echo "[\"Ab\",\"b\",\"bÄ\",\"x\"]"'
same '--lower of other alphabets' "printf 'ΣΑ ЖЁ ՈՒ İx ŸŽ ẞ Ḃ\n' | walkconv --text words --lower --as text" "echo 'σα жё ու İx ÿž ẞ ḃ'"
same 'punctuation is words of its own' "echo \"It's 1.5, \342\200\234no\342\200\235--so\" | walkconv --text words --as text" \
    "echo \"It's 1 . 5 , \342\200\234 no \342\200\235 - - so\""
# U+00AA, U+00B5, U+00BA and U+2019 are letters; U+00AB, U+2018, U+2026, U+2060 and
# U+3001 are not; U+2070 and U+4E00 are.
same 'letters beyond ASCII' "printf 'a\\302\\252b 5\\302\\265m n\\302\\272 it\\342\\200\\231s x\\342\\201\\260 \\344\\270\\200b\n' | walkconv --text words --as text" \
    "printf 'a\\302\\252b 5\\302\\265m n\\302\\272 it\\342\\200\\231s x\\342\\201\\260 \\344\\270\\200b\n'"
same 'punctuation beyond ASCII' "printf 'a\\302\\253b\\342\\200\\230c\\342\\200\\246d\\342\\201\\240e\\343\\200\\201f\n' | walkconv --text words --as text" \
    "printf 'a \\302\\253 b \\342\\200\\230 c \\342\\200\\246 d \\342\\201\\240 e \\343\\200\\201 f\n'"
same 'a space that does not break a line is one' "printf 'a\\302\\240b\n' | walkconv --text words --as text" 'echo "a b"'
same 'rare characters and back' "printf 'a a b a\n' | walkconv --text chars --min-count 2 | walkconv --as text" \
    "printf 'a a \\357\\277\\275 a\\357\\277\\275\n'"
same 'a walk without names as text' "printf 'x\n3\n1\n' | walkconv --from csv --a '' --as text" 'echo "3 1"'
same 'lines are episodes, empty ones are none' "printf 'a b\n\n  \nc\n' | walkconv --text words --lines | walkconv --as tsv | cut -f 1,2" \
    'printf "%s\n" "episode	x" "0	a" "0	b" "1	c"'
same 'rare words are unknown' 'walkconv --text words --min-count 2 --as text text' 'echo "<unk> <unk> <unk> <unk>"'
same 'rare words are <unk>' "echo 'a b a' | walkconv --text words --min-count 2 --as text" 'echo "a <unk> a"'
echo 'a b a c' | walkconv --text words --min-count 2 -o voc.gz
same 'a vocabulary is given by a walk' "echo 'c a d' | walkconv --text words --alphabet-from voc.gz --as text" 'echo "<unk> a <unk>"'
same '--alphabet-from numbers the words' "echo 'c a d' | walkconv --text words --alphabet-from voc.gz | names" 'echo "[\"a\",\"<unk>\"]"'
echo 'a b' | walkconv --text words -o closed.gz
exits 3 'a word that it lacks' "printf 'a\nb c\n' | walkconv --text words --alphabet-from closed.gz"
exactly 'is named' "walkconv: standard input: line 2: 'c' is not one of the 2 symbols given, which do not have <unk>"
exits 3 'bytes that are not UTF-8' "printf 'a\nb\303\n' | walkconv --text chars"
exactly 'are named' 'walkconv: standard input: line 2: byte 2, 0xc3, is not UTF-8'
exits 3 'a NUL byte' "printf 'a\0b\n' | walkconv --text chars"
exactly 'is named' 'walkconv: standard input: line 1: a NUL byte: this is not text'
exits 3 'an empty text' 'walkconv --text words /dev/null'
exactly 'is refused' 'walkconv: the text is empty'
same 'carriage returns are dropped' "printf 'a\r\nb\r\n' | walkconv --text chars --as text" "printf 'a\nb\n'"
same 'numbers where there are no names' "printf 'x,a\n3,0\n0,\n' | walkconv --as text" 'echo 3 0'
exits 2 'text and a table' 'walkconv --text chars --x seen text'
exactly 'exclude each other' 'walkconv: --text cannot be combined with --x, which is for tables (try --help)'
exits 2 'text from a walk' 'walkconv --text chars --from walk text'
exits 2 'text without --text' 'walkconv --from text text'
exits 2 'lower case without text' 'walkconv --lower text'
exits 2 'a count and a vocabulary' 'walkconv --text words --min-count 2 --alphabet-from voc.gz text'
same 'cscg-predict prints words' "printf 'a b a b a b\n%.0s' 1 2 3 4 | walkconv --text words -o ab.gz
    cscg-learn -q -j1 --clones 1 ab.gz -o ab.model
    echo a | walkconv --text words | cscg-predict --each-action --states 0 --top 1 ab.model | tail -n 1 | cut -f 3,7" \
    'printf "a\tb\n"'

# Other spellings, and limits of options.
printf 'x\ta\nu\t0\nv\t\n' >t.tsv
tr '\t' ' ' <t.tsv >blanks
for d in '\t' '	'; do
	same "--delimiter '$d' is a tab" 'walkconv --as csv --delimiter tab t.tsv' \
	    "walkconv --as csv --delimiter '$d' t.tsv"
done
same 'a blank is a space' 'walkconv --as csv --delimiter space blanks' "walkconv --as csv --delimiter ' ' blanks"
exits 2 'a letter' 'walkconv --delimiter x t.tsv'
exactly 'is not a delimiter' "walkconv: --delimiter: 'x' is not a character like ';', nor tab or space (try --help)"
exits 2 'episodes after the last' 'walkconv --delimiter tab --select 3- t.tsv'
exactly 'are not there' 'walkconv: --select 3-: the input has 1 episodes'
same '--from text is what --text means' 'walkconv --text chars --as text blanks' \
    'walkconv --from text --text chars --as text blanks'
printf 'x\nv\nu\n' | walkconv --a '' --from csv --no-gzip -o vu
same 'an alphabet from standard input' 'walkconv --delimiter tab --alphabet-from vu t.tsv | names' \
    'walkconv --delimiter tab --alphabet-from - t.tsv <vu | names'
exits 2 'nine columns to see' 'walkconv --see 1 --see 2 --see 3 --see 4 --see 5 --see 6 --see 7 --see 8 --see 9 t.tsv'
exactly 'are too many' 'walkconv: --see: more than 8 columns (try --help)'
exits 2 'a name of 300 bytes' 'walkconv --cell 1 --bin "$(printf %0300d 1)" t.tsv'
says 'is too long' "' is not one or two names of columns"

# A count of steps that begins again: a warning, unless a reset says so.
printf 'x,step\na,0\na,1\nb,0\nb,1\n' >again
exits 0 'a count that begins again' "walkconv --a '' again -o w.gz"
exactly 'is another episode, perhaps' "walkconv: 'again': line 4: 'step' goes from 1 to 0: does another episode begin there? (--episode names its column)"
printf 'x,step,reset\na,0,0\na,1,0\nb,0,TRUE\nb,1,0\n' >reset
exits 0 'with a reset' "walkconv --a '' reset -o w.gz"
exactly 'it is none' ''
printf 'x,step\na,100000000000000000001\na,2\nb,2\n' >long
exits 0 'a number of 21 digits' "walkconv --a '' long -o w.gz"
exactly 'is not a count' ''
finish
