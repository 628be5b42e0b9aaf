# docs/peers.md, line by line: the tests and legs that it names are there, and what it quotes of crates and manuals that are
# at hand stands there. Sourced by the leg "native".

say "the table of peers"
guide=docs/peers.md
# shellcheck disable=SC2016
grep -o '`tests/[a-z_/]*\.rs`' $guide | tr -d '`' | sort -u | while read -r file; do
    [ -e "$file" ] || fail "$guide names $file, which does not exist"
done
# shellcheck disable=SC2016
grep -o 'legs\? \(`[a-z]*`\(, \)\?\)*' $guide | grep -o '`[a-z]*`' | tr -d '`' | sort -u | while read -r leg; do
    [ -e "tests/legs/$leg.sh" ] || fail "$guide names the leg $leg, which does not exist"
done
# source_of CRATE: where cargo keeps its sources.
source_of() {
    dirname "$(cargo metadata --quiet --format-version 1 | grep -o "\"manifest_path\":\"[^\"]*/$1-[0-9.]*/Cargo.toml\"" | head -n 1 | cut -d'"' -f4)"
}
# Debian's libffi comes with its manual.
need /usr/share/info/libffi.info.gz=libffi-dev
manual=$PWD/target/libffi.info
gzip -dc /usr/share/info/libffi.info.gz >"$manual"
# quotes LETTER: what is quoted of one source: the strings before its letter, back to the letter before.
quotes() {
    perl -ne 'if (/^\|/) { while (/((?:"[^"]*"[^"()]*)+)\(([A-E])\)/g) { my ($said, $of) = ($1, $2);
        if ($of eq $ARGV::letter) { print "$_\n" for $said =~ /"([^"]*)"/g } } } BEGIN { $ARGV::letter = shift }' "$1" $guide
}
for source in "A $(source_of closure-ffi)/README.md" "C $manual"; do
    text=$(tr -d '\0' <"${source#* }" | tr -s '\n ' ' ')
    count=0
    while read -r quote; do
        case $text in *"$quote"*) ;; *) fail "$guide quotes \"$quote\", which ${source#* } does not say" ;; esac
        count=$((count + 1))
    done < <(quotes "${source%% *}")
    [ $count -gt 0 ] || fail "no text is quoted from ${source#* }"
    echo "$count quotes of $(basename "${source#* }")"
done
