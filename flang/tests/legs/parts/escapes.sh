# Tests the report of escaping procedures. Each program states the expected report in its first line, and ends accordingly.
# Sourced by flang/tests/legs/flang.sh.
#
# Other lines of a program: `! also: ` adds another expected remark, in the format of the first line. `! ends: in the diagnosis`
# is for a program whose report is "may escape" and in which a procedure does escape. `! compiled by: 22 and later` is for a
# program that flang 19 cannot compile without the plugin. `! links: not` is for a program of which a file is missing.
# shellcheck disable=SC2086 # $how: several words, or none

say "the report of escaping procedures"
# compile WANTED LEVEL OUTPUT...: compiles a program with the plugin.
compile() {
    (cd "$work" && STATICTRAMP_ESCAPES=$1 flang "$version" "$2" $openmp -gline-tables-only "-fpass-plugin=$(plugin "$version")" "$name.f90" "${@:3}" 2>&1)
}
for version in 19 22 23; do
    declare -A count=()
    number=$((version % 5)) # differs by 1 or 2 between the versions, so that one_of 3 selects each program for one of them
    for source in flang/tests/programs/escapes/*.f90; do
        name=$(basename "$source" .f90)
        number=$((number + 1))
        openmp=
        ! grep -q '^ *!\$omp' "$source" || openmp=-fopenmp
        if [ "$version" = 19 ] && grep -q '^! compiled by: 22 and later' "$source"; then
            (cd "$work" && flang 19 -O0 $openmp -c "$name.f90" -o stock.o >/dev/null 2>&1) && fail "flang 19 compiles $name, which is marked for flang 22 and later"
            continue
        fi
        mapfile -t remarks < <(sed -n 's/^! escapes: //p; s/^! also: //p' "$source")
        for level in -O0 -O2; do
            [ $level = -O0 ] || one_of 3 $number || continue
            said=$(compile warning $level -c -o escapes.o) || fail "flang $version $level $name: $said"
            for wanted in "${remarks[@]}"; do
                where=${wanted%%: *} what=${wanted#*: }
                line=$(grep -F "internal procedure $what" <<<"$said") || fail "flang $version $level $name: expected \"$wanted\", got: $said"
                case $line in "$where":*) ;; *) fail "flang $version $level $name: the remark is not at $where: $line" ;; esac
            done
        done
        what=${remarks[0]#*: }
        kind=${what#*\' }
        kind=${kind%%:*}
        count[$kind]=$((${count[$kind]:-0} + 1))
        # A short run rejects and runs each program with one flang.
        one_of 3 $number || grep -q '^! compiled by' "$source" || continue
        if said=$(compile error -O1 -c -o escapes.o); then refused=no; else refused=yes; fi
        [ "$kind" = escapes ] && wanted_refused=yes || wanted_refused=no
        [ $refused = "$wanted_refused" ] || fail "flang $version $name: rejected with STATICTRAMP_ESCAPES=error: $refused, expected $wanted_refused: $said"
        [ -z "$(compile off -O1 -c -o escapes.o)" ] || fail "flang $version $name: a remark is printed although none was requested"
        ! grep -q '^! links: not' "$source" || continue
        # If the optimizer sees the call after free, it turns it into a direct call.
        compile off -O0 libstatictramp.a -o escapes.out >/dev/null
        ended=0
        said=$(ulimit -c 0; run "$version" "$(of "$version" "$work/escapes.out")" 2>&1) || ended=$?
        if [ "$kind" = escapes ] || grep -q '^! ends: in the diagnosis' "$source"; then
            [ $ended != 0 ] && grep -q '^statictramp: .*callback' <<<"$said" ||
                fail "flang $version $name: the call after free: unexpected exit status $ended: $said"
        else
            [ $ended = 0 ] || fail "flang $version $name: exit status $ended, expected 0: $said"
        fi
    done
    echo "flang $version: the reports on ${count[escapes]} programs say \"escapes\", on ${count["does not escape"]} \"does not escape\", on ${count["may escape"]} \"may escape\""
done

say "the report on IR that flang does not generate"
for source in flang/tests/programs/escapes-ir/*.ll; do
    wanted=$(sed -n '1s/^; escapes: //p' "$source")
    said=$(STATICTRAMP_ESCAPES=warning timeout 20 "$rewrite" "$source" -o "$work/x.bc" 2>&1) || fail "$source: exit status $?, expected 0: $said"
    grep -qF "internal procedure $wanted" <<<"$said" || fail "$source: expected \"$wanted\", got: $said"
done
# The chains of steps and of choices are long. The analysis must not need one recursive call for each.
for step in 'getelementptr i8, ptr %p%d, i64 8' 'select i1 %%which, ptr %p%d, ptr %%own' 'freeze ptr %p%d'; do
    perl -e '
        my ($step) = @ARGV;
        open my $in, "<", "flang/tests/programs/escapes-ir/long_chain.txt" or die $!;
        while (<$in>) {
            print, next unless /^CHAIN/;
            for my $n (1 .. 100_000) {
                my $made = $step =~ s/%p%d/"%p" . ($n - 1)/er =~ s/%%/%/gr;
                print "  %p$n = $made\n";
            }
        }' "$step" >"$work/long.ll"
    said=$(STATICTRAMP_ESCAPES=warning timeout 60 "$rewrite" "$work/long.ll" -o "$work/x.bc" 2>&1) || fail "100,000 times $step: exit status $?, expected 0: $said"
    grep -q "'callback' .*escape" <<<"$said" || fail "100,000 times $step: $said"
done
echo "$(ls flang/tests/programs/escapes-ir/*.ll | wc -l) modules, and chains of 100,000 steps"

say "the table of procedures that the run-time libraries keep"
# Each function in the table must exist in one of the libraries.
mapfile -t libraries < <(find /usr/lib/llvm-22 "$chroot/usr/lib/llvm-23" -name libflang_rt.runtime.a)
nm --quiet -g --defined-only /usr/lib/llvm-19/lib/libFortranRuntime.a "${libraries[@]}" >"$work/functions"
nm -D --defined-only /usr/lib/llvm-19/lib/libomp.so >>"$work/functions"
sed -n 's/@.*//; s/.* T //p' "$work/functions" | sort -u >"$work/functions.names"
functions=0
while read -r name _; do
    grep -qxE "${name//<kind>/[0-9]+}" "$work/functions.names" || fail "library.txt or uncaptured.txt names $name, which no run-time library defines"
    functions=$((functions + 1))
