# Tests the manual pages: man prints no warning, and each example compiles and runs. Sourced by the leg "install" with $out set.

say "the manual pages and their examples"
examples=0
for page in "$out"/usr/share/man/man3/*.3; do
    name=$(basename "$page" .3)
    (cd "$out/usr/share/man" && man --warnings -l "man3/$name.3") 2>"$out/man.log" >/dev/null
    [ ! -s "$out/man.log" ] || { cat "$out/man.log"; fail "the manual page $name has errors"; }
    ! grep -q '^\.so ' "$page" || [ -e "$out/usr/share/man/$(sed -n 's/^\.so //p' "$page")" ] || fail "the manual page $name refers to a page that does not exist"
    sed -n '/^\.EX/,/^\.EE/{/^\.E[XE]/d;s/\\-/-/g;s/\\e/\\/g;p}' "$page" >"$out/$name.c"
    if [ ! -s "$out/$name.c" ]; then
        case $(head -c 4 "$page"):$name in .so\ :* | *:statictramp | *:statictramp_interop | *:statictramp_registers) continue ;; esac
        fail "the manual page $name has no example"
    fi
    for compiler in gcc clang-19; do
        $compiler -O2 -Wall -Wextra -Werror -pedantic -Wno-overlength-strings "-I$out/usr/include" "$out/$name.c" \
            "$out/usr/lib/libstatictramp.a" -o "$out/$name"
        "$out/$name" >"$out/said" || fail "the example of $name, compiled by $compiler, failed: $(cat "$out/said")"
    done
    examples=$((examples + 1))
done
[ $examples -ge 10 ] || fail "the manual pages contain only $examples examples"
echo "$examples examples, by gcc and clang"
