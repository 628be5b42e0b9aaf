# asked_for.pl LEG...: prints each leg that, itself or in its parts, runs the programs of a cross compiler without requesting that
# compiler. This error is not noticed on a machine on which other legs have run.
use strict;
use warnings;

sub text {
    my ($file, $seen) = @_;
    return '' if $seen->{$file}++ || !-e $file;
    open my $in, '<', $file or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    return $text . join '', map { text($_, $seen) } $text =~ m{tests/legs/parts/[\w/]+\.sh}g;
}

my $tools = qr/as|ld|ar|nm|gcc|g\+\+|objcopy|objdump|readelf|strip|dlltool/;
my $failed = 0;
for my $leg (@ARGV) {
    my $text = text($leg, {});
    my ($asked, %reported) = '';
    $text =~ s/^\s*#.*$//mg;
    $text =~ s/^ *(need(?:_sid)? (?:.*\\\n)*.*)$/$asked .= $1, ''/mge;
    while ($text =~ /\b(\w{3,}-(?:linux-gnu\w*|w64-mingw32|none-eabi|unknown-elf))-$tools\b/g) {
        next if $asked =~ /\Q$1\E-/ || $reported{$1}++;
        print "$leg runs programs of $1, but does not request them\n";
        $failed = 1;
    }
}
exit $failed;
