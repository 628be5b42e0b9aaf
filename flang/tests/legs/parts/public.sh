# Tests a public program that is compiled with and without the list of `statictramp captures`: MINPACK, which has 23 files without
# explicit interfaces that pass on arrays and dummy procedures, and 11 examples. Sourced by flang/tests/legs/flang.sh, after
# captures.sh, whose functions it uses.
# shellcheck disable=SC2046 # several words, or none

say "statictramp captures: MINPACK, with the list and without"
fetch_sources minpack "bookworm trixie"
for version in 19 22; do
    [ "$effort" -ge 100 ] || [ $version = 22 ] || continue
    here=minpack-$version level=-O3
    [ $version = 19 ] || level=-Ofast
    place=$captures/$here
    mkdir -p "$place"/{with,without}
    cp "$sources"/*.f "$sources"/ex/t*.f "$place"
    # The promises cover only the other arguments of fdjac1, and not the dummy procedure.
    [ "$(captures $version -w -c hybrd.f | xargs)" = "dogleg dpmpar enorm fdjac1 2 3 4 5 6 7 8 9 10 11 12 qform qrfac r1mpyq r1updt" ] ||
        fail "flang $version: the list for hybrd.f differs: $(captures $version -w -c hybrd.f)"
    differ=0 examples=0
    for source in "$place"/*.f; do
        name=$(basename "$source" .f)
        { (cd "$place" && flang $version $level -w $(with_plugin $version) -c "$name.f" -o "without/$name.o") &&
            captures $version --compile $level -w $(with_plugin $version) -c "$name.f" -o "with/$name.o"; } 2>"$place/messages" ||
            { cat "$place/messages"; fail "flang $version $level: $name.f does not compile"; }
        cmp -s "$place"/with*/"$name.o" || differ=$((differ + 1))
    done
    [ $differ -gt 0 ] || fail "flang $version: the list changes no object file, so comparing the results proves nothing"
    for source in "$place"/t*.f; do
        name=$(basename "$source" .f)
        for how in with without; do
            ar rcs "$place/$how/lib.a" $(printf "$place/$how/%s.o\n" $(cd "$sources" && ls ./*.f | sed 's/\.f$//'))
            flang $version "$place/$how/$name.o" "$place/$how/lib.a" "$work/libstatictramp.a" -o "$place/$how/$name"
            run $version "$place/$how/$name" >"$place/$how/$name.said"
            [ -s "$place/$how/$name.said" ] || fail "flang $version: $name prints nothing"
        done
        cmp "$place"/with*/"$name.said" || fail "flang $version $level: $name prints a different result with the list"
        examples=$((examples + 1))
    done
    [ $examples = 11 ] || fail "only $examples of 11 examples were run"
    echo "flang $version $level: $examples examples print the same with the list, which changes $differ of $(ls "$place"/*.f | wc -l) object files"
done
