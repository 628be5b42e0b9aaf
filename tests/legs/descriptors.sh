# Closures that take Fortran's descriptors, called by what gfortran and two versions of flang compile; and the numbers that
# their headers have for types; the C functions beside those headers.

need gfortran=gfortran gcc=gcc flang-new-19=flang-19 flang-22=flang-22

out=$PWD/target/descriptors
mkdir -p "$out"
library=$(build_capi)
headers_of_gfortran=$(dirname "$(gcc -print-file-name=include/ISO_Fortran_binding.h)")

# headers_of VERSION, runtime_of VERSION: of flang.
headers_of() { case $1 in 19) echo /usr/lib/llvm-19/lib/clang/19/include ;; 22) echo /usr/lib/llvm-22/include/flang ;; esac; }
runtime_of() {
    case $1 in
    19) echo "-L/usr/lib/llvm-19/lib -lFortranRuntime -lFortranDecimal" ;;
    22) find /usr/lib/llvm-22 -name libflang_rt.runtime.a ;;
    esac
    echo "-lstdc++ -lm"
}

for level in -O0 -O2; do
    sed 's/COMPILER/gfortran/g' tests/descriptors/callers.f90 >"$out/gfortran.f90"
    gfortran $level -J "$out" -c "$out/gfortran.f90" -o "$out/gfortran.o"
    for version in 19 22; do
        say "gfortran $(gfortran -dumpversion) and flang $version, $level"
        case $version in 19) flang=flang-new-19 ;; 22) flang=flang-22 ;; esac
        sed 's/COMPILER/flang/g' tests/descriptors/callers.f90 >"$out/flang.f90"
        $flang $level -module-dir "$out" -c "$out/flang.f90" -o "$out/flang.o"
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
        OBJECTS="$out/gfortran.o $out/flang.o -lgfortran $(runtime_of $version)" cargo build --quiet --release --locked --manifest-path tests/descriptors/Cargo.toml --target-dir "$out/build"
        [ "$(stack_rights "$out/build/release/dummy-procedures")" = RW ] || fail "an executable stack"
        "$out/build/release/dummy-procedures" $version "$out/numbers"
    done
done

say "the C functions beside gfortran's and flang's own headers"
# binding OWN OTHER HEADERS RUNTIME...
binding() {
    # Alone: beside flang 19's are clang's own headers.
    mkdir -p "$out/headers"
    cp "$3/ISO_Fortran_binding.h" "$out/headers"
    gcc -O2 -Wall -Wextra -DOWN=STATICTRAMP_DESCRIPTOR_LAYOUT_$1 -DOTHER=STATICTRAMP_DESCRIPTOR_LAYOUT_$2 -Icapi/include \
        -isystem "$out/headers" tests/descriptors/binding.c "$library/libstatictramp.a" "${@:4}" -o "$out/binding"
    "$out/binding"
    echo "$1, converted to $2 and back"
}
binding GFORTRAN FLANG2018 "$headers_of_gfortran" -lgfortran
binding FLANG2018 GFORTRAN "$(headers_of 19)" $(runtime_of 19)
binding FLANG2024 GFORTRAN "$(headers_of 22)" $(runtime_of 22)
