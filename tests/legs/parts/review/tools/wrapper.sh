# The C++ wrapper: random signatures, with one compiler's callbacks called by the other compiler's code; and rejected
# types.

say "the C++ wrapper: signatures"
count=$(share 600)
seed=0
for standard in c++11 gnu++17 c++20; do
    for level in -O0 -O2; do
        seed=$((seed + 1))
        # A short run has each standard once.
        [ "$effort" -ge 100 ] || case $standard$level in c++11-O0 | gnu++17-O2 | c++20-O0) ;; *) continue ;; esac
        perl tests/programs/review/tools/signatures.pl "$count" $seed >"$out/signatures.cpp"
        for compiler in g++ clang++-19; do
            for side in CALLBACKS CALLERS; do
                $compiler -std=$standard $level -Wall -Wextra -Wno-psabi -Werror -D$side -Icapi/include -Itests/programs/review/tools \
                    -c "$out/signatures.cpp" -o "$out/$compiler-$side.o"
            done
        done
        for callbacks in g++ clang++-19; do
            for callers in g++ clang++-19; do
                g++ "$out/$callbacks-CALLBACKS.o" "$out/$callers-CALLERS.o" "$library/libstatictramp.a" -o "$out/signatures"
                "$out/signatures" || fail "$callbacks called by $callers, $standard $level, signatures.pl $count $seed"
            done
        done
    done
done
echo "$count signatures in each mode, between gcc and clang"

say "the C++ wrapper: a function object with an operator & of its own"
for compiler in g++ clang++-19; do
    $compiler -std=c++11 -O2 -Wall -Wextra -pedantic -Werror -Icapi/include tests/programs/review/tools/address.cpp "$library/libstatictramp.a" \
        -o "$out/address"
    "$out/address" || fail "$compiler: the context differs from the object"
done

say "the C++ wrapper: rejected types"
# compiles COMPILER DEFINITION...: whether refused.cpp compiles; the messages are in $said.
compiles() { said=$("$1" -std=c++17 -w -fsyntax-only -Icapi/include "${@:2}" tests/programs/review/tools/refused.cpp 2>&1); }
small=(pair_of_kinds word packed packed_inside moved_only with_private holds_empty number "_Complex int" _Float16 __float128
    "void (host::*)()" assigned std::nullptr_t)
for compiler in g++ clang++-19; do
    for way in TAKES RETURNS; do
        for type in "${small[@]}"; do
            [ "$way $type" != "RETURNS holds_empty" ] || continue # one byte: returned in a register, or not at all
            ! compiles $compiler "-D$way=$type" || fail "$compiler accepts $type ($way)"
            grep -q 'statictramp: ' <<<"$said" || fail "$compiler, $type ($way): $said"
        done
        for type in text four_floats two_ints "_Complex float" "_Complex double" "_Complex long double" listed; do
            compiles $compiler "-D$way=$type" || fail "$compiler rejects $type ($way): $said"
        done
    done
    # gcc passes and returns them without any storage, clang in memory.
    for type in large_empty large_derived tags hidden_tags fillers; do
        for way in TAKES RETURNS; do
            ! compiles $compiler "-D$way=$type" || fail "$compiler accepts $type ($way), on which compilers disagree"
            grep -q 'statictramp: how a ' <<<"$said" || fail "$compiler, $type ($way): $said"
        done
    done
    for wrong in MISSING SWAPPED PACKED OVER_ALIGNED UNION UNLISTED; do
        ! compiles $compiler -D$wrong || fail "$compiler accepts wrong members ($wrong)"
        grep -q 'statictramp: ' <<<"$said" || fail "$compiler, $wrong: $said"
    done
    compiles $compiler -DDATA || fail "$compiler rejects a class with data or a small class: $said"
    ! compiles $compiler -DRVALUE || fail "$compiler accepts an operator() that only temporary objects have"
    grep -q 'statictramp: this operator()' <<<"$said" || fail "$compiler, RVALUE: $said"
    compiles $compiler -DINCOMPLETE || fail "$compiler rejects references to an incomplete type: $said"
    compiles $compiler -mavx -DREFERENCES || fail "$compiler rejects references: $said"
    for full in SEVEN HIDDEN; do
        compiles $compiler -D$full || fail "$compiler rejects $full: $said"
    done
    if compiles $compiler -DWIDE; then
        [ $compiler = g++ ] || fail "$compiler accepts WIDE, which it passes in another way than gcc"
    else
        grep -q 'statictramp: clang before version 22' <<<"$said" || fail "$compiler, WIDE: $said"
    fi
    for way in TAKES RETURNS; do
        compiles $compiler -D$way=four_longs || fail "$compiler rejects a class of 32 bytes ($way): $said"
        ! compiles $compiler -mavx -D$way=four_longs || fail "$compiler accepts a 32-byte class with AVX ($way), although it could contain a vector"
    done
    # Other machines and conventions have other rules.
    case $compiler in
    g++) elsewhere=("-mabi=ms" "-mx32") ;;
    *) elsewhere=("--target=armeb-linux-gnueabi" "--target=powerpc64-linux-gnu" "--target=aarch64-linux-gnu -mabi=aapcs-soft -march=armv8-a+nofp" "--target=x86_64-pc-windows-msvc" "--target=aarch64-apple-darwin" "--target=x86_64-linux-gnux32" "-mno-sse2") ;;
    esac
    for place in "${elsewhere[@]}"; do
        # shellcheck disable=SC2086 # several words
        ! compiles $compiler $place || fail "$compiler accepts $place"
        grep -q 'statictramp' <<<"$said" || fail "$compiler $place: $said"
    done
