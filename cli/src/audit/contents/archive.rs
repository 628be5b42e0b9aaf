//! Members of an archive of object files, or of a Debian package. Both kinds of archive have the same format.

use super::found::Found;
use super::{Route, one, package};
use crate::audit::files::facts::{Asks, Audited};
use crate::audit::files::machine::Outside;
use crate::audit::input::{Cached, Input};
use crate::shown::shown;
use object::read::archive::ArchiveFile;
use std::cell::Cell;

/// Examines the members of an archive.
pub fn members(
    route: &Route<'_>,
    within: Option<Vec<u8>>,
    input: Input<'_>,
    found: &mut Found,
) -> Result<(), String> {
    let (cache, last) = (input.cached(), Cell::default());
    let data = Cached::new(&cache, &last);
    let incomplete = |error| format!("an incomplete or invalid archive: {error}");
    let archive = ArchiveFile::parse(data).map_err(incomplete)?;
    let (already, firmware) = (found.files.len(), found.firmware);
    let (mut is_deb, mut has_data) = (false, false);
    for (number, member) in archive.members().enumerate() {
        let member = member.map_err(incomplete)?;
        let (start, len) = member.file_range();
        let name = member.name().to_vec();
        let in_place = |why: String| format!("{}: {why}", shown(&name));
        let part = input
            .part(start, len)
            .ok_or("an incomplete archive: a member extends beyond the end of the file")?;
        is_deb |= number == 0 && name == b"debian-binary";
        if is_deb {
            if route.wants.quick {
                found.skip(route.location, super::NOT_QUICK);
                return Ok(());
            }
            if name.starts_with(b"data.tar") {
                has_data = true;
                package::deb_member(route, part, found)?;
            }
            continue;
        }
        let (head, held) = part.head::<16>().map_err(in_place)?;
        let inner_name = match &within {
            Some(outer) => [outer, &b"("[..], &name, b")"].concat(),
            None => name.clone(),
        };
        let inner = Route { depth: route.depth + 1, ..*route };
        match one(&inner, Some(inner_name), head.get(..held).unwrap_or_default(), part, found)
            .map_err(in_place)
        {
            Err(why) if !part.is_spent() => found.broken(route.location, why),
            outcome => drop(outcome?),
        }
    }
    if is_deb && !has_data {
        return Err("a Debian package without a data.tar member".into());
    }
    // If one member is known to be firmware, each member that lacks the note and writes no trampolines is also treated
    // as firmware. Bare-metal toolchains do not write the note, and members written in assembly may lack every other
    // sign of firmware.
    if found.firmware > firmware {
        let is_same = |file: &Audited| file.facts.asks == Asks::SaysNothing && file.facts.writes.is_empty();
        let mut number = 0;
        for file in found.files.iter_mut().skip(already).filter(|file| is_same(file)) {
            number += usize::from(file.facts.outside.is_none());
            file.facts.outside.get_or_insert(Outside::Firmware);
        }
        found.firmware += number;
        if !route.wants.lists_all() {
            let mut index = 0;
            found.files.retain(|file| {
                index += 1;
                index <= already || file.facts.outside.is_none()
            });
        }
    }
    Ok(())
}
