# Tests closures that take Fortran descriptors. Code from two versions of gfortran and of flang calls them, with and without
# BIND(C). Also tests descriptors that Rust creates for Fortran procedures, the type codes in the compilers' headers, and the C
# functions, which are compiled together with those headers.
# Installs: gcc, gfortran, flang 19 and 22; gfortran 16 in .toolchains.
# Takes: 1 minute.
# shellcheck disable=SC2046,SC2086 # $1, $2 and printed words: several words, or none

need gfortran=gfortran gcc=gcc flang-new-19=flang-19 flang-22=flang-22
need_sid gfortran-16=gfortran-16 flang-23=flang-23

out=$PWD/target/descriptors
mkdir -p "$out"
library=$(build_capi)
headers_of_gfortran=$(dirname "$(gcc -print-file-name=include/ISO_Fortran_binding.h)")

# headers_of VERSION, runtime_of VERSION: print the directories of this flang version.
headers_of() { case $1 in 19) echo /usr/lib/llvm-19/lib/clang/19/include ;; 22) echo /usr/lib/llvm-22/include/flang ;; esac; }
runtime_of() {
    case $1 in
    19) echo "-L/usr/lib/llvm-19/lib -lFortranRuntime -lFortranDecimal" ;;
    22) find /usr/lib/llvm-22 -name libflang_rt.runtime.a ;;
    esac
    echo "-lstdc++ -lm"
}

# There are two versions of gfortran, the later one in the chroot. Both versions of its run-time library have the functions that
# these programs use.
place=/statictramp-descriptors
rm -rf "$chroot$place"
mkdir -p "$chroot$place"
for part in callers plain arrays; do
    for compiler in gfortran flang; do
        sed "s/COMPILER/$compiler/g" interop/tests/programs/descriptors/$part.f90 >"$out/$compiler-$part.f90"
    done
    cp "$out/gfortran-$part.f90" "$chroot$place"
    for level in -O0 -O2; do
        gfortran $level -J "$out" -c "$out/gfortran-$part.f90" -o "$out/gfortran-$part$level.o"
        in_sid $place gfortran-16 $level -c gfortran-$part.f90 -o "gfortran-$part$level.o"
    done
done

cargo build --quiet --release --locked --manifest-path interop/tests/programs/descriptors/Cargo.toml --target-dir "$out/build"
for pair in "gfortran 19" "gfortran 22" "gfortran-16 22"; do
    for level in -O0 -O2; do
        version=${pair#* }
        case $pair in "gfortran-16 "*) of_gfortran=$chroot$place ;; *) of_gfortran=$out ;; esac
        case $version in 19) flang="flang-new-19" ;; 22) flang="flang-22" ;; esac
        say "${pair% *} and flang $version, $level"
        objects=
        for part in callers plain arrays; do
            source=$out/flang-$part.f90
            if [ "$version $part" = "19 arrays" ]; then # it compiles no procedure with an assumed-rank argument
                source=$out/flang-19-$part.f90
                sed 's/rank_of = rank(a)/rank_of = -1/; s/integer(c_int), intent(in) :: a(\.\.)/type(c_ptr), value :: a/' \
                    "$out/flang-$part.f90" >"$source"
            fi
            $flang $level -module-dir "$out" -c "$source" -o "$out/flang-$part.o"
            objects+="$of_gfortran/gfortran-$part$level.o $out/flang-$part.o "
        done
        : >"$out/numbers"
        for include in "$(headers_of $version)" "$headers_of_gfortran"; do
            {
                printf '#include <stdio.h>\n#include <stdint.h>\n#include <stddef.h>\n#include "%s/ISO_Fortran_binding.h"\nint main(void) {\n' "$include"
                grep -o 'define CFI_type_[A-Za-z0-9_]*' "$include/ISO_Fortran_binding.h" | sed 's/.*CFI_type_//' | sort -u |
                    grep -vx 'mask\|kind_shift\|Integer\|Logical\|Real\|Complex\|Character' |
                    sed 's/.*/printf("%d & %d 8\\n", CFI_VERSION, CFI_type_&);/'
                printf '}\n'
            } >"$out/numbers.c"
            gcc -w "$out/numbers.c" -o "$out/numbers.out"
            "$out/numbers.out" >>"$out/numbers"
        done
        gcc $objects "$out/build/release/libdummy_procedures.a" $(runtime_of $version) -lgfortran -pthread -o "$out/dummy-procedures"
        [ "$(stack_rights "$out/dummy-procedures")" = RW ] || fail "dummy-procedures: the program does not request a non-executable stack"
        "$out/dummy-procedures" $version "$out/numbers"
    done
