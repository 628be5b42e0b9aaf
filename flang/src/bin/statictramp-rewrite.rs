//! `statictramp-rewrite`: applies the pass to a file of bitcode or textual IR, without a compiler.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "\
usage: statictramp-rewrite [-S] INPUT -o OUTPUT
       INPUT is bitcode or textual IR; OUTPUT is bitcode, with -S textual IR; - is standard input or output.
       STATICTRAMP_ESCAPES=warning|error reports the internal procedures whose addresses outlive their hosts.
       STATICTRAMP_KEEPS_NOT=FILE lists procedures that do not keep what they are given: a line is NAME, all data arguments;
       NAME 1 3, data arguments by number; or NAME procedures, for the report.
       STATICTRAMP_TELL_OPTIMIZER=on adds what is known of data arguments to calls.";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let done = if matches!(&arguments[..], [only] if only == "--help" || only == "-h") {
        writeln!(std::io::stdout(), "{USAGE}")
            .map_err(|why| format!("cannot write to standard output: {why}"))
    } else {
        parse(arguments)
            .and_then(|(input, output, as_text)| statictramp_flang::rewrite_file(&input, &output, as_text))
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // If writing to standard error fails, the exit status still reports the failure.
            let _ = writeln!(std::io::stderr(), "statictramp-rewrite: {why}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: Vec<OsString>) -> Result<(OsString, OsString, bool), String> {
    let (mut input, mut output, mut as_text) = (None, None, false);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let is_file = argument == "-" || !argument.as_encoded_bytes().starts_with(b"-");
        if argument == "-S" {
            as_text = true;
        } else if argument == "-o" {
            output = Some(arguments.next().ok_or("-o must be followed by a file name")?);
        } else if input.is_none() && is_file {
            input = Some(argument);
        } else {
            return Err(format!("unknown argument: \"{}\"\n{USAGE}", argument.to_string_lossy()));
        }
    }
    match (input, output) {
        (Some(input), Some(output)) => Ok((input, output, as_text)),
        _ => Err(format!("an input file and an output file are required\n{USAGE}")),
    }
}
