# complete.zsh DIRECTORY LINE: what zsh offers where the tab key is pressed at the
# end of the line, with the completion functions of the directory.  An interactive
# zsh runs on a pseudo-terminal; compadd writes each word that it is given.
zmodload zsh/zpty || exit 1
out=$(mktemp) || exit 1
cat >$out.rc <<END
PROMPT=
fpath=($1 \$fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
	local -a words
	if [[ "\$*" != *-[OAD]\ * ]]; then
		builtin compadd -O words "\$@"
		(( \$#words )) && print -rl -- \$words >>$out
	fi
	builtin compadd "\$@"
}
tab() { zle complete-word; : >$out.done }
zle -C complete-word complete-word _main_complete
zle -N tab
bindkey '^I' tab
: >$out.ready
END
zpty z zsh -f -i
zpty -w z ". $out.rc"
wait_for() { local i; for i in {1..200}; do [[ -e $1 ]] && return; sleep .05; done }
wait_for $out.ready
zpty -w -n z "$2"$'\t'
wait_for $out.done
sort -u $out
zpty -d z
rm -f $out $out.*
