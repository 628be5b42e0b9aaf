# Tests closures that take and return memrefs. Code lowered by two versions of MLIR's tools calls them.
# Installs: MLIR's tools and clang 19 and 22, gcc.
# Takes: 1 minute.

need mlir-opt-19="mlir-19-tools" mlir-opt-22="mlir-22-tools" clang-19=clang-19 clang-22=clang-22 gcc=gcc g++=g++

out=$PWD/target/mlir
mkdir -p "$out"
source tests/legs/parts/lower.sh
write_calls "$out/calls.mlir"

library=$(build_capi)
cargo build --quiet --release --locked --manifest-path interop/tests/programs/mlir/Cargo.toml --target-dir "$out/build"
for version in 19 22; do
    lower $version "$out/calls.mlir" "$out/calls.ll"
    for level in -O0 -O2; do
        say "MLIR $version, $level"
        clang-$version $level -Wno-override-module -c "$out/calls.ll" -o "$out/calls$version$level.o"
        gcc "$out/calls$version$level.o" "$out/build/release/libmlir_callers.a" -pthread -lm -o "$out/callers"
        [ "$(stack_rights "$out/callers")" = RW ] || fail "callers does not request a non-executable stack"
        "$out/callers" "$(share 1000000)"
        gcc $level -Wall -Wextra -Icapi/include -Iinterop/capi/include interop/tests/programs/mlir/closures.c "$out/calls$version$level.o" "$library/libstatictramp.a" \
            -pthread -o "$out/closures"
        [ "$(stack_rights "$out/closures")" = RW ] || fail "closures does not request a non-executable stack"
        "$out/closures"
        echo "handlers in C, with types given at run time"
    done
    lower $version interop/tests/programs/mlir/interface.mlir "$out/interface.ll"
    clang-$version -O2 -Wall -Wextra -Wno-override-module -Icapi/include -Iinterop/capi/include "$out/interface.ll" interop/tests/programs/mlir/interface.c \
        "$library/libstatictramp.a" -o "$out/interface"
    "$out/interface"
    echo "the C interface, with libstatictramp"
    # The probe, lowered with six combinations of options.
    doc_block docs/mlir.md mlir 1 >"$out/probe.mlir"
    for bits in 32 64 128; do
        for bare in 0 1; do
            sed "s/statictramp_probe/probe_${bits}_$bare/" "$out/probe.mlir" |
                mlir-opt-$version --finalize-memref-to-llvm=index-bitwidth=$bits --convert-arith-to-llvm=index-bitwidth=$bits \
                    --convert-func-to-llvm="index-bitwidth=$bits use-bare-ptr-memref-call-conv=$bare" --reconcile-unrealized-casts |
                mlir-translate-$version --mlir-to-llvmir >"$out/probe_${bits}_$bare.ll"
        done
    done
    clang-$version -O2 -Wall -Wextra -Wno-override-module -Icapi/include -Iinterop/capi/include "$out"/probe_{32,64,128}_{0,1}.ll interop/tests/programs/mlir/lowering.c \
        "$library/libstatictramp.a" -o "$out/lowering"
    "$out/lowering"
    echo "the options of the lowering"
done

say "the handlers of docs/mlir.md, in C and C++; results that contradict their types"
doc_block docs/mlir.md c 1 >"$out/scale.c"
doc_block docs/mlir.md cpp 1 >"$out/trace.cpp"
gcc -std=c99 -Wall -Wextra -pedantic -Icapi/include -Iinterop/capi/include "$out/scale.c" "$library/libstatictramp.a" -o "$out/scale"
g++ -std=c++11 -Wall -Wextra -pedantic -Icapi/include -Iinterop/capi/include "$out/trace.cpp" "$library/libstatictramp.a" -o "$out/trace"
[ "$("$out/scale") $("$out/trace")" = "2 4 6 5" ] || fail "the examples in docs/mlir.md print $("$out/scale") and $("$out/trace"), expected \"2 4 6\" and \"5\""
gcc -O2 -Wall -Wextra -Werror -Icapi/include -Iinterop/capi/include interop/tests/programs/mlir/results.c "$library/libstatictramp.a" -o "$out/results"
"$out/results" || fail "the program whose results contradict their types exited with status $?"
echo '#include <statictramp_interop.h>' | g++ -std=c++98 -Wall -Wextra -Wno-long-long -fsyntax-only -Icapi/include -Iinterop/capi/include -x c++ -
