#!/usr/bin/perl
# stated.pl PAGE ROW: checks that a table on a page states measured numbers. The row is found by the cells before its first cell with a
# number; a cell `?` was not measured. A stated number may differ from the measured one by 1 %, or by 16 if that is more, because another
# compiler release changes sizes by a few bytes; a number up to 64 must be exact. If STATICTRAMP_WRITE_SIZES is set, writes the measured
# numbers to the page instead.
use strict;
use warnings;
use Fcntl ':flock';

my ($page, $row) = @ARGV;
my $measured = qr/^(\d+( \+ \d+)?|\?)$/;
sub cells { my ($line) = @_; return map { s/^ +| +$//gr } split /\|/, $line =~ s/^\||\|\s*$//gr }
sub key { my @key; for (@_) { last if /$measured/; push @key, $_ } return join '|', @key }

my @wanted = cells($row);
open my $lock, '<', $page or die "$page: $!";
flock $lock, LOCK_EX; # two parts may write to one page
local @ARGV = ($page);
my @lines = <>;
my ($at, @others) = grep { $lines[$_] =~ /^\|/ && cells($lines[$_]) == @wanted && key(cells($lines[$_])) eq key(@wanted) } 0 .. $#lines;
die "$page has no row for: $row\n" unless defined $at;
die "$page has two rows for: $row\n" if @others;
my @stated = cells($lines[$at]);
my $line = '| ' . join(' | ', map { $wanted[$_] eq '?' ? $stated[$_] : $wanted[$_] } 0 .. $#wanted) . " |\n";
if ($ENV{STATICTRAMP_WRITE_SIZES}) {
    $lines[$at] = $line;
    open my $out, '>', $page or die "$page: $!";
    print $out @lines;
    close $out or die "$page: $!";
    exit;
}
my @found = $lines[$at] =~ /\d+/g;
for my $number ($line =~ /\d+/g) {
    my $stated = shift @found;
    my $tolerance = $number <= 64 ? 0 : $number > 1600 ? $number / 100 : 16;
    die "$page states other numbers: $lines[$at]measured: $line" if !defined $stated || abs($stated - $number) > $tolerance;
}
