//! Standard input, which can be read only once. The members of a tar archive are examined while it is read.

use super::found::Found;
use super::package::{LONGEST, streamed};
use super::spool::Spool;
use super::{NO_CODE, Route, is_of_interest, one};
use crate::audit::files::location::{Location, STANDARD_INPUT};
use crate::audit::files::wants::Wants;
use crate::audit::input::{Input, may_be_read};
use crate::audit::packages::{BLOCK, Budget, Source, read_fully};
use std::cell::Cell;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// Maximum number of bytes read past the end of an archive. They are read so that the program writing the archive does
/// not fail. Archives are padded to a multiple of 10 KiB.
const PADDING: u64 = 1 << 20;

/// Audits standard input.
pub fn standard_input(wants: &Wants) -> Found {
    let location = Location::of(Path::new(STANDARD_INPUT));
    let mut found = Found::default();
    let input = io::stdin();
    if input.is_terminal() {
        found.broken(&location, "standard input is a terminal".into());
    } else if let Err(why) = read(&mut input.lock(), &location, wants, &mut found) {
        found.broken(&location, why);
    }
    found
}

fn read(inner: &mut dyn Read, location: &Location, wants: &Wants, found: &mut Found) -> Result<(), String> {
    let as_text = |error: io::Error| error.to_string();
    let budget = Budget::of(0);
    let mut source = Source::new(inner, &budget);
    let route = Route { location, depth: 0, budget: &budget, wants };
    let mut head = [0; BLOCK];
    let held = read_fully(&mut source, &mut head).map_err(as_text)?;
    let head = head.get(..held).unwrap_or_default();
    found.looked_at += 1;
    if !is_of_interest(head) {
        found.no_code = Some(NO_CODE);
        return Ok(());
    }
    if !wants.quick
        && let Some(examined) = streamed(&route, head, &mut source, found)
    {
        examined?;
        io::copy(&mut source.take(PADDING), &mut io::sink()).map_err(as_text)?;
        return Ok(());
    }
    found.looked_at -= 1; // `one` also counts the file
    let mut spool = Spool::new(head);
    if !spool.fill(&mut source, LONGEST).map_err(as_text)? {
        return Err("it is larger than 2 GiB and is not an archive that can be read from a pipe".into());
    }
    let len = spool.len();
    let left = Cell::new(may_be_read(len));
    found.no_code = one(&route, None, head, Input::whole(&spool, len, &left), found)?;
    found.no_code = found.no_code.filter(|_| found.files.is_empty() && found.broken.is_empty());
    Ok(())
}
