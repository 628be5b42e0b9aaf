#!/usr/bin/perl
# packaging/copyright.pl VENDOR: prints the entries of debian/copyright for each crate below VENDOR, from its own manifest and
# licence files.
# packaging/copyright.pl --linked PACKAGE...: prints the file `copyright` that the install scripts install: the entries of the
# crates, and of Rust's own libraries, that are linked into these packages of the workspace on any target.
#
# If a crate offers a choice of licences, MIT is selected. The exit status is 1 if a crate has a licence that this script does
# not know.
use strict;
use warnings;
use File::Basename;
use JSON::PP;

sub text { my ($file) = @_; local (@ARGV, $/) = ($file); return scalar <> }
# Formats a licence's text: each line begins with a blank, and an empty line is a dot.
sub paragraph { my ($text) = @_; return join '', map { s/\s+$//; s/^\s*$/./; " $_\n" } split /\n/, $text }

# The targets that differ in their dependencies.
my @targets = qw(x86_64-unknown-linux-gnu aarch64-apple-darwin x86_64-pc-windows-gnu x86_64-pc-windows-msvc thumbv6m-none-eabi);
# Returns the directories of the crates that are linked into these packages.
sub linked {
    my @packages = map { ('-p', $_) } @_;
    my $cargo = $ENV{CARGO} // 'cargo';
    my %names;
    for my $target (@targets) {
        open my $tree, '-|', $cargo, qw(tree --locked --quiet --prefix none --no-dedupe --format {p} -e), 'normal,no-proc-macro', @packages, '--target', $target
            or die "copyright.pl: $cargo: $!\n";
        while (<$tree>) { $names{"$1-$2"} = 1 if /^(\S+) v(\S+)(?! \()\s*$/ } # a path follows if the crate is one of ours
        close $tree or die "copyright.pl: cargo tree failed\n";
    }
    my $metadata = decode_json(`$cargo metadata --locked --quiet --format-version 1` || die "copyright.pl: cargo metadata failed\n");
    return map { dirname $_->{manifest_path} } grep { $names{"$_->{name}-$_->{version}"} } @{ $metadata->{packages} };
}

die "copyright.pl: name the directory of the crates\n" unless @ARGV;
my $is_linked = $ARGV[0] eq '--linked' && shift;
my @crates = $is_linked ? linked(@ARGV) : map { dirname $_ } glob "$ARGV[0]/*/Cargo.toml";
my %file_of = ('Unicode-3.0' => 'LICENSE-UNICODE', 'Zlib' => 'LICENSE', 'bzip2-1.0.6' => 'LICENSE'); # the texts of MIT and Apache-2.0 are in debian/copyright
my %texts;
if ($is_linked) {
    my $ours = text(dirname(__FILE__) . '/debian/copyright');
    $ours =~ s/^Comment:.*\n(?: .*\n)*/Comment: The installed files contain code of all projects below.\n/m;
    $ours =~ s{^ On Debian systems.*\n .*}{ The text is in the file LICENSE-APACHE.}m;
    print $ours;
    local $/;
    my ($core, $std, $licences) = split /^==\n/m, <DATA>;
    print "\n", $core, grep({ $_ ne 'statictramp-archive' } @ARGV) ? "\n$std" : ();
    $texts{$1} = $2 while $licences =~ /^(\S+):\n((?: .*\n)+)/gm;
    delete $texts{Zlib} if @ARGV == 1 && $ARGV[0] eq 'statictramp-archive';
}
for my $crate (sort { basename($a) cmp basename($b) } @crates) {
    my ($package) = text("$crate/Cargo.toml") =~ /^\[package\]\n(.*?)(?=^\[|\z)/ms or die "copyright.pl: $crate/Cargo.toml has no package\n";
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
        $holders{$1 =~ s/\s+$//r} = 1 while $text =~ /^\s*(?:Copyright\s+(?:\(c\)|\x{c2}\x{a9}|(?=\d))|(?-i:\(C\)))\s*(.+)$/gim; # "(c)" alone begins a clause of the Apache License
    }
    my ($authors) = $package =~ /^authors = \[(.*?)\]/ms;
    %holders = map { $_ => 1 } ($authors // '') =~ /"(.*?)"/g unless %holders;
    my $name = basename $crate;
    %holders = ("the developers of $name" => 1) unless %holders;
    print "\nFiles: vendor/$name/*\nCopyright: ", join("\n ", sort keys %holders), "\nLicense: ", join(' and ', @taken), "\n";
    print "Comment: The crate says \"$licence\".\n" if $licence ne "@taken";
}
print "\nLicense: $_\n$texts{$_}" for sort keys %texts;
__DATA__
Files: rust/library/core/* rust/library/alloc/*
Copyright: The Rust Project Developers (see https://thanks.rust-lang.org)
License: MIT or Apache-2.0

Files: rust/library/core/src/unicode/unicode_data.rs
Copyright: 1991-2024 Unicode, Inc.
License: Unicode-3.0

Files: rust/library/compiler-builtins/*
Copyright: The Rust Project Developers (see https://thanks.rust-lang.org)
 2009-2019 the contributors to LLVM's compiler-rt
 2005-2020 Rich Felker, et al.
 2018 Jorge Aparicio
License: MIT and Apache-2.0-with-LLVM-exception
==
Files: rust/library/*
Copyright: The Rust Project Developers (see https://thanks.rust-lang.org)
 2014 Alex Crichton (backtrace, cfg-if, rustc-demangle)
 2015 the developers of gimli
 2016 Amanieu d'Antras (hashbrown)
 2019 The Crossbeam Project Developers (std::sync::mpmc)
 Andrew Gallant (memchr)
 Frommi, oyvindln and Jonas Schievink (miniz_oxide, adler2)
License: MIT or Apache-2.0
Comment: The standard library with the crates that it contains. Each Rust
 toolchain has a list of its own in share/doc/rust/COPYRIGHT-library.html.

Files: foldhash/*
Copyright: 2024 Orson Peters
License: Zlib
==
Apache-2.0-with-LLVM-exception:
 The text of the Apache License, version 2.0, is in the file LICENSE-APACHE.
 .
 As an exception, if, as a result of your compiling your source code, portions
 of this Software are embedded into an Object form of such source code, you
 may redistribute such embedded portions in such Object form without complying
 with the conditions of Sections 4(a), 4(b) and 4(d) of the License.
 .
 In addition, if you combine or link compiled forms of this Software with
 software that is licensed under the GPLv2 ("Combined Software") and if a
 court of competent jurisdiction determines that the patent provision (Section
 3), the indemnity provision (Section 9) or other Section of the License
 conflicts with the conditions of the GPLv2, you may retroactively and
 prospectively choose to deem waived or otherwise exclude such Section(s) of
 the License, but only in their entirety and only with respect to the Combined
 Software.
Unicode-3.0:
 UNICODE LICENSE V3
 .
 COPYRIGHT AND PERMISSION NOTICE
 .
 Copyright © 1991-2024 Unicode, Inc.
 .
 NOTICE TO USER: Carefully read the following legal agreement. BY
 DOWNLOADING, INSTALLING, COPYING OR OTHERWISE USING DATA FILES, AND/OR
 SOFTWARE, YOU UNEQUIVOCALLY ACCEPT, AND AGREE TO BE BOUND BY, ALL OF THE
 TERMS AND CONDITIONS OF THIS AGREEMENT. IF YOU DO NOT AGREE, DO NOT
 DOWNLOAD, INSTALL, COPY, DISTRIBUTE OR USE THE DATA FILES OR SOFTWARE.
 .
 Permission is hereby granted, free of charge, to any person obtaining a
 copy of data files and any associated documentation (the "Data Files") or
 software and any associated documentation (the "Software") to deal in the
 Data Files or Software without restriction, including without limitation
 the rights to use, copy, modify, merge, publish, distribute, and/or sell
 copies of the Data Files or Software, and to permit persons to whom the
 Data Files or Software are furnished to do so, provided that either (a)
 this copyright and permission notice appear with all copies of the Data
 Files or Software, or (b) this copyright and permission notice appear in
 associated Documentation.
 .
 THE DATA FILES AND SOFTWARE ARE PROVIDED "AS IS", WITHOUT WARRANTY OF ANY
 KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
 MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT OF
 THIRD PARTY RIGHTS.
 .
 IN NO EVENT SHALL THE COPYRIGHT HOLDER OR HOLDERS INCLUDED IN THIS NOTICE
 BE LIABLE FOR ANY CLAIM, OR ANY SPECIAL INDIRECT OR CONSEQUENTIAL DAMAGES,
 OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS,
 WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION,
 ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THE DATA
 FILES OR SOFTWARE.
 .
 Except as contained in this notice, the name of a copyright holder shall
 not be used in advertising or otherwise to promote the sale, use or other
 dealings in these Data Files or Software without prior written
 authorization of the copyright holder.
Zlib:
 This software is provided 'as-is', without any express or implied warranty. In
 no event will the authors be held liable for any damages arising from the use of
 this software.
 .
 Permission is granted to anyone to use this software for any purpose, including
 commercial applications, and to alter it and redistribute it freely, subject to
 the following restrictions:
 .
 1. The origin of this software must not be misrepresented; you must not claim
    that you wrote the original software. If you use this software in a product,
    an acknowledgment in the product documentation would be appreciated but is
    not required.
 .
 2. Altered source versions must be plainly marked as such, and must not be
    misrepresented as being the original software.
 .
 3. This notice may not be removed or altered from any source distribution.
