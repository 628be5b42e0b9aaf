//! `mutant FROM TO LINE`: writes the file that a line of `tests/proofs/mutants.txt` changes into the copy TO of the sources FROM, with
//! this change, and prints the file's path and which tests must fail. A line is `FILE | TEXT | REPLACEMENT | KIND`, in which `\|` is a
//! bar and `\n` a line feed.

use crate::{Outcome, print, read, regex, usage, write};

pub fn run(arguments: &[&str]) -> Outcome {
    let [from, to, line] = arguments else { return Err(usage("FROM TO LINE")) };
    let bar = regex(r"([^\\])\|");
    let line = format!(" {line} ");
    let line = bar.replace_all(&line, "$1\0");
    let parts: Vec<&str> = line
        .split('\0')
        .map(|it| it.strip_prefix(' ').unwrap_or(it))
        .map(|it| it.strip_suffix(' ').unwrap_or(it))
        .collect();
    let [file, old, new, kind] = parts[..] else {
        return Err(format!("this line does not have four parts: {line}"));
    };
    let plain = |text: &str| text.replace(r"\|", "|").replace(r"\n", "\n");
    let old = plain(old);
    let text = read(&format!("{from}/{file}"))?;
    match text.matches(&old).count() {
        1 => write(&format!("{to}/{file}"), text.replace(&old, &plain(new)).as_bytes())?,
        count => {
            return Err(format!(
                "tests/proofs/mutants.txt: \"{old}\" occurs {count} times in {file}, not once"
            ));
        }
    }
    print(&format!("{file} {kind}\n"))
}