done < <(grep -h '^_' flang/src/escapes/library.txt flang/src/promises/uncaptured.txt)
echo "$functions lines, all of existing functions"

say "the list of procedures that keep nothing"
# keeps FILE NAME: prints the report on a program with this list.
keeps() {
    name=$2 openmp=
    STATICTRAMP_KEEPS_NOT=$1 compile warning -O0 -c -o escapes.o
}
for version in 19 22; do
    printf '# Of other files.\n\n  Elsewhere procedures # calls it\nqsort procedures\n' >"$work/keeps"
    # A promise about data does not cover procedures.
    printf 'elsewhere\nqsort\n' >"$work/keeps.data"
    printf 'elsewhere 1\nqsort 1 2 3 4\n' >"$work/keeps.numbers"
    for name in unknown_interface unknown_c; do
        said=$(keeps keeps $name)
        grep -q 'does not escape' <<<"$said" || fail "flang $version $name, with a list: the report does not say \"does not escape\": $said"
        for list in keeps.data keeps.numbers; do
            said=$(keeps $list $name)
            grep -q 'may escape' <<<"$said" || fail "flang $version $name, with a list of data arguments: the report does not say \"may escape\": $said"
        done
    done
    # A type-bound call may go through the table of each type in the file.
    printf 'Tree%%Traverse procedures\n' >"$work/keeps.one"
    printf 'tree%%traverse procedures\n_QMmTlist%%each procedures\n' >"$work/keeps.both"
    keeps keeps.one type_bound | grep -q 'may escape: .* (type-bound: _QMmTlist%each)' || fail "flang $version type_bound: the report does not name the binding that the list lacks"
    keeps keeps.both type_bound | grep -q 'does not escape' || fail "flang $version type_bound: the report does not say \"does not escape\""
    printf 'another\n' >"$work/keeps"
    keeps keeps unknown_interface | grep -q 'may escape' || fail "flang $version: the plugin uses a list that STATICTRAMP_KEEPS_NOT does not name"
    printf 'qsort\ntwo words\n' >"$work/keeps"
    printf 'qs\xffort\n' >"$work/keeps.latin"
    printf 'qsort 0\n' >"$work/keeps.zero"
    printf 'tree%%traverse 1\n' >"$work/keeps.bound"
    for bad in 'keeps.bound:keeps.bound:1: "tree%traverse 1" is not' 'keeps:keeps:2: "two words" is not' 'keeps.zero:keeps.zero:1: "qsort 0" is not' 'keeps.latin:keeps.latin is not valid UTF-8' 'keeps.none:keeps.none: No such file' '.:\.: '; do
        said=$(keeps "${bad%%:*}" unknown_c) && fail "flang $version: the plugin accepted the list ${bad%%:*}"
        grep -q "^error: STATICTRAMP_KEEPS_NOT: ${bad#*:}" <<<"$said" || fail "flang $version ${bad%%:*}: $said"
        [ "$(wc -l <<<"$said")" = 1 ] || fail "the error message about ${bad%%:*} has more than one line: $said"
    done
