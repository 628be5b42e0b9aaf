# asked_for.pl LEG...: prints each leg that runs a cross compiler's program, or whose parts do, without requesting it.
# The mistake does not show on a machine that has run other legs.
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
        print "$leg runs programs of $1, and does not ask for them\n";
        $failed = 1;
    }
}
exit $failed;
