# `statictramp run --emulate`: programs of each compiler with trampolines on their stacks, run with stacks that are not
# executable. Output and exit status must equal those on an executable stack. The tests are in cli/tests/with_compilers/emulate.rs.
# Installs: gcc, gfortran, GNAT, flang 19 and 22, Python; GCC and gfortran 16 in .toolchains.
# Takes: 1 minute.

need gcc=gcc g++=g++ gfortran=gfortran flang-new-19=flang-19 flang-new-22=flang-22 gnatmake=gnat-12 readelf=binutils python3=python3
[ "$(uname -m)" = x86_64 ] || fail "this leg runs only on x86-64"
need_sid gcc-16=gcc-16 gfortran-16=gfortran-16 ld=binutils /usr/include/stdio.h=libc6-dev
sid_directory emulate
mount_proc # copies of programs are executed through it
cargo build --quiet --release -p statictramp-cli
cargo build --quiet --release -p statictramp-emulate # separately: with the tool's features it would contain Rust's std
with_compilers cli emulate
