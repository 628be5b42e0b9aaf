# Writes the MLIR that the tests run, and lowers it to LLVM IR. Sourced by the "mlir", "cross" and "windows" legs.
# shellcheck disable=SC2086 # $1: several words, or none

# write_calls FILE [without-halves]: writes callers for each rank.
write_calls() {
    local rank
    cat interop/tests/programs/mlir/callers.mlir >"$1"
    sed 's/CROWD/crowd_of_integers/; s/HALF\|BRAIN/i16/g; s/ONE/0x3e00/; s/OTHER/0xc040/' interop/tests/programs/mlir/crowd.mlir >>"$1"
    [ "${2-}" = without-halves ] ||
        sed 's/CROWD/crowd/; s/HALF/f16/g; s/BRAIN/bf16/g; s/ONE/1.5/; s/OTHER/-3.0/' interop/tests/programs/mlir/{crowd,halves}.mlir >>"$1"
    for rank in 0 1 2 3 4 5; do
        # Prints the same text for each dimension, separated by commas.
        of_rank() { for ((i = 0; i < rank; i++)); do printf '%s' "$1"; done | sed 's/, $//'; }
        sed "s/RANK/$rank/g; s/SHAPE/$(of_rank '?x')/g; s/STRIDES/$(of_rank '?, ')/g; s/ZEROES/$(of_rank '%zero, ')/g" \
            interop/tests/programs/mlir/rank.mlir >>"$1"
    done
}

# lower VERSION FILE LLVM_IR
lower() {
    mlir-opt-$1 --convert-scf-to-cf --expand-strided-metadata --lower-affine --convert-complex-to-llvm --convert-arith-to-llvm --finalize-memref-to-llvm \
        --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts "$2" | mlir-translate-$1 --mlir-to-llvmir >"$3"
}
