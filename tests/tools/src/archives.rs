//! Commands that check the C library for other targets (`archive.rs`, `bind.rs`):
//!
//! - `bind-uses COMPILER`, `bind-misuses COMPILER`, `bind-calls COMPILER OUT`: uses of `STATICTRAMP_BIND`
//! - `only-ours ARCHIVE [NM [MORE...]]`: its symbols
//! - `own-names OUT ARCHIVE NM RUNNER WORDS COMPILER [EXCEPT]`: a program that defines the names that the archive imports
//! - `same-results OUT PREFIX RUNNER ARCHIVE MADE ROUNDS OPTIONS`: the results of functions in libgcc and libm

use crate::{Outcome, library_calls, print, usage, write};
use test_tools::archive::{Calls, only_ours as check, own_names as run};
use test_tools::{Expect, bind, line};

pub fn bind_uses(arguments: &[&str]) -> Outcome {
    let [compiler] = arguments else { return Err(usage("COMPILER")) };
    bind::uses(compiler);
    Ok(())
}

pub fn bind_misuses(arguments: &[&str]) -> Outcome {
    let [compiler] = arguments else { return Err(usage("COMPILER")) };
    bind::misuses(compiler);
    Ok(())
}

pub fn bind_calls(arguments: &[&str]) -> Outcome {
    let [compiler, out] = arguments else { return Err(usage("COMPILER OUT")) };
    bind::calls_no_memcpy(compiler, out);
    Ok(())
}

pub fn only_ours(arguments: &[&str]) -> Outcome {
    let [archive, rest @ ..] = arguments else { return Err(usage("ARCHIVE [NM [MORE...]]")) };
    let (nm, more) = rest.split_first().unwrap_or((&"nm", &[]));
    print(&format!("{}\n", check(archive, nm, more)?))
}

pub fn own_names(arguments: &[&str]) -> Outcome {
    let [out, archive, nm, runner, words, compiler, except @ ..] = arguments else {
        return Err(usage("OUT ARCHIVE NM RUNNER WORDS COMPILER [EXCEPT]"));
    };
    run(out, archive, nm, runner, words, except.first().copied(), compiler);
    Ok(())
}

pub fn same_results(arguments: &[&str]) -> Outcome {
    let [out, prefix, runner, archive, made, rounds, options] = arguments else {
        return Err(usage("OUT PREFIX RUNNER ARCHIVE MADE ROUNDS OPTIONS"));
    };
    let rounds = rounds.parse().map_err(|_| usage("a number of rounds"))?;
    let calls = Calls { out, runner, rounds };
    calls.names_of_both(made, prefix);
    let program = library_calls::program(&format!("{out}/libgcc"), &format!("{out}/libm"))?;
    write(&format!("{out}/calls.c"), program.as_bytes())?;
    line!("{prefix}gcc -O1 {options} -fno-builtin -c {out}/calls.c -o {out}/calls.o").passes();
    let (compiler, object) = (format!("{prefix}gcc -static"), format!("{out}/calls.o"));
    let wanted = calls.same(archive, prefix, &compiler, &object, "-lm");
    calls.other(made, &compiler, &object, "-lm", &wanted);
    Ok(())
}