done
version=19 name=returned openmp=
for bad in perhaps $'\xff'; do
    said=$(compile "$bad" -O0 -c -o x.o) && fail "the plugin accepted STATICTRAMP_ESCAPES=$bad"
    grep -aq '^error: STATICTRAMP_ESCAPES is ".*", but must be' <<<"$said" || fail "$said"
done

say "the rewriter with unusual file names and unwritable files"
odd=$work/$'odd\xff'
cp flang/tests/programs/escapes-ir/selected_memory.ll "$odd.ll"
"$rewrite" -S "$odd.ll" -o "$odd.out.ll"
grep -q statictramp "$odd.out.ll" || fail "the rewriter did not rewrite a file whose name is not UTF-8"
said=$("$rewrite" "$odd.none" -o x 2>&1) && fail "statictramp-rewrite: exit status 0 for a missing file"
grep -aq "^statictramp-rewrite: .*odd.*No such file" <<<"$said" || fail "$said"
for how in "$odd.ll -o /dev/full" "-S $odd.ll -o /dev/full" "-S $odd.ll -o -" "-h"; do
    ended=0
    said=$("$rewrite" $how 2>&1 >/dev/full) || ended=$?
    [ $ended = 1 ] && grep -q '^statictramp-rewrite: .*No space left' <<<"$said" || fail "statictramp-rewrite $how: exit status $ended, expected 1: $said"
done
"$rewrite" "$odd.none" -o x 2>/dev/full && fail "statictramp-rewrite: exit status 0 for a missing file"
[ $? = 1 ] || fail "the rewriter crashes if standard error is full"
STATICTRAMP_ESCAPES=warning "$rewrite" "$odd.ll" -o "$work/x.bc" 2>/dev/full || fail "the rewriter failed because the report could not be written"
(cd "$work" && STATICTRAMP_ESCAPES=warning flang 19 -O0 "-fpass-plugin=$(plugin 19)" -c returned.f90 -o x.o 2>/dev/full) || fail "the compiler failed because the report could not be written"
echo "names that are not UTF-8; a full standard output and standard error"
