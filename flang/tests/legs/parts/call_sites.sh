# Tests the promises for single calls, which `statictramp captures --compile` adds to its list. Sourced by
# flang/tests/legs/flang.sh, after captures.sh, whose functions it uses.
# shellcheck disable=SC2046,SC2086 # several words, or none

say "statictramp captures: promises for single calls"
# first_argument FILE: prints the numbers of calls in a program by fortran-calls, and of those that do not keep their first argument.
first_argument() {
    awk '/call .*@(keep|held|turned)_\(/ { all++; if (/_\([^,]*(nocapture|captures\(none\))/) told++ } END { print all + 0, told + 0 }' "$1"
}
seeds=$(share 12)
for version in 19 22 23; do
    here=calls-$version
    place=$captures/$here
    mkdir -p "$place/one" "$place/two"
    cp "$captures"/{call_sites,calls_library,beside_target}.f90 "$place"
    diff <(sed -n 's/^! promised: //p' "$place/call_sites.f90") <(captures $version --calls -w -c call_sites.f90 | grep @ | sed 's/:[0-9]*:[0-9]* / /') ||
        fail "flang $version: captures --calls prints other lines about call_sites.f90"

    # A promise for a call through a dummy procedure needs the exact calling procedure, and holds for no procedure that is
    # said to keep its arguments.
    cp flang/tests/programs/captures/through_dummies.f90 flang/tests/programs/captures/passed_keepers.F90 "$place"
    diff <(sed -n 's/^! promised: //p' "$place/through_dummies.f90") <(captures $version --calls -w -c through_dummies.f90 | grep @ | sed 's/:[0-9]*:[0-9]* / /') ||
        fail "flang $version: captures --calls prints other lines about through_dummies.f90"
    captures $version --calls -w -c passed_keepers.F90 | grep -q '^[*]@' || fail "flang $version: no promise is made for the call in passed_keepers.F90, so the next tests prove nothing"
    ! captures $version --calls --keeps=passed -w -c passed_keepers.F90 | grep '^[*]@' || fail "flang $version: --keeps does not apply to a call through a dummy procedure"
    ! captures $version --calls -DBUILT_IN -w -c passed_keepers.F90 | grep '^[*]@' || fail "flang $version: built-in names do not apply to a call through a dummy procedure"
    echo passed >"$place/own"
    for own in '' own; do
        own_list=$own captures $version --compile -O2 -w $(with_plugin $version) -S -emit-llvm passed_keepers.F90 -o passed.ll
        if grep -q 'call void %.*\(nocapture\|captures(none)\)' "$place/passed.ll"; then promised=yes; else promised=no; fi
        if [ -z "$own" ]; then wanted=yes; else wanted=no; fi
        [ $promised = $wanted ] || fail "flang $version: own list '$own': the call through a dummy procedure has a promise: $promised, expected $wanted"
    done

    # The loop of reduction.f90, beside a call that passes a TARGET.
    flags="-O2 -ffast-math -w $(with_plugin $version) -S -emit-llvm"
    captures $version >"$place/list" -w -c beside_target.f90
    own_list=list captures $version --compile $flags beside_target.f90 -o without.ll
    captures $version --compile $flags beside_target.f90 -o with.ll
    ! grep -q '<[0-9]* x float>' "$place/without.ll" || fail "flang $version: the loop beside a TARGET is vectorized without a promise for its call, so this test proves nothing"
    [ $version = 23 ] || grep -q '<[0-9]* x float>' "$place/with.ll" || fail "flang $version: the loop beside a TARGET is not vectorized"
    grep -q 'call void @dummy_(.*\(nocapture\|captures(none)\)[^,]*)' "$place/with.ll" || fail "flang $version: no promise is made about the last argument of dummy"
    ! grep -q '!DILocation' "$place/with.ll" || fail "flang $version: the line tables are not removed"
    captures $version --compile $flags -gline-tables-only beside_target.f90 -o lines.ll
    grep -q '!DILocation' "$place/lines.ll" || fail "flang $version: the line tables that the user asked for are removed"
    [ "$(grep -c 'captures(none)\|nocapture' "$place/lines.ll")" = "$(grep -c 'captures(none)\|nocapture' "$place/with.ll")" ] || fail "flang $version: the user's line tables change the promises"

    # Positions belong to one compilation: the lines have no effect if they are in a list of the user.
    { echo @0123456789abcdef; captures $version --calls -w -c beside_target.f90 | grep @; } >"$place/own"
    own_list=own captures $version --compile --keeps=dummy $flags beside_target.f90 -o stale.ll
    ! grep -q 'call void @dummy_(.*\(nocapture\|captures(none)\)' "$place/stale.ll" || fail "flang $version: the positions of another compilation are used"

    printf 'keep\nheld\nturned\n' >"$place/wrong"
    for ((seed = 1; seed <= seeds; seed++)); do
        "$test_tools" fortran-calls $seed "$place"
        captures $version --compile -O2 -w $(with_plugin $version) -c calls_library.f90 -o calls_library.o
        captures $version --compile -O3 -w $(with_plugin $version) -c main.f90 -o main.o
        captures $version --compile -O3 -w $(with_plugin $version) -S -emit-llvm caller.F90 -o caller.ll
        first_argument "$place/caller.ll" >>"$place/told"
        for how in with without wrong; do
            level=-O3 own=
            [ $how != without ] || level=-O0
            [ $how != wrong ] || own=wrong
            own_list=$own captures $version --compile $level -w $(with_plugin $version) -c caller.F90 -o $how.o
            flang $version $(for object in $how main calls_library; do of $version "$place/$object.o"; done) "$(of $version "$work/libstatictramp.a")" -o "$(of $version "$place/program")"
            run $version "$(of $version "$place/program")" >"$place/$how.said"
        done
        cmp "$place/with.said" "$place/without.said" || fail "flang $version, seed $seed: the promises for single calls change the output"
        cmp -s "$place/wrong.said" "$place/without.said" || echo different >>"$place/controls"
    done
    read -r all told < <(awk '{ all += $1; told += $2 } END { print all, told }' "$place/told")
    [ $((told * 8)) -gt "$all" ] && [ "$told" -lt "$all" ] || fail "flang $version: $told of $all calls have a promise about their first argument"
    [ "$(wc -l <"$place/controls")" = $seeds ] || fail "flang $version: wrong promises change only $(wc -l <"$place/controls") of $seeds outputs, so this test proves little"
    echo "flang $version: $seeds programs print the same with promises about $told of $all calls"
