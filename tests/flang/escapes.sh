# The report of what escapes: each program says in its first line what is to be said of it, and ends accordingly.
# Sourced by tests/legs/flang.sh.

say "the report of what escapes"
for version in 19 22 23; do
    declare -A count=()
    for source in tests/flang/escapes/*.f90; do
        name=$(basename "$source" .f90)
        wanted=$(sed -n '1s/^! escapes: //p' "$source")
        where=${wanted%%: *} what=${wanted#*: }
        compile() { # WANTED LEVEL OUTPUT...
            (cd "$work" && STATICTRAMP_ESCAPES=$1 flang "$version" "$2" -gline-tables-only "-fpass-plugin=$(plugin "$version")" "$name.f90" "${@:3}" 2>&1)
        }
        for level in -O0 -O2; do
            said=$(compile warning $level -c -o escapes.o)
            line=$(grep -F "internal procedure $what" <<<"$said") || fail "flang $version $level $name: wanted \"$wanted\", got: $said"
            case $line in "$where":*) ;; *) fail "flang $version $level $name: not at $where: $line" ;; esac
        done
        kind=${what#*\' }
        kind=${kind%%:*}
        count[$kind]=$((${count[$kind]:-0} + 1))
        if said=$(compile error -O1 -c -o escapes.o); then refused=no; else refused=yes; fi
        [ "$kind" = escapes ] && wanted_refused=yes || wanted_refused=no
        [ $refused = $wanted_refused ] || fail "flang $version $name: refused with STATICTRAMP_ESCAPES=error: $refused: $said"
        [ -z "$(compile off -O1 -c -o escapes.o)" ] || fail "flang $version $name: something is said without being asked"
        if [ "$name" = unknown_interface ]; then continue; fi # its other file is not there
        # Where the optimizer sees the late call, it makes that a direct one.
        compile off -O0 libstatictramp.a -o escapes.out >/dev/null
        ended=0
        said=$(ulimit -c 0; run "$version" "$(of "$version" "$work/escapes.out")" 2>&1) || ended=$?
        if [ "$kind" = escapes ]; then
            [ $ended != 0 ] && grep -q '^statictramp: .*callback' <<<"$said" ||
                fail "flang $version $name: the late call ended with $ended: $said"
        else
            [ $ended = 0 ] || fail "flang $version $name ended with $ended: $said"
        fi
    done
    echo "flang $version: ${count[escapes]} escape and end in the diagnosis, ${count["does not escape"]} do not and run, ${count["may escape"]} may"
done
said=$(cd "$work" && STATICTRAMP_ESCAPES=perhaps flang 19 "-fpass-plugin=$(plugin 19)" -c returned.f90 -o x.o 2>&1) && fail "STATICTRAMP_ESCAPES=perhaps was accepted"
grep -q '^error: STATICTRAMP_ESCAPES is "perhaps", which must be' <<<"$said" || fail "$said"
