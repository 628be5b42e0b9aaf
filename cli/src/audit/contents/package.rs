//! Members of packages, examined one after another.

use super::found::Found;
use super::spool::Spool;
use super::{DEEPEST, Route, is_of_interest, misnamed, one};
use crate::audit::input::{Input, may_be_read};
use crate::audit::packages::{self, BLOCK, Kind, Members, Package, clean, read_fully};
use crate::shown::shown;
use std::cell::Cell;
use std::io::{self, Read};

/// Maximum length in bytes of a member to examine.
pub const LONGEST: u64 = 2 << 30;

/// Examines the members of a package.
pub fn members(kind: Kind, route: &Route<'_>, input: Input<'_>, found: &mut Found) -> Result<(), String> {
    let name = route.location.name();
    packages::members(kind, &package(&name, route), input, &mut Examined { route, found })
}

/// Examines a tar archive.
pub fn tar_members(route: &Route<'_>, input: Input<'_>, found: &mut Found) -> Result<(), String> {
    let name = route.location.name();
    packages::tar_members(&package(&name, route), input, &mut Examined { route, found })
}

/// Examines the (usually compressed) archive after a script.
pub fn appended(route: &Route<'_>, input: Input<'_>, found: &mut Found) -> Result<(), String> {
    let name = route.location.name();
    packages::appended(&package(&name, route), input, &mut Examined { route, found })
}

/// Examines a (usually compressed) archive whose bytes can be read only once. `head` contains the first bytes. Returns
/// `None` if the archive is in another format.
pub fn streamed(
    route: &Route<'_>,
    head: &[u8],
    rest: &mut dyn Read,
    found: &mut Found,
) -> Option<Result<(), String>> {
    let name = route.location.name();
    packages::streamed(head, rest, &package(&name, route), &mut Examined { route, found })
}

/// Examines a (usually compressed) tar archive in a Debian package.
pub fn deb_member(route: &Route<'_>, input: Input<'_>, found: &mut Found) -> Result<(), String> {
    let name = route.location.name();
    packages::deb_member(&package(&name, route), input, &mut Examined { route, found })
}

fn package<'p>(name: &'p [u8], route: &Route<'p>) -> Package<'p> {
    Package { name, budget: route.budget }
}

/// A visitor that examines each member of a package and adds it to `found`.
struct Examined<'e, 'w> {
    route: &'e Route<'w>,
    found: &'e mut Found,
}

impl Members for Examined<'_, '_> {
    fn member(&mut self, name: &[u8], mut reader: &mut dyn Read) -> Result<(), String> {
        let (route, found) = (self.route, &mut *self.found);
        route.budget.member()?;
        let location = route.location.within(clean(name));
        if route.wants.excludes(&location.name()) {
            return Ok(());
        }
        let in_member = |error: io::Error| format!("{}: {error}", shown(&location.inner));
        let mut head = [0; BLOCK];
        let held = read_fully(&mut reader, &mut head).map_err(in_member)?;
        let head = head.get(..held).unwrap_or_default();
        found.looked_at += 1;
        let is_sought = is_of_interest(head);
        if !is_sought && (held == 0 || !packages::may_end_with_zip(name)) {
            if let Some(why) = misnamed(name, held) {
                found.skip(&location, why);
            }
            return Ok(());
        }
        if route.depth >= DEEPEST {
            found.skip(&location, "packages are nested too deeply");
            return Ok(());
        }
        let inner = Route { location: &location, depth: route.depth + 1, ..*route };
        if let Some(examined) = streamed(&inner, head, reader, found) {
            if let Err(why) = examined {
                found.broken(&location, why);
            }
            return Ok(());
        }
        let mut spool = Spool::new(head);
        if !spool.fill(&mut reader, LONGEST).map_err(in_member)? {
            found.skip(&location, "it is larger than 2 GiB");
            return Ok(());
        }
        found.looked_at -= 1; // `one` also counts the member
        let len = spool.len();
        let left = Cell::new(may_be_read(len));
        let input = Input::whole(&spool, len, &left);
        match one(&inner, None, head, input, found) {
            Err(why) => found.broken(&location, why),
            Ok(Some(_)) if !is_sought => {
                if let Some(why) = misnamed(name, held) {
                    found.skip(&location, why);
                }
            }
            Ok(_) => {}
        }
        Ok(())
    }

    fn skip(&mut self, name: Option<&[u8]>, why: &'static str) {
        match name {
            Some(name) => self.found.skip(&self.route.location.within(clean(name)), why),
            None => self.found.skip(self.route.location, why),
        }
    }

    fn broken(&mut self, why: String) {
        self.found.broken(self.route.location, why);
    }

    fn may_have_code(&self, head: &[u8]) -> bool {
        is_of_interest(head)
    }
}
