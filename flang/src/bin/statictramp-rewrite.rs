//! `statictramp-rewrite`: what the pass plugin does, to a file of bitcode or textual IR.

use std::process::ExitCode;

const USAGE: &str = "\
usage: statictramp-rewrite [-S] INPUT -o OUTPUT
       INPUT is bitcode or textual IR; OUTPUT is bitcode, with -S textual IR; - is standard input or output.
       STATICTRAMP_ESCAPES=warning|error reports the internal procedures whose addresses outlive their hosts.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if matches!(arguments[..], [ref only] if only == "--help" || only == "-h") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let done = parse(arguments)
        .and_then(|(input, output, as_text)| statictramp_flang::rewrite_file(&input, &output, as_text));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("statictramp-rewrite: {why}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: Vec<String>) -> Result<(String, String, bool), String> {
    let (mut input, mut output, mut as_text) = (None, None, false);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-S" => as_text = true,
            "-o" => output = Some(arguments.next().ok_or("-o is followed by a file")?),
            name if input.is_none() && (name == "-" || !name.starts_with('-')) => input = Some(argument),
            other => return Err(format!("what is \"{other}\"?\n{USAGE}")),
        }
    }
    match (input, output) {
        (Some(input), Some(output)) => Ok((input, output, as_text)),
        _ => Err(format!("an input and an output are needed\n{USAGE}")),
    }
}
