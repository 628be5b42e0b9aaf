#!/usr/bin/perl
# packaging/copyright.pl VENDOR: prints the entries of debian/copyright for each crate below VENDOR, from its own manifest and
# licence files. If a crate offers a choice of licences, it takes MIT. The exit status is 1 if a crate has a licence that this
# script does not know.
use strict;
use warnings;
use File::Basename;

sub text { my ($file) = @_; local (@ARGV, $/) = ($file); return scalar <> }
# Formats a licence's text: each line begins with a blank, and an empty line is a dot.
sub paragraph { my ($text) = @_; return join '', map { s/\s+$//; s/^\s*$/./; " $_\n" } split /\n/, $text }

my $vendor = shift or die "copyright.pl: name the directory of the crates\n";
my %file_of = ('Unicode-3.0' => 'LICENSE-UNICODE', 'Zlib' => 'LICENSE', 'bzip2-1.0.6' => 'LICENSE'); # the texts of MIT and Apache-2.0 are in debian/copyright
my %texts;
for my $manifest (sort glob "$vendor/*/Cargo.toml") {
    my $crate = dirname $manifest;
    my ($package) = text($manifest) =~ /^\[package\]\n(.*?)(?=^\[|\z)/ms or die "copyright.pl: $manifest has no package\n";
    my ($licence) = $package =~ /^license = "(.*)"$/m or die "copyright.pl: $crate names no licence\n";
    my @taken;
    for my $part (split / AND /, $licence) {
        my @choice = split m{ OR |/}, $part =~ s/[()]//gr;
        push @taken, (grep { $_ eq 'MIT' } @choice)[0] // (grep { $file_of{$_} or $_ eq 'Apache-2.0' } @choice)[0]
            // die "copyright.pl: the licence of $crate, $part, is not provided for\n";
    }
    $texts{$_} //= paragraph(text("$crate/$file_of{$_}")) for grep { $file_of{$_} } @taken;
    my %holders;
    for my $file (glob "$crate/{LICENSE,COPYING,license}*") {
        next if $file =~ /apache/i; # its example names no author
        my $text = text($file);
        $holders{$1 =~ s/\s+$//r} = 1 while $text =~ /^\s*(?:Copyright\s+(?:\(c\)|\x{c2}\x{a9}|(?=\d))|\(C\))\s*(.+)$/gim;
    }
    my ($authors) = $package =~ /^authors = \[(.*?)\]/ms;
    %holders = map { $_ => 1 } ($authors // '') =~ /"(.*?)"/g unless %holders;
    my $name = basename $crate;
    %holders = ("the developers of $name" => 1) unless %holders;
    print "\nFiles: vendor/$name/*\nCopyright: ", join("\n ", sort keys %holders), "\nLicense: ", join(' and ', @taken), "\n";
    print "Comment: The crate says \"$licence\".\n" if $licence ne "@taken";
}
print "\nLicense: $_\n$texts{$_}" for sort keys %texts;
