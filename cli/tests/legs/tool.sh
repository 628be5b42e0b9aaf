# The command-line tool: its conventions, `statictramp dump` of ordinary and of hostile processes, and a fuzzer of the readers of
# `dump`. The legs audit and emulate test these two subcommands.
# Installs: gcc, binutils, Python, man, Perl.
# Takes: 3 minutes.

need gcc=gcc readelf=binutils python3=python3 man=man-db bash=bash perl=perl-base setpriv=util-linux
rm -rf target/tool
mkdir -p target/tool
library=$(build_capi)
! wants conventions || { cargo build --quiet --release -p statictramp-cli && with_compilers cli conventions; }
! wants dump || source cli/tests/legs/parts/dump.sh
! wants fuzz || source cli/tests/legs/parts/dump_fuzz.sh
! wants hostile || source cli/tests/legs/parts/dump_hostile.sh
