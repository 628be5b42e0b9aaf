# The command-line tool: its conventions, `statictramp dump` of ordinary and of hostile processes, and a fuzzer of the readers of
# `dump`. The tests are in cli/tests/with_compilers. The legs audit and emulate test these two subcommands.
# Installs: gcc, binutils, Python, man.
# Takes: 3 minutes.
# Parts: conventions, dump, fuzz, hostile.

need gcc=gcc readelf=binutils man=man-db bash=bash setpriv=util-linux
library=$(build_capi)
[ -e "$library/libstatictramp.so" ] || fail "the C library is missing"
parts=()
! wants conventions || parts+=(conventions)
! wants dump || parts+=(dump)
! wants fuzz || parts+=(dump_fuzz)
! wants hostile || parts+=(dump_hostile)
cargo build --quiet -p statictramp-cli
cargo build --quiet --release -p statictramp-cli
with_compilers cli "${parts[@]}"
