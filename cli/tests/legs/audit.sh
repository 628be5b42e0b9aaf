# Tests `statictramp audit`: its verdicts for the output of each compiler, for files that request no executable stack, and for
# corrupt files; its remedies, formats, packages and interfaces; the library's own table on each target; and arbitrary bytes.
# The tests are in cli/tests/with_compilers: the part verdicts is audit.rs, the part findings is audit_more.rs, and each other part
# is the file audit_PART.rs.
# Installs: GCC, gfortran, GNAT and clang for x86-64 and other processors, flang 19 and 22, MinGW; GCC 14 and 16 and flang 23
#   in .toolchains.
# Takes: 4 minutes.
# Parts: verdicts, findings, hardening, wild, odd, tables, proof, packages, formats, clear, fuzz.

need gcc=gcc python3=python3 gfortran=gfortran flang-new-19=flang-19 flang-22=flang-22 ar=binutils \
    aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu riscv64-linux-gnu-gcc=gcc-riscv64-linux-gnu arm-linux-gnueabihf-gcc=gcc-arm-linux-gnueabihf \
    i686-linux-gnu-gcc=gcc-i686-linux-gnu mips64el-linux-gnuabi64-gcc=gcc-mips64el-linux-gnuabi64 \
    clang-19=clang-19 clang-22=clang-22 gcc-12=gcc-12 gnatmake=gnat-12 x86_64-w64-mingw32-gcc=gcc-mingw-w64-x86-64 ld.lld-19=lld-19 \
    nasm=nasm yasm=yasm script=bsdutils setpriv=util-linux zstd=zstd lz4=lz4 lzip=lzip cpio=cpio zip=zip git=git dpkg-deb=dpkg \
    scanelf=pax-utils hardening-check=devscripts /usr/bin/time=time /usr/lib/python3/dist-packages/jsonschema/__init__.py=python3-jsonschema
need_sid gcc-14=gcc-14 gcc-16=gcc-16 flang-23=flang-23 upx=upx-ucl
parts=()
! wants verdicts || parts+=(audit)
! wants findings || parts+=(audit_more)
! wants hardening || parts+=(audit_hardening)
! wants wild || parts+=(audit_wild)
! wants odd || parts+=(audit_odd)
! wants tables || parts+=(audit_tables)
! wants proof || parts+=(audit_proof)
! wants packages || parts+=(audit_packages)
! wants formats || parts+=(audit_formats)
! wants clear || parts+=(audit_clear)
! wants fuzz || parts+=(audit_fuzz)
source tests/legs/parts/machines.sh
! wants tables fuzz || need_machines as # for audit_tables
! wants verdicts proof fuzz || need_trampoline_compilers
! wants verdicts findings proof fuzz || sid_directory audit
! wants findings || build_capi >/dev/null
cargo build --quiet --release -p statictramp-cli
with_compilers cli "${parts[@]}"
