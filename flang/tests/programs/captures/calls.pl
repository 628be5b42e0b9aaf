#!/usr/bin/perl
# Generates a program in which several calls of the same procedures share a line, a position or a file name.
#
# calls.pl SEED DIRECTORY [COUNT]: writes caller.F90, which includes part_1.inc and so on, and main.f90. The procedures in
# calls_library.f90 keep the addresses of the TARGETs that are passed to them. `bump` changes all variables whose addresses are
# kept, so a promise about a TARGET loses an addition. The calls in an included file have the line and the column of calls in
# caller.F90.
use strict;
use warnings;

my ($seed, $directory, $count) = (@ARGV, 6);
srand $seed;
my (@variables, $label);

# A variable that has not been passed before, and whether it is a TARGET. Each is a variable of its own, because a promise about
# a part of a variable whose address is already kept has no effect.
sub variable {
    my $is_target = rand() < 0.5;
    my $name = ($is_target ? 't' : 'p') . @variables;
    $name .= '%part' if rand() < 0.3;
    push @variables, $name;
    return ($name, $is_target ? '.true.' : '.false.');
}

sub call { my ($name, $is_target) = variable(); return "call keep($name, $is_target)" }
sub value { my ($name, $is_target) = variable(); return "held($name, $is_target)" }
sub several { my ($one, $most) = @_; return map { $one->() } 1 .. 1 + int rand $most }

sub statement {
    my $kind = int rand 7;
    return '  ' . join('; ', several(\&call, 4)) if $kind < 2;
    return '  s = s + ' . join(' + ', several(\&value, 4)) if $kind < 4;
    if ($kind == 4) {
        my ($one, $is_one, $two, $is_two) = (variable(), variable());
        return "  TWO($one, $is_one, $two, $is_two)";
    }
    if ($kind == 5) {
        my ($name, $is_target) = variable();
        $label++;
        return "  call turned($name, *$label, $is_target)\n$label continue";
    }
    return "  if (n > 3) then\n    " . call() . "\n  else\n    " . call() . "\n  end if";
}

# Lines that lose an addition if one of the variables is wrongly promised not to be kept.
sub check { return ((map { "  $_ = 5" } @_), '  call bump()', map { "  s = 1.01 * s + $_" } @_) }

my $source = "#define TWO(a, b, c, d) call keep(a, b); call keep(c, d)\n";
for my $number (1 .. $count) {
    (@variables, $label) = ();
    $label = 100;
    my @body;
    for (1 .. 3 + int rand 4) {
        my $before = @variables;
        push @body, '#line 20 "caller.F90"' if rand() < 0.2;
        push @body, statement();
        push @body, check(@variables[$before .. $#variables]);
    }
    my $before = @variables;
    my $included = join "\n", map { '  ' . call() } 1 .. 3;
    push @body, "  include 'part_$number.inc'", check(@variables[$before .. $#variables]);
    my $head = "subroutine work_$number(n, s)\n  use calls_types\n  integer n\n  real s\n  real, external :: held\n";
    for my $name (@variables) {
        my ($variable, $part) = split /%/, $name;
        $head .= '  ' . ($part ? 'type(whole)' : 'real') . ($variable =~ /^t/ ? ', target' : '') . " :: $variable\n";
    }
    $head .= join '', map { "  $_ = 0\n" } @variables;
    # The included calls have the lines and the columns of calls in this file.
    my $lines = () = "$source$head" =~ /\n/g;
    open my $part, '>', "$directory/part_$number.inc" or die;
    print $part "\n" x ($lines + int rand 8), "$included\n";
    $source .= "$head" . join("\n", @body) . "\n  call forget()\nend subroutine\n\n";
}
open my $caller, '>', "$directory/caller.F90" or die;
print $caller $source;
open my $main, '>', "$directory/main.f90" or die;
print $main "program main\n  real s\n";
print $main "  s = 0\n  call work_$_($_, s)\n  print '(f24.4)', s\n" for 1 .. $count;
print $main "end program\n";
