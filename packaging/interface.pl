#!/usr/bin/env perl
# packaging/interface.pl LIBRARY HEADER...: prints the interface of the shared library, one item per line: its SONAME, its symbols
# with their versions, and the C declarations of the headers, preprocessed by CC, without comments. Differences in C++, and
# declarations after a #pragma, are marked; enumerations are listed with their size and signedness. A program that was linked with
# one library works with any other library whose interface contains all of these lines. Fails if one of the headers, included
# alone, does not compile as C or C++.
use strict;
use warnings;
no warnings 'portable'; # numbers of more than 32 bits
use Cwd 'abs_path';
use File::Temp 'tempdir';

# run COMMAND...: returns the command's output.
sub run {
    open my $pipe, '-|', @_ or die "$_[0]: $!\n";
    my @lines = <$pipe>;
    close $pipe or die "@_ failed\n";
    return @lines;
}

my ($library, @headers) = @ARGV;
die "usage: packaging/interface.pl LIBRARY HEADER...\n" unless @headers;
my @interface = map { /SONAME.*\[(.*)\]/ ? "soname $1" : () } run('readelf', '-dW', $library);
die "$library has no SONAME\n" unless @interface;
# Whether a symbol is weak, and its section, do not affect programs. Only the shared libraries of one release use private names.
push @interface, sort map { / ([A-Z]) (?!statictramp_private_)(\S+)$/ && $1 ne 'A' ? "symbol $2" : () } run('nm', '-D', '--defined-only', $library);

# The headers include each other by name.
my @cc = (split(' ', $ENV{CC} || 'cc'), map { ('-I', m{(.*)/} ? $1 : '.') } @headers);

# preprocessed HEADER LANGUAGE: returns a hash of the macros that remain defined, and the rest of the header without the headers
# that it includes.
sub preprocessed {
    my ($header, $language) = @_;
    run(@cc, '-fsyntax-only', '-x', $language, $header);
    my (%macros, $rest, $here);
    for (run(@cc, '-dD', '-E', '-x', $language, $header)) {
        if (/^# \d+ "(.*?)"/) {
            $here = $1 eq $header;
        } elsif (!$here) {
        } elsif (/^#undef (\w+)/) {
            delete $macros{$1};
        } elsif (/^#define (\w+)(\(| |$)\s*(.*)/) {
            $macros{$1} = $2 eq '(' ? "$1($3" : "$1 $3";
        } else {
            s/^#(.*)/ #$1 /;
            $rest .= $_;
        }
    }
    return \%macros, $rest;
}

# lines TEXT LANGUAGE: returns one line for each declaration.
sub lines {
    my ($rest, $language) = @_;
    my (@lines, @linkage);
    $rest =~ s/\s+/ /g;
    $rest =~ s/ ?\* ?/ */g;
    $rest =~ s/(?<=[*(]) (?=\*)//g;
    my $braces = qr/(\{(?:[^{}]++|(?1))*\})/;
    while ($rest =~ /\G\s*+(?=\S)/gc) {
        if ($rest =~ /\Gextern "C\+\+" $braces/gc) {
            # These types exist only in C++, and no C declaration uses them.
        } elsif ($rest =~ /\Gextern "C" \{/gc) {
            push @linkage, 'C';
        } elsif ($rest =~ /\G\}/gc) {
            pop @linkage;
        } elsif ($rest =~ /\G(static [^{};]*\))\s*$braces/gc) {
            push @lines, "declared $1"; # the body is compiled into the program
        } elsif ($rest =~ /\Gtypedef enum \w* ?\{([^{}]*)\} (\w+) ?;/gc) {
            # More enumerators may follow the last one in another version.
            my ($next, $of) = (0, $2);
            for (split /,/, $1) {
                s/^\s+|\s+$//g;
                next if $_ eq '';
                my $value = s/ = (-?\w+)$// ? $1 : $next;
                $next = $value =~ /^0/ ? oct $value : $value;
                push @lines, "enumerator $of $_ = " . $next++;
            }
        } elsif ($rest =~ /\G((?:[^{};]++|$braces)*+)(;|$)/gc) {
            my $one = $1 =~ s/\s+$//r;
            my $is_cpp = $language eq 'c++' && !@linkage && $one =~ /\)$/ && $one !~ /^typedef /;
            push @lines, ($is_cpp ? 'declared without extern "C" ' : 'declared ') . $one;
        } else {
            die "what is declared here? " . substr($rest, pos $rest, 60) . "\n";
        }
    }
    return @lines;
}

# enumerations HEADER LINE...: returns the size and the signedness that the compiler gives the enumerations in these lines. An
# additional enumerator may change both.
sub enumerations {
    my ($header, @declared) = @_;
    my (%seen, @lines);
    my @types = grep { !$seen{$_}++ } map { /^enumerator (\w+) / ? $1 : () } @declared;
    my $directory = tempdir(CLEANUP => 1);
    open my $source, '>', "$directory/sizes.c" or die "$directory: $!\n";
    print $source '#include "', abs_path($header), "\"\n";
    print $source "const char bytes_of_$_\[sizeof($_)] = {1}, sign_of_$_\[($_)-1 < 0 ? 1 : 2] = {1};\n" for @types;
    close $source;
    run(@cc, '-c', "$directory/sizes.c", '-o', "$directory/sizes.o");
    my %size = map { /^\S+ (\S+) \S (\w+)$/ ? ($2 => hex $1) : () } run('nm', '-S', "$directory/sizes.o");
    for (@types) {
        my ($bytes, $sign) = @size{"bytes_of_$_", "sign_of_$_"};
        die "nm does not say how large $_ is\n" unless $bytes && $sign;
        push @lines, "enumeration $_ of $bytes bytes, " . ($sign == 1 ? 'signed' : 'unsigned');
    }
    return @lines;
}

for my $header (@headers) {
    my ($macros, $rest) = preprocessed($header, 'c');
    my ($macros_of_cpp, $rest_of_cpp) = preprocessed($header, 'c++');
    my @declared = grep { !/\bstatictramp_\w*_(?!\w)/ } lines($rest, 'c');
    push @interface, enumerations($header, @declared);
    my %is_cpp = map { $_ => 1 } lines($rest_of_cpp, 'c++');
    # The version changes with each release. The include guard, and names that end with an underscore, are not for programs.
    my @macros = map { $_ eq 'STATICTRAMP_VERSION' ? "macro $_" : /_H$|_$/ ? () : "macro $macros->{$_}" . (($macros_of_cpp->{$_} // '') eq $macros->{$_} ? '' : ', not to C++') }
        sort keys %$macros;
    push @interface, @macros, map { $is_cpp{$_} ? $_ : "$_, not to C++" } @declared;
}
print map { s/ +$//r . "\n" } @interface;
