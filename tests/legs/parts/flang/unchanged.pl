# unchanged.pl BEFORE AFTER: compares a module's textual IR before and after rewriting. Only the trampolines' own instructions and
# the hosts' tuples may have disappeared, and only their replacements may be new; all other lines, including debug locations, must
# be the same and in the same order.
use strict;
use warnings;

sub lines {
    my ($path) = @_;
    open(my $file, '<', $path) or die "$path: $!\n";
    my @lines = <$file>;
    my (%location, %attributes);
    for (@lines) {
        $location{$1} = "line $2 column $3" if /^(!\d+) = !DILocation\(line: (\d+)(?:, column: (\d+))?/ && defined $3;
        $attributes{$1} = $2 if /^attributes (#\d+) = (.*)/;
    }
    my (@kept, $helper);
    for (@lines) {
        next if /^(?:!|attributes|;|source_filename|\s*$)/;
        # The helper functions that are linked in, each up to its closing brace.
        $helper = 1 if /^define linkonce_odr hidden .*\@statictramp\./;
        if ($helper) { $helper = 0 if /^\}/; next }
        s/!dbg (!\d+)/'!dbg ' . ($location{$1} \/\/ '!')/ge; # metadata, attributes and values are renumbered
        s/!\d+/!/g;
        s/ (#\d+)(?= \{| !dbg|$)/' ' . ($attributes{$1} \/\/ $1)/ge;
        s/%\d+\b/%/g;
        s/^\d+:.*/label/;
        s/; preds.*//;
        push @kept, $_;
    }
    return @kept;
}

my $gone = qr/llvm\.(?:init|adjust)\.trampoline|= alloca \{/;
my $new = qr/statictramp|_FortranA(?:Init|Adjust|Free)Trampoline|getelementptr i8, ptr %|store ptr (?:null|%), ptr %|= load ptr, ptr %|alloca <\{/;

my @files = map { "$_.lines" } @ARGV;
for my $which (0, 1) {
    open(my $file, '>', $files[$which]) or die "$files[$which]: $!\n";
    print $file lines($ARGV[$which]);
}
my ($same, $bad) = (0, 0);
open(my $diff, '-|', 'diff', '--minimal', '--old-line-format=<%L', '--new-line-format=>%L', '--unchanged-line-format==%L', @files)
    or die "diff: $!\n";
while (<$diff>) {
    if (/^=/) { $same++ }
    elsif (/^</ ? !/$gone/ : !/$new/) { print; $bad = 1 }
}
die "$ARGV[0]: other code has changed\n" if $bad;
print "$same\n";
