# Prints the items of a crate that a safe caller can reach, from rustdoc's JSON with hidden items: one line for each
# function, method, type, trait, constant and macro with its path, and one for each type's Send and Sync status: by an
# unsafe impl, by its parts, or not implemented. `unsafe` follows items that only unsafe code can call or implement.
# Writes the types that have parameters, which may therefore borrow, to the file that the argument names.
use strict;
use warnings;
use JSON::PP;

local $/;
my $all = decode_json(<STDIN>);
my $index = $all->{index};
my (%lines, %seen, %generic);

# safety of a function: from its header.
sub add {
    my ($path, $is_unsafe) = @_;
    $lines{$path . ($is_unsafe ? ' unsafe' : '')} = 1;
}

sub kind { (keys %{ $_[0]{inner} })[0] }

sub inherent {
    my ($item, $path) = @_;
    my ($data) = values %{ $item->{inner} };
    my %auto = (Send => 0, Sync => 0);
    for my $id (@{ $data->{impls} // [] }) {
        my $impl = $index->{$id} or next;
        my $of = $impl->{inner}{impl};
        if (!$of->{trait}) {
            for my $member (map { $index->{$_} } @{ $of->{items} }) {
                next if !$member || $member->{visibility} ne 'public';
                my $function = $member->{inner}{function};
                add("$path\::$member->{name}", $function && $function->{header}{is_unsafe});
            }
        } elsif (!$of->{blanket_impl} && $of->{trait}{path} =~ /^(Send|Sync)$/) {
            # By an unsafe impl, or because all its parts are, perhaps conditionally; or not at all.
            $auto{$1} = $of->{is_synthetic} ? ($of->{is_negative} ? 'no' : 'auto') : 'impl';
        }
    }
    add("$path: Send $auto{Send}, Sync $auto{Sync}", 0);
}

sub walk {
    my ($id, $path) = @_;
    my $item = $index->{$id} or return;
    my $kind = kind($item);
    my $data = $item->{inner}{$kind};
    if ($kind eq 'use') {
        return if $item->{visibility} ne 'public' || !defined $data->{id};
        my $to = $index->{ $data->{id} } or return;
        return $data->{is_glob} ? map { walk($_, $path) } @{ $to->{inner}{module}{items} } : named($to, "$path$data->{name}");
    }
    return if ref $item->{visibility} || $item->{visibility} ne 'public';
    named($item, "$path$item->{name}");
}

sub named {
    my ($item, $path) = @_;
    return if $seen{"$item->{id} $path"}++;
    my $kind = kind($item);
    my $data = $item->{inner}{$kind};
    if ($kind eq 'module') { walk($_, "$path\::") for @{ $data->{items} } }
    elsif ($kind eq 'function') { add($path, $data->{header}{is_unsafe}) }
    elsif ($kind eq 'trait') {
        add($path, $data->{is_unsafe});
        for my $member (map { $index->{$_} } @{ $data->{items} }) {
            my $function = $member->{inner}{function} or next;
            add("$path\::$member->{name}", $function->{header}{is_unsafe});
        }
    }
    elsif ($kind =~ /^(struct|enum|union)$/) {
        add($path, 0);
        inherent($item, $path);
        $generic{$path} = 1 if @{ $data->{generics}{params} };
    }
    else { add($path, 0) }
}

walk($_, '') for @{ $index->{ $all->{root} }{inner}{module}{items} };
print "$_\n" for sort keys %lines;
open my $out, '>', $ARGV[0] or die "$ARGV[0]: $!\n";
print $out "$_\n" for sort keys %generic;
