# Tests how the optimizer uses the list of procedures that keep nothing, and why it needs the list. Sourced by
# flang/tests/legs/flang.sh.
# shellcheck disable=SC2086 # $flags: several words

say "the list of procedures that keep nothing, for the optimizer"
cp flang/tests/programs/promises/*.f90 "$work"
[ "$(doc_block docs/fortran.md fortran 3)" = "$(sed -n '/ do nl/,/^  end do/s/^  //p' "$work/maxima.f90" | sed '/^end do/q')" ] ||
    fail "the loop in docs/fortran.md differs from the tested one"
printf 'report # prints it\nReport_Count\n' >"$work/promises"
gfortran -O2 -J "$work/gfortran.d" "$work/maxima.f90" "$work/report.f90" -o "$work/gfortran"
"$work/gfortran" >"$work/maxima.wanted"
# These are the lines of the list that numbered.f90 mentions.
sed -nE 's/.*! ([a-z]+[ 0-9]*):.*/\1/p' "$work/numbered.f90" >"$work/numbers"
printf '_QMelsewherePshow 1\n_QMelsewherePdescribe 1\n' >"$work/of_module"
: >"$work/nothing"
# told VALUE ARGUMENT...: compiles with this setting and the list in the file $list.
told() {
    local flags="-ffast-math -fpass-plugin="
    flags+=$(plugin "$version")
    case $version in
    23) in_sid /statictramp-flang env STATICTRAMP_KEEPS_NOT=$list STATICTRAMP_TELL_OPTIMIZER="$1" flang-23 $flags "${@:2}" ;;
    *) (cd "$work" && STATICTRAMP_KEEPS_NOT=$list STATICTRAMP_TELL_OPTIMIZER=$1 flang $version $flags "${@:2}") ;;
    esac
}
# not_kept IR PROCEDURE: prints those arguments, counted from 1, that a call marks as not captured.
not_kept() {
    perl -ne 'next unless /call [^@]*\@\Q'"$2"'\E\((.*)\)/;
        my @arguments = split /, /, $1 =~ s/captures\(none\)/nocapture/gr;
        print join " ", grep { $arguments[$_ - 1] =~ /nocapture/ } 1 .. @arguments' "$work/$1"
}
# Arguments of the run-time library's functions, counted from 1.
intrinsics='CharacterCompareScalar1 1 2
Index1 1 3
Scan1 1 3
Verify1 1 3
Trim 1 2
Adjustl 1 2
Repeat 1 2
DateAndTime 1 3 5 9
RandomNumber 1
RandomSeedPut 1
GetEnvVariable 1 2 3 5
GetCommandArgument 2 3 4'
for version in 19 22 23; do
    list=promises
    for choice in off on; do
        told $choice -O2 -S -emit-llvm maxima.f90 -o maxima.ll
        for type in i32 float; do
            if grep -q "<[0-9]* x $type>" "$work/maxima.ll"; then vectors=on; else vectors=off; fi
            # LLVM 23 expects flags of the comparison that are lost when the variable becomes a register.
            [ $vectors = $choice ] || [ "$version $type $vectors" = "23 float off" ] ||
                fail "flang $version, option $choice: the code contains vectors of $type: $vectors, expected $choice"
        done
    done
    for level in -O0 -O2 -O3; do
        told on $level maxima.f90 report.f90 -o maxima
        run $version "$(of $version "$work/maxima")" >"$work/said"
        diff "$work/maxima.wanted" "$work/said" || fail "flang $version $level: maxima prints a wrong result"
    done
    told on -O1 -S -emit-llvm bindings.f90 -o bindings.ll
    said=$(sed -nE 's/.*call void @([A-Za-z_]+)\(.*(nocapture|captures\(none\)).*/\1/p' "$work/bindings.ll" | xargs)
    [ "$said" = "report report_" ] || fail "flang $version: expected promises for report and report_, got: $said"
    said=$(told yes -c maxima.f90 -o x.o 2>&1) && fail "the plugin accepted STATICTRAMP_TELL_OPTIMIZER=yes"
    grep -q '^error: STATICTRAMP_TELL_OPTIMIZER is "yes", but must be off or on' <<<"$said" || fail "$said"
    echo "flang $version: with the list, loops are vectorized and print the same"

    list=numbers
    for level in -O0 -O1; do
        told on $level -w -S -emit-llvm numbered.f90 -o numbered.ll
        while IFS=: read -r line wanted; do
            got=$(not_kept numbered.ll "${line%% *}_")
            [ "$got" = "${wanted# }" ] || fail "flang $version $level: for the line \"$line\", the plugin makes promises for the arguments \"$got\", expected \"${wanted# }\""
        done < <(sed -nE 's/.*! ([a-z]+[ 0-9]*:.*)/\1/p' "$work/numbered.f90")
    done
    echo "flang $version: $(wc -l <"$work/numbers") calls, each with the promises of its line in the list, and no promise for a procedure"

    # The run-time library's functions need no line in the list.
    list=promises
    told on -O2 -S -emit-llvm reads.f90 -o reads.ll
    [ "$(not_kept reads.ll _FortranAioInputReal32)" = 2 ] || fail "flang $version: the plugin's promises for READ do not cover exactly its variable"
    [ "$version" = 23 ] || grep -q '<[0-9]* x float>' "$work/reads.ll" || fail "flang $version: the loop with READ and PRINT is not vectorized"
    list=nothing
    told on -O0 -S -emit-llvm intrinsics.f90 -o intrinsics.ll
    while read -r name wanted; do
        got=$(not_kept intrinsics.ll "_FortranA$name")
        [ "$got" = "$wanted" ] || fail "flang $version: the plugin makes promises for the arguments \"$got\" of $name, expected \"$wanted\""
    done <<<"$intrinsics"
    told on -O0 -S -emit-llvm internal_unit.f90 -o internal_unit.ll
    [ -z "$(not_kept internal_unit.ll _FortranAioBeginInternalListOutput)" ] || fail "flang $version: the plugin makes a promise for the unit of a statement that has begun"

    # For module procedures, descriptors need no line in the list, and data arguments are listed by the symbol.
    told off -c module_elsewhere.f90 -o elsewhere.o
    told on -O2 -S -emit-llvm module_calls.f90 -o module_calls.ll
    [ "$(not_kept module_calls.ll _QMelsewherePdescribe)" = "1 2" ] || fail "flang $version: the plugin's promises for a module procedure do not cover exactly its descriptors"
    list=of_module
    told on -O2 -S -emit-llvm module_calls.f90 -o module_calls.ll
    [ "$(not_kept module_calls.ll _QMelsewherePshow)" = 1 ] || fail "flang $version: the plugin does not recognise a module procedure by its symbol"
    [ "$version" = 23 ] || grep -q '<[0-9]* x float>' "$work/module_calls.ll" || fail "flang $version: the loop with a call of a module procedure is not vectorized"
    for level in -O3 '-O3 -fstack-arrays'; do # with told's option the second is -Ofast
        for choice in off on; do
            told $choice $level -w same_output.f90 elsewhere.o -o same_output
            run $version "$(of $version "$work/same_output")" >"$work/same_output.$choice" || fail "flang $version $level, option $choice: same_output failed"
        done
        diff "$work/same_output.off" "$work/same_output.on" || fail "flang $version $level: promises change the output"
    done
    echo "flang $version: calls of the run-time library and of module procedures have the known promises"
done

# If a later flang emits more attributes, more promises can be made without a list.
for version in 22 23; do
    told off -O2 -S -emit-llvm missing.f90 -o missing.ll
    for name in plain passed awaited dangling; do
        grep -q "\"allocated data/_QFmissingE$name\"" "$work/missing.ll" || fail "flang $version treats $name differently from other variables"
    done
    grep -q '"target data/_QFmissingEpointed"' "$work/missing.ll" || fail "flang $version does not distinguish a TARGET from other variables"
    for name in implicit in_c starts points_to; do
        said=$(sed -n "s/^\(declare\).* \(void @${name}_(ptr.*) \).*/\1 \2/p; s/^ *\(call void @${name}_(ptr.*)\).*/\1/p" "$work/missing.ll")
        [ "$(sed "s/@${name}_//; s/%[0-9]*//" <<<"$said" | sort -u)" = $'call void (ptr nonnull )\ndeclare void (ptr) ' ] ||
            fail "flang $version treats $name differently from other procedures: $said"
    done
    echo "flang $version: the IR shows TARGET, but neither ASYNCHRONOUS nor BIND(C) nor an interface"
done