done

# Two files with one name, and with a main program each. The positions of calls in one are those of other calls in the other.
here=calls-19 place=$captures/calls-19
for kind in one two; do
    case $kind in
    one) printf 'program main\n  real x\n  real, target :: t\n  call keep(x, .false.)\n  call keep(t, .true.)\n  t = 5\n  call bump()\n  print *, t\nend\n' ;;
    two) printf 'program main\n  real x\n  real, target :: t\n  call keep(t, .true.)\n  call keep(x, .false.)\n  t = 5\n  call bump()\n  print *, t\nend\n' ;;
    esac >"$place/$kind/same name.f90"
done
(cd "$place/one" && cp "same name.f90" ../first.f90)
(cd "$place/two" && cp "same name.f90" ../second.f90)
captures 19 --compile -O3 -w $(with_plugin 19) -c first.f90 second.f90
for kind in one two; do
    captures 19 --compile -O3 -w $(with_plugin 19) -c "$kind/same name.f90" -o $kind.o
done
for object in first second one two; do
    flang 19 "$place/$object.o" "$place/calls_library.o" -o "$place/program"
    [ "$("$place/program" | tr -d ' ')" = 6. ] || fail "$object.o, one of several files with equal positions, loses a change"
done

# Line tables that are added and removed do not change the code. Without optimization, they may, and are not added.
echo '@token remove' >"$captures/removing"
compared=0
for source in tests/programs/fortran/*.f90 flang/tests/programs/compared/*.f90; do
    one_of 12 $((compared + 1)) || { compared=$((compared + 1)) && continue; }
    compared=$((compared + 1)) version=$((compared % 2 == 0 ? 19 : 22)) level=-O$((1 + compared / 2 % 3))
    builds $version "$source" || continue
    (
        whole=$PWD/$source
        cd "$captures" && export STATICTRAMP_TELL_OPTIMIZER=on
        compile() { flang $version $level -w $(with_plugin $version) -c "$whole" "$@"; }
        compile -o plain.o && STATICTRAMP_CALLS=token STATICTRAMP_KEEPS_NOT=$captures/removing compile -gline-tables-only -o removed.o
    )
    cmp "$captures/plain.o" "$captures/removed.o" || fail "flang $version $level: line tables change the code of $source"
done
grep -q line-tables-only <<<"$(captures 19 --compile -O0 -w $(with_plugin 19) -c call_sites.f90 '-###' 2>&1)" && fail "line tables are added although the compiler does not optimize"
echo "files with equal positions print the right results; line tables do not change the code"
