# Closures that take and return memrefs, called by code that two versions of MLIR's tools have lowered.

need mlir-opt-19="mlir-19-tools" mlir-opt-22="mlir-22-tools" clang-19=clang-19 clang-22=clang-22

out=$PWD/target/mlir
mkdir -p "$out"
{
    cat tests/mlir/callers.mlir
    for rank in 0 1 2 3 4 5; do
        # As many of each as there are dimensions.
        of_rank() { for ((i = 0; i < rank; i++)); do printf '%s' "$1"; done | sed 's/, $//'; }
        sed "s/RANK/$rank/g; s/SHAPE/$(of_rank '?x')/g; s/STRIDES/$(of_rank '?, ')/g; s/ZEROES/$(of_rank '%zero, ')/g" \
            tests/mlir/rank.mlir
    done
} >"$out/calls.mlir"

library=$(build_capi)
for version in 19 22; do
    mlir-opt-$version --convert-scf-to-cf --convert-arith-to-llvm --expand-strided-metadata --finalize-memref-to-llvm \
        --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts "$out/calls.mlir" |
        mlir-translate-$version --mlir-to-llvmir >"$out/calls.ll"
    for level in -O0 -O2; do
        say "MLIR $version, $level"
        clang-$version $level -Wno-override-module -c "$out/calls.ll" -o "$out/calls$version$level.o"
        OBJECTS=$out/calls$version$level.o cargo build --quiet --release --locked \
            --manifest-path tests/mlir/Cargo.toml --target-dir "$out/build"
        [ "$(stack_rights "$out/build/release/mlir-callers")" = RW ] || fail "an executable stack"
        "$out/build/release/mlir-callers" "$(share 1000000)"
    done
    mlir-opt-$version --llvm-request-c-wrappers --expand-strided-metadata --lower-affine --convert-arith-to-llvm \
        --finalize-memref-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts tests/mlir/interface.mlir |
        mlir-translate-$version --mlir-to-llvmir >"$out/interface.ll"
    clang-$version -O2 -Wall -Wextra -Wno-override-module -Icapi/include "$out/interface.ll" tests/mlir/interface.c \
        "$library/libstatictramp.a" -o "$out/interface"
    "$out/interface"
    echo "in C's form, by the C library"
done
