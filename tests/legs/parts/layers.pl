#!/usr/bin/perl
# The layers of the core: layers.pl DIRECTORY prints each import from a layer that is not lower, and exits with 1 if any
# exists. A room is a file or folder directly in DIRECTORY (src/), except the tests and the guide. A room may contain a module
# of the tests.
#
# An import is a path that begins with `crate::` or `$crate::`, or with enough `super::` to reach the root. Only
# exported macros and re-exports are named by the root alone: code of the core names the room that defines them.
use strict;
use warnings;

my @layers = (
    [qw(arch sync)],
    [qw(os)],
    [qw(message)],
    [qw(pool)],
    [qw(table diagnosis)],
    [qw(trampoline)],
    [qw(closure for_capi)],
    [qw(lib)],
);
my %layer;
for my $height (0 .. $#layers) { $layer{$_} = $height + 1 for @{ $layers[$height] } }

my $src = shift // 'src';
my @wrong;
my $imports = 0;

for my $file (sort split /\n/, `find '$src' -name '*.rs'`) {
    my $path = substr $file, length($src) + 1;
    my ($room) = $path =~ m{^([^/.]+)};
    next if $room eq 'tests' || $room eq 'guide';
    push @wrong, "$path: \"$room\" is in no layer" and next unless $layer{$room};
    my $depth = () = $path =~ m{/}g; # of the module: a file adds one, mod.rs does not
    $depth++ unless $path =~ m{(^|/)mod\.rs$} || $path eq 'lib.rs';

    open my $in, '<', $file or die "$file: $!\n";
    my $text = join '', map { s{^\s*//.*|\s//\s.*}{}r } <$in>;
    my @inline; # indentation of the inline modules that enclose a line
    my $number = 0;
    my $import = sub {
        my ($name, $by) = @_;
        $imports++;
        return if $name eq $room;
        if (!$layer{$name}) {
            push @wrong, "$path:$number: `$by` names the root, not the room that defines it" unless $by =~ /^\$/;
        } elsif ($layer{$name} >= $layer{$room}) {
            push @wrong, "$path:$number: `$by`, of layer $layer{$name}, in layer $layer{$room}";
        }
    };
    for my $line (split /\n/, $text) {
        $number++;
        pop @inline if @inline && $line =~ /^$inline[-1]\}/;
        push @wrong, "$path:$number: a module of another folder, $1" if $line =~ m{\bpath\s*=\s*"(\.\.(?!/tests/)[^"]*)"};
        while ($line =~ /((\$?)crate::(\w+))/g) { $import->($3, $1) }
        while ($line =~ /((?:super::)+)(\w+)/g) {
            my ($by, $name, $steps) = ("$1$2", $2, length($1) / length('super::'));
            $import->($name, $by) if $steps >= $depth + @inline;
        }
        push @inline, $1 if $line =~ /^(\s*)(?:pub(?:\([a-z]+\))? )?mod \w+ \{$/;
    }
    while ($text =~ /\bcrate::\{(.*?)\};/sg) {
        my $names = $1;
        1 while $names =~ s/::\{[^{}]*\}//g;
        $import->($_, "crate::{$_}") for $names =~ /(?:^|,)\s*(\w+)/g;
    }
}
print "$_\n" for @wrong;
die "layers.pl: no import was seen in $src\n" unless $imports > 50;
printf "%d imports between %d rooms on %d layers, all of them downwards\n", $imports, scalar keys %layer, scalar @layers unless @wrong;
exit(@wrong ? 1 : 0);