done
# Further types on the other processors that the wrapper knows.
need aarch64-linux-gnu-g++=g++-aarch64-linux-gnu riscv64-linux-gnu-g++=g++-riscv64-linux-gnu arm-linux-gnueabihf-g++=g++-arm-linux-gnueabihf \
    powerpc-linux-gnu-g++=g++-powerpc-linux-gnu \
    s390x-linux-gnu-g++=g++-s390x-linux-gnu i686-linux-gnu-g++=g++-i686-linux-gnu
for gnu in aarch64-linux-gnu riscv64-linux-gnu arm-linux-gnueabihf; do
    more=("TAKES large_empty" "TAKES empty16")
    if [ $gnu = riscv64-linux-gnu ]; then more+=("TAKES four_floats" "RETURNS two_ints"); else more+=("TAKES four_longs"); fi
    [ $gnu != arm-linux-gnueabihf ] || more+=("RETURNS four_longs" "RETURNS empty16")
    for type in "${small[@]}"; do
        case $type in __float128 | _Float16 | "_Complex int") ;; *) more+=("TAKES $type") ;; esac
    done
    for refused in "${more[@]}"; do
        ! compiles $gnu-g++ "-D${refused/ /=}" || fail "$gnu accepts ${refused#* } (${refused% *})"
        grep -q 'statictramp: ' <<<"$said" || fail "$gnu, $refused: $said"
    done
    compiles $gnu-g++ -DTAKES=text || fail "$gnu rejects a non-trivial class: $said"
done
for gnu in s390x-linux-gnu i686-linux-gnu; do
    if [ $gnu = s390x-linux-gnu ]; then
        more=("TAKES aligned" "RETURNS aligned" "TAKES tags" "RETURNS tags" "TAKES pair_of_kinds" "TAKES word" "TAKES packed_inside" "TAKES moved_only" "TAKES number")
        accepted=("TAKES four_longs" "TAKES with_values" "TAKES packed" "RETURNS four_longs" "RETURNS pair_of_kinds" "RETURNS number" "RETURNS statictramp::detail::signed_wide")
        convention=-msoft-float
    else
        more=("TAKES aligned" "TAKES tags" "TAKES fillers" "TAKES with_values" "RETURNS tags" "TAKES moved_only" "RETURNS moved_only" "RETURNS word" "RETURNS number")
        accepted=("TAKES mixed" "TAKES pair_of_kinds" "TAKES number" "TAKES four_longs" "RETURNS aligned" "RETURNS four_longs")
        convention=-mrtd
        ! compiles $gnu-g++ -mlong-double-128 "-DRETURNS=long double" || fail "$gnu accepts a long double of another format"
        grep -q 'statictramp: how a result' <<<"$said" || fail "$gnu, -mlong-double-128: $said"
    fi
    more+=("TAKES large_empty" "TAKES empty16" "RETURNS empty16")
    for type in with_private holds_empty "void (host::*)()" assigned std::nullptr_t; do
        more+=("TAKES $type" "RETURNS $type")
    done
    for compiler in $gnu-g++ "clang++-19 --target=$gnu"; do
        read -r -a words <<<"$compiler"
        for refused in "${more[@]}"; do
            ! compiles "${words[@]}" "-D${refused/ /=}" || fail "$compiler accepts ${refused#* } (${refused% *})"
            grep -q 'statictramp: ' <<<"$said" || fail "$compiler, $refused: $said"
        done
        for taken in "${accepted[@]}" "TAKES text" "RETURNS text" "TAKES listed" "RETURNS listed" "SIXTEEN 1" "INCOMPLETE 1"; do
            compiles "${words[@]}" "-D${taken/ /=}" || fail "$compiler rejects ${taken#* } (${taken% *}): $said"
        done
    done
    ! compiles $gnu-g++ $convention || fail "$gnu-g++ accepts $convention"
    grep -q 'statictramp' <<<"$said" || fail "$gnu-g++ $convention: $said"
done
for compiler in powerpc-linux-gnu-g++ "clang++-19 --target=powerpc-linux-gnu"; do # where every class travels in the same way
    read -r -a words <<<"$compiler"
    for refused in "TAKES large_empty" "TAKES four_floats" "RETURNS two_ints" "TAKES _Complex float" "RETURNS _Complex double" \
        "TAKES void (host::*)()"; do
        ! compiles "${words[@]}" "-D${refused/ /=}" || fail "$compiler accepts ${refused#* } (${refused% *})"
        grep -q 'statictramp: ' <<<"$said" || fail "$compiler, $refused: $said"
    done
    for taken in "TAKES pair_of_kinds" "TAKES empty16" "TAKES aligned" "TAKES assigned" "TAKES text" "RETURNS number" "RETURNS large_empty" \
        "RETURNS text" "TAKES listed" "SEVEN 1" "SIXTEEN 1" "HIDDEN 1" "INCOMPLETE 1"; do
        compiles "${words[@]}" "-D${taken/ /=}" || fail "$compiler rejects ${taken#* } (${taken% *}): $said"
    done
done
! compiles powerpc-linux-gnu-g++ -msoft-float || fail "powerpc-linux-gnu-g++ accepts -msoft-float"
grep -q 'statictramp' <<<"$said" || fail "powerpc-linux-gnu-g++ -msoft-float: $said"
! compiles clang++-19 -DTAKES=by_attribute || fail "a class with the attribute trivial_abi is treated as passed by reference"
echo "gcc and clang: types whose passing is undetermined are rejected with a message"
