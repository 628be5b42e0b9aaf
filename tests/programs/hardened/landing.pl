#!/usr/bin/perl
# landing.pl FILE PREFIX: checks that an x86-64 file keeps the promise of its note (IBT). Each address in its code that is stored
# or taken must be that of an endbr64, and each exported function must begin with endbr64. No jump may use a jump table. PREFIX is
# the prefix of the binutils.
use strict;
use warnings;
my ($file, $tools) = @ARGV;
my (%pad, %code, @taken, $bad, $low, $high);
my $function = '';
for (`${tools}objdump -d --no-show-raw-insn $file`) {
    $function = $1 if /^[0-9a-f]+ <(.*)>:/;
    next unless /^ *([0-9a-f]+):\t(\S*) *(.*)/;
    my ($at, $what, $rest) = (hex $1, $2, $3);
    $code{$at} = 1;
    $pad{$at} = 1 if $what eq 'endbr64';
    push @taken, [$at, hex $1, "lea"] if $what =~ /^lea/ && $rest =~ /# ([0-9a-f]+)/;
    ++$bad, print "$file: a jump through a register at @{[sprintf '%x', $at]}: $what $rest\n"
        if $what eq 'jmp' && $rest =~ /^\*%r/ && $function !~ /register_tm_clones/; # from the C compiler itself
}
for (`${tools}readelf -SW $file`) {
    ($low, $high) = (hex $1, hex($1) + hex $2) if /\] \.text +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)/;
}
for (`${tools}readelf -rW $file`) {
    push @taken, [hex $1, hex $2, "relocation"] if /^([0-9a-f]+) .*R_X86_64_(?:RELATIVE|IRELATIV) +([0-9a-f]+)/;
}
for (`${tools}readelf -sW --dyn-syms $file`) {
    push @taken, [0, hex $1, "export $2"] if /: ([0-9a-f]+) +\d+ FUNC +GLOBAL +\w+ +\d+ (\S+)/ && hex $1;
}
my $seen = 0;
for (@taken) {
    my ($from, $to, $how) = @$_;
    next unless $to >= $low && $to < $high;
    $seen++;
    next if $pad{$to};
    printf "%s: %s at %x leads to %x, where no endbr64 is\n", $file, $how, $from, $to;
    $bad++;
}
die "$file: no address of code is taken: this script sees nothing\n" if $seen < 10;
print "$file: $seen places that may be jumped to, each with a landing pad\n" unless $bad;
exit($bad ? 1 : 0);