done

say "deep copies, and types that survive conversions"
mkdir -p "$chroot$place/include"
cp interop/tests/programs/descriptors/deep.* capi/include/* "$library/libstatictramp.a" "$chroot$place"
cp "$chroot/usr/lib/llvm-23/include/flang/ISO_Fortran_binding.h" "$chroot$place/include"
sed -i 's#"../../../../capi/tests/programs/c/check.h"#"check.h"#' "$chroot$place/deep.c"
cp capi/tests/programs/c/check.h "$chroot$place"
layouts_of() {
    case $1 in 19) set -- FLANG2018 FLANG2024 ;; *) set -- FLANG2024 FLANG2018 ;; esac
    echo "-DOWN=STATICTRAMP_DESCRIPTOR_LAYOUT_$1 -DOTHER=STATICTRAMP_DESCRIPTOR_LAYOUT_$2"
}
for level in -O2 -O0; do
    [ $level = -O2 ] || one_of 2 1 || continue
    for version in 19 22; do
        case $version in 19) flang="flang-new-19" ;; 22) flang="flang-22" ;; esac
        mkdir -p "$out/headers$version"
        cp "$(headers_of $version)/ISO_Fortran_binding.h" "$out/headers$version"
        $flang $level -module-dir "$out" -c interop/tests/programs/descriptors/deep.f90 -o "$out/deep.o"
        gcc -O2 -Wall -Wextra $(layouts_of $version) -Icapi/include -isystem "$out/headers$version" interop/tests/programs/descriptors/deep.c \
            "$out/deep.o" "$library/libstatictramp.a" $(runtime_of $version) -o "$out/deep"
        "$out/deep"
        echo "flang $version, $level"
    done
    in_sid $place flang-23 $level -c deep.f90
    in_sid $place gcc-16 -O2 -Wall -Wextra $(layouts_of 23) -I. -isystem include -c deep.c -o deep-in-c.o
    in_sid $place flang-23 deep-in-c.o deep.o libstatictramp.a -o deep
    in_sid $place ./deep
    echo "flang 23, $level"
done

say "the C functions with gfortran's and flang's own headers"
# binding OWN OTHER HEADERS RUNTIME...
binding() {
    # This is a separate directory, because flang 19's headers are in the directory of clang's own headers.
    mkdir -p "$out/headers"
    cp "$3/ISO_Fortran_binding.h" "$out/headers"
    gcc -O2 -Wall -Wextra -DOWN=STATICTRAMP_DESCRIPTOR_LAYOUT_$1 -DOTHER=STATICTRAMP_DESCRIPTOR_LAYOUT_$2 -Icapi/include \
        -isystem "$out/headers" interop/tests/programs/descriptors/binding.c "$library/libstatictramp.a" "${@:4}" -o "$out/binding"
    "$out/binding"
    echo "$1, converted to $2 and back"
}
binding GFORTRAN FLANG2018 "$headers_of_gfortran" -lgfortran
binding FLANG2018 GFORTRAN "$(headers_of 19)" $(runtime_of 19)
binding FLANG2024 GFORTRAN "$(headers_of 22)" $(runtime_of 22)
for made in "$out" "$chroot$place"; do
    gcc -O2 -Wall -Wextra -Icapi/include interop/tests/programs/descriptors/classes.c "$made/gfortran-plain-O2.o" "$library/libstatictramp.a" \
        -lgfortran -o "$out/classes"
    "$out/classes"
done
echo "CLASS dummy arguments of two versions of gfortran"
