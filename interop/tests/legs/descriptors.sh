# Tests closures that take Fortran descriptors. Code from two versions of gfortran and of flang calls them, with and without
# BIND(C). Also tests descriptors that Rust creates for Fortran procedures, the type codes in the compilers' headers, and the C
# functions, which are compiled together with those headers, and called with invalid values under sanitizers.
# Installs: gcc, gfortran, flang 19 and 22; gfortran 16 in .toolchains.
# Takes: 2 minutes.

need gfortran=gfortran gcc=gcc flang-new-19=flang-19 flang-22=flang-22
need_sid gfortran-16=gfortran-16 gcc-16=gcc-16 flang-23=flang-23

sid_directory descriptors
library=$(build_capi)
out=$PWD/target/descriptors
mkdir -p "$out"
build=$PWD/target/descriptors/build
cargo build --quiet --release --locked --manifest-path interop/tests/programs/descriptors/Cargo.toml --target-dir "$build"
with_compilers interop descriptors
source interop/tests/legs/parts/values.sh
