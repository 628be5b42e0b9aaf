# Tests docs/peers.md line by line: the tests and legs that it names must exist, and its quotes from available crates and manuals
# must be exact. Sourced by the "native" leg.

say "the table of peers"
guide=docs/peers.md
# shellcheck disable=SC2016
grep -oE '`(raw/)?tests/[a-z_/]*\.rs`' $guide | tr -d '`' | sort -u | while read -r file; do
    [ -e "$file" ] || fail "$guide names $file, which does not exist"
done
# shellcheck disable=SC2016
grep -o 'legs\? \(`[a-z]*`\(, \)\?\)*' $guide | grep -o '`[a-z]*`' | tr -d '`' | sort -u | while read -r leg; do
    [ -n "$(leg_file "$leg")" ] || fail "$guide names the leg $leg, which does not exist"
done
# source_of CRATE: prints the directory where cargo keeps the crate's sources.
source_of() {
    dirname "$(cargo metadata --quiet --format-version 1 | grep -o "\"manifest_path\":\"[^\"]*/$1-[0-9.]*/Cargo.toml\"" | head -n 1 | cut -d'"' -f4)"
}
# Debian's libffi includes its manual.
need /usr/share/info/libffi.info.gz=libffi-dev
manual=$PWD/target/libffi.info
gzip -dc /usr/share/info/libffi.info.gz >"$manual"
# quotes LETTER: prints the quotes from one source, which are the strings between the previous letter and this one.
quotes() {
    grep '^|' $guide | grep -oE '("[^"]*"[^"()]*)+\([A-E]\)' | grep "($1)\$" | grep -o '"[^"]*"' | tr -d '"'
}
for source in "A $(source_of closure-ffi)/README.md" "C $manual"; do
    text=$(tr -d '\0' <"${source#* }" | tr -s '\n ' ' ')
    count=0
    while read -r quote; do
        case $text in *"$quote"*) ;; *) fail "$guide quotes \"$quote\", which is not in ${source#* }" ;; esac
        count=$((count + 1))
    done < <(quotes "${source%% *}")
    [ $count -gt 0 ] || fail "$guide quotes no text from ${source#* }"
    echo "$count quotes of $(basename "${source#* }")"
done
