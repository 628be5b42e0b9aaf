//! `plan DIRECTORY QUICK ALL ARGUMENT...`: finds the legs that `tests/run ARGUMENT...` runs. The directory is the caller's, against which
//! paths are resolved; the current directory is the top of the checkout. QUICK and ALL are lists of legs.
//!
//! The first line of the output is `short` or `full`, the length of the run by default, and `run` (run the legs), `list` (print the legs
//! first) or `print` (only print them). Each further line is the usual minutes of a leg, and the leg. The exit status after an error
//! is 2.

use crate::guards::{Guards, Selection, matches, no_line};
use crate::{Outcome, output, print};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

pub fn run(arguments: &[&str]) -> Outcome {
    let [caller, quick, all, arguments @ ..] = arguments else {
        return Err(crate::usage("DIRECTORY QUICK ALL ARGUMENT..."));
    };
    match plan(Path::new("."), Path::new(caller), quick, all, arguments) {
        Ok(text) => print(&text),
        Err(why) => {
            eprintln!("tests/run: {why}");
            std::process::exit(2);
        }
    }
}

/// A request for legs.
#[derive(Debug, PartialEq)]
enum Mode<'a> {
    Quick,
    All,
    Legs(&'a [&'a str]),
    For(&'a [&'a str]),
    Changed(Option<&'a str>),
}

/// Returns the mode, and whether to run nothing.
fn parse<'a>(arguments: &'a [&'a str]) -> Result<(Mode<'a>, bool), String> {
    let (print_only, arguments) = match arguments {
        ["-n", rest @ ..] => (true, rest),
        all => (false, all),
    };
    let options = |words: &[&str]| match words.iter().find(|it| it.starts_with('-')) {
        Some(word) if ["-n", "--for", "--changed"].contains(word) => Err(format!(
            "{word} must come first, and only once: tests/run [-n] [--for PATH... | --changed [REVISION] | all | LEG[:PART,...]...]"
        )),
        Some(word) => Err(format!(
            "unknown option {word}; the options are -h, -n, --for and --changed. Write ./{word} for a file"
        )),
        None => Ok(()),
    };
    let (["--for" | "--changed", rest @ ..] | rest) = arguments;
    options(rest)?;
    let mode = match arguments {
        [] => Mode::Quick,
        ["--for"] => return Err("--for needs a path".to_owned()),
        ["--for", paths @ ..] => Mode::For(paths),
        ["--changed"] => Mode::Changed(None),
        ["--changed", revision] => Mode::Changed(Some(revision)),
        ["--changed", ..] => return Err("--changed takes at most one revision".to_owned()),
        ["all"] => Mode::All,
        legs if legs.contains(&"all") => {
            return Err("\"all\" means every leg, so it takes no other arguments".to_owned());
        }
        legs if legs.iter().any(|it| it.trim().is_empty()) => {
            return Err("an empty argument names no leg".to_owned());
        }
        legs => Mode::Legs(legs),
    };
    Ok((mode, print_only))
}

/// Returns the command's output.
fn plan(root: &Path, caller: &Path, quick: &str, all: &str, arguments: &[&str]) -> Result<String, String> {
    let (mode, print_only) = parse(arguments)?;
    let guards = Guards::read(root)?;
    let by_files = matches!(mode, Mode::For(_) | Mode::Changed(_));
    let is_short = by_files || mode == Mode::Quick;
    let selection = match mode {
        Mode::Quick => Selection::new(quick, &guards)?,
        Mode::All => Selection::new(all, &guards)?,
        Mode::Legs(legs) => Selection::new(&legs.join("\n"), &guards)?,
        Mode::For(paths) => guarding(&Checkout::new(root, caller)?.files(paths)?, &guards)?,
        Mode::Changed(revision) => guarding(&Checkout::new(root, caller)?.changed(revision)?, &guards)?,
    };
    let list = selection.list(&guards, by_files)?;
    if list.is_empty() {
        return Err("no leg guards these files".to_owned());
    }
    let all: Vec<&str> = all.split_whitespace().collect();
    if let Some((_, leg)) =
        list.iter().find(|(_, leg)| !all.contains(&leg.split(':').next().unwrap_or_default()))
    {
        return Err(format!("\"tests/run all\" omits the leg {leg}"));
    }
    let length = if is_short { "short" } else { "full" };
    let action = if print_only {
        "print"
    } else if by_files {
        "list"
    } else {
        "run"
    };
    let legs: String = list.iter().map(|(minutes, leg)| format!("{minutes:4}  {leg}\n")).collect();
    Ok(format!("{length} {action}\n{legs}"))
}

/// Returns the legs that guard these files. For Rust, they include the lints, which also check the format. A file that no longer exists
/// needs no line in the table, unless the caller has named it.
fn guarding(files: &[Chosen], guards: &Guards) -> Result<Selection, String> {
    let mut selection = Selection::default();
    for Chosen { file, is_named, exists } in files {
        match guards.of(file) {
            Some(legs) => legs.split_whitespace().try_for_each(|leg| selection.add(leg, guards))?,
            None if *is_named || *exists => return Err(no_line(file)),
            None => eprintln!("tests/run: {file} no longer exists, and {}", no_line(file)),
        }
        if file.ends_with(".rs") {
            selection.add("native:lints", guards)?;
        }
    }
    Ok(selection)
}

/// A file to be tested.
struct Chosen {
    /// The path from the top of the checkout.
    file: String,
    is_named: bool,
    exists: bool,
}

/// A checkout, with absolute paths that contain no symbolic link.
struct Checkout {
    root: PathBuf,
    caller: PathBuf,
}

impl Checkout {
    fn new(root: &Path, caller: &Path) -> Result<Checkout, String> {
        let canonical = |path: &Path| path.canonicalize().map_err(|why| format!("{}: {why}", path.display()));
        Ok(Checkout { root: canonical(root)?, caller: canonical(caller)? })
    }

    /// Returns the output of a git command that must succeed.
    fn git(&self, arguments: &[&str]) -> Result<String, String> {
        let root = self.root.display().to_string();
        output("git", &[&["-C", &root], arguments].concat())
    }

    /// Returns the paths that a git command prints, except nested repositories.
    fn paths(&self, arguments: &[&str]) -> Result<Vec<String>, String> {
        let paths = self.git(arguments)?;
        Ok(paths.split('\0').filter(|it| !it.is_empty() && !it.ends_with('/')).map(str::to_owned).collect())
    }

    /// Returns the untracked files that git does not ignore.
    fn new_files(&self) -> Result<Vec<String>, String> {
        self.paths(&["ls-files", "-z", "--others", "--exclude-standard"])
    }

    fn chosen(&self, file: String, is_named: bool) -> Chosen {
        let exists = self.root.join(&file).symlink_metadata().is_ok();
        Chosen { file, is_named, exists }
    }

    /// Returns the files that these arguments name, relative to the caller's directory or else to the top of the checkout. A
    /// directory stands for all files in it.
    fn files(&self, arguments: &[&str]) -> Result<Vec<Chosen>, String> {
        let mut known: BTreeSet<String> = self.paths(&["ls-files", "-z"])?.into_iter().collect();
        // Files that the index no longer contains; in a new repository, there is no HEAD.
        known.extend(self.paths(&["ls-tree", "-r", "-z", "--name-only", "HEAD"]).unwrap_or_default());
        let is_link = |file: &String| self.root.join(file).is_symlink();
        known.extend(self.new_files()?.into_iter().filter(|file| !is_link(file)));
        let mut files = Vec::new();
        for argument in arguments {
            let found = match argument.is_empty() {
                true => Err("an empty argument is not a path".to_owned()),
                false => self
                    .files_at(&resolve(&self.caller, argument), &known)
                    .or_else(|why| self.files_at(&resolve(&self.root, argument), &known).map_err(|_| why)),
            };
            files.extend(found.map_err(|why| format!("{argument:?}: {why}"))?);
        }
        Ok(files)
    }

    /// Returns the known files at or below an absolute path. A tracked link is a file; any other stands for its
    /// target.
    fn files_at(&self, path: &Path, known: &BTreeSet<String>) -> Result<Vec<Chosen>, String> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let inside = |path: &Path| Some(path.strip_prefix(&self.root).ok()?.to_string_lossy().into_owned());
        if let Some(file) = [path, &target].into_iter().filter_map(inside).find(|it| known.contains(it)) {
            return Ok(vec![self.chosen(file, true)]);
        }
        let relative = inside(&target).ok_or("this path is outside the checkout")?;
        let below = if relative.is_empty() { String::new() } else { format!("{relative}/") };
        let is_pattern = relative.contains('*') && !target.exists();
        let is_below = |file: &&String| match is_pattern {
            true => matches(&relative, file),
            false => file.starts_with(&below),
        };
        let found: Vec<Chosen> =
            known.iter().filter(is_below).map(|file| self.chosen(file.clone(), false)).collect();
        match found.is_empty() {
            false => Ok(found),
            true if target.is_dir() => Err("this directory contains no tracked or new file".to_owned()),
            true if target.exists() => Err("git ignores this file".to_owned()),
            true => Err("no such file exists or is tracked".to_owned()),
        }
    }

    /// Returns the files that differ from the revision, by default from the commit at which the branch left main. For a renamed
    /// file, returns both paths.
    fn changed(&self, revision: Option<&str>) -> Result<Vec<Chosen>, String> {
        let commit = |revision: &str| {
            let commit = format!("{revision}^{{commit}}");
            let commit = self.git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]).ok()?;
            commit.lines().last().map(str::to_owned)
        };
        self.git(&["rev-parse", "--git-dir"])?;
        let from = match revision {
            Some(revision) => {
                commit(revision).ok_or_else(|| format!("{revision:?} is not a revision that git knows"))?
            }
            None => {
                let main = ["refs/heads/main", "refs/remotes/origin/main"].into_iter().find_map(commit);
                let main = main
                    .ok_or("there is no branch main or origin/main; name a revision: --changed REVISION")?;
                self.git(&["merge-base", "HEAD", &main]).map_err(|_| {
                    "HEAD and main have no common commit in this repository; name a revision: --changed REVISION"
                })?
            }
        };
        let from = from.trim();
        let mut files = self.paths(&[
            "diff",
            "--name-only",
            "-z",
            "--no-renames",
            "--no-ext-diff",
            "--relative",
            from,
            "--",
        ])?;
        files.extend(self.new_files()?);
        if files.is_empty() {
            return Err(format!("no file differs from {}", revision.unwrap_or(from)));
        }
        Ok(files.into_iter().map(|file| self.chosen(file, false)).collect())
    }
}

/// Makes an argument an absolute path without links, apart from a link that is its last component.
fn resolve(directory: &Path, argument: &str) -> PathBuf {
    let path = directory.join(argument);
    let mut resolved = PathBuf::new();
    let mut components = path.components().peekable();
    while let Some(component) = components.next() {
        match component {
            Component::ParentDir => drop(resolved.pop()),
            other => resolved.push(other),
        }
        if components.peek().is_some()
            && let Ok(real) = resolved.canonicalize()
        {
            resolved = real;
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    /// A repository in a temporary directory, with a table for it.
    struct Repository(PathBuf);

    impl Drop for Repository {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    impl Repository {
        fn new(name: &str) -> Repository {
            let root = std::env::temp_dir().join(format!("statictramp-plan-{}-{name}", std::process::id()));
            let repository = Repository(root);
            let table = "src/old.rs core\nsrc/{processor}.rs cross:{processor}-\nsrc/* core:units tool\n*.md docs\nextra.md long:slow\n\
                         extra/* long:slow\n.* docs\ntests/* docs\n";
            for (file, text) in [
                ("src/lib.rs", ""),
                ("src/old.rs", "a line that git would recognize in a renamed file\n"),
                ("src/s390x.rs", ""),
                ("page.md", ""),
                ("página.md", ""),
                (".gitignore", "ignored\n"),
                ("tests/legs/guards.txt", table),
                ("tests/legs/parts/machines.sh", "    'machine=s390x triple=s390x-unknown-linux-gnu x'\n"),
                ("tests/legs/core.sh", "# Takes: 2 minutes.\n# Parts: units, models.\n"),
                ("tests/legs/native.sh", "# Takes: 3 minutes.\n# Parts: lints.\n"),
                ("tests/legs/docs.sh", "# Takes: 1 minute.\n"),
                (
                    "tests/legs/long.sh",
                    "# Takes: 9 minutes.\n# Parts: fast, slow (only if named in short runs).\n",
                ),
                ("tests/legs/cross.sh", "# Takes: 9 minutes.\n# Targets: tests/legs/parts/machines.sh.\n"),
                ("cli/tests/legs/tool.sh", "# Takes: 4 minutes.\n"),
            ] {
                repository.write(file, text);
            }
            repository.git("init -q -b main .");
            repository.commit();
            repository
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn git(&self, arguments: &str) {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
            let git =
                Command::new("git").current_dir(&self.0).args(identity).args(arguments.split(' ')).status();
            assert!(git.unwrap().success(), "git {arguments}");
        }

        fn commit(&self) {
            self.git("add -A");
            self.git("commit -q -m one");
        }

        /// Returns the legs for these arguments in a directory, or the error.
        fn plan(&self, directory: &str, arguments: &[&str]) -> Result<String, String> {
            let all = "core native docs long cross tool";
            let output = plan(&self.0, &self.0.join(directory), "core docs", all, arguments)?;
            let legs: Vec<&str> =
                output.lines().skip(1).map(|line| line.trim_start().split_once("  ").unwrap().1).collect();
            Ok(legs.join(" "))
        }

        fn selects(&self, directory: &str, arguments: &[&str], legs: &str) {
            assert_eq!(self.plan(directory, arguments).as_deref(), Ok(legs), "{arguments:?}");
        }

        fn rejects(&self, arguments: &[&str], why: &str) {
            match self.plan("", arguments) {
                Err(output) if output.contains(why) => {}
                other => panic!("{arguments:?}: {other:?}, expected an error with {why:?}"),
            }
        }
    }

    const LIB: &str = "core:units native:lints tool";

    #[test]
    fn every_spelling_of_a_path_selects_its_legs() {
        let repository = Repository::new("spelling");
        symlink("src", repository.0.join("link")).unwrap();
        let absolute = repository.0.join("src/lib.rs").display().to_string();
        for path in
            ["src/lib.rs", "./src/lib.rs", "src//lib.rs", "cli/../src/lib.rs", &absolute, "link/lib.rs"]
        {
            repository.selects("", &["--for", path], LIB);
        }
        repository.selects("src", &["--for", "lib.rs"], LIB);
        repository.selects("cli", &["--for", "../src/lib.rs"], LIB);
        repository.selects("cli", &["--for", "src/lib.rs"], LIB);
        let all = "core native:lints tool cross:s390x-";
        for path in ["src", "src/", "link", "link/", "src/*.rs"] {
            repository.selects("", &["--for", path], all);
        }
        repository.selects("src", &["--for", "."], all);
        repository.selects("", &["--for", "página.md", "src/s390x.rs"], "docs native:lints cross:s390x-");
    }

    #[test]
    fn new_and_deleted_files_select_their_legs() {
        let repository = Repository::new("new");
        repository.write("src/new.rs", "");
        repository.write("src/folder/new.rs", "");
        fs::remove_file(repository.0.join("src/s390x.rs")).unwrap();
        repository.git("rm -q src/old.rs");
        for path in ["src/new.rs", "src/folder"] {
            repository.selects("", &["--for", path], LIB);
        }
        repository.selects("", &["--for", "src/old.rs"], "core native:lints");
        repository.selects("", &["--for", "src/s390x.rs"], "native:lints cross:s390x-");
    }

    #[test]
    fn paths_without_files_are_errors() {
        let repository = Repository::new("paths");
        fs::create_dir(repository.0.join("empty")).unwrap();
        repository.write("ignored", "");
        repository.write("unguarded", "");
        symlink("empty", repository.0.join("link")).unwrap();
        for (path, why) in [
            ("src/none.rs", "src/none.rs"),
            ("srcs", "no such file"),
            ("none/*.rs", "no such file"),
            ("empty", "contains no tracked or new file"),
            ("link", "contains no tracked or new file"),
            ("ignored", "git ignores"),
            ("..", "outside the checkout"),
            ("/", "outside the checkout"),
            ("", "an empty argument"),
            ("unguarded", "no line for unguarded"),
        ] {
            repository.rejects(&["--for", "src/lib.rs", path], why);
        }
    }

    #[test]
    fn changed_files_select_their_legs() {
        let repository = Repository::new("changed");
        repository.rejects(&["--changed"], "no file differs");
        repository.git("checkout -q -b work");
        repository.git("mv src/old.rs page2.md");
        repository.commit();
        repository.selects("", &["--changed"], "docs core native:lints"); // the old path's legs, too
        repository.selects("", &["--changed", "main"], "docs core native:lints");
        repository.rejects(&["--changed", "HEAD"], "no file differs");
        repository.write("página.md", "changed");
        repository.selects("", &["--changed", "HEAD"], "docs");
        repository.write("src/new.rs", "");
        repository.write("ignored", "");
        repository.selects("src", &["--changed", "HEAD"], "docs core:units native:lints tool");
        repository.commit();
        repository.git("update-ref refs/remotes/origin/main main");
        repository.git("branch -q -D main");
        repository.selects("", &["--changed"], "docs core native:lints tool");
        repository.git("update-ref -d refs/remotes/origin/main");
        repository.rejects(&["--changed"], "there is no branch main or origin/main");
        repository.rejects(&["--changed", "main"], "not a revision");
        repository.rejects(&["--changed", "HEAD:src"], "not a revision");
        repository.rejects(&["--changed", "--output=src/lib.rs"], "unknown option");
    }

    #[test]
    fn naming_a_leg_and_its_slow_part_selects_all_parts() {
        let repository = Repository::new("long");
        repository.selects("", &["long", "long:slow"], "long:fast,slow");
        repository.selects("", &["long:fast", "long"], "long");
        repository.selects("", &["core:units", "docs", "core:models"], "core:models,units docs");
        repository.selects("", &["core:units", "core"], "core");
        repository.selects("", &[], "core docs");
    }

    #[test]
    fn unknown_parts_are_rejected() {
        let repository = Repository::new("parts");
        repository.selects("", &["cross:s390"], "cross:s390");
        for (leg, why) in [
            ("none", "no leg \"none\""),
            ("core:typo", "no part \"typo\"; its parts are: units, models"),
            ("core:units,", "no part \"\""),
            ("core:", "no part \"\""),
            ("core:unit", "no part \"unit\""),
            ("cross:typo", "no part \"typo\""),
            ("cross:", "no part \"\""),
            ("docs:pages", "has no parts"),
        ] {
            repository.rejects(&["core", leg], why);
        }
    }

    #[test]
    fn misplaced_options_are_errors() {
        assert_eq!(parse(&["-n"]), Ok((Mode::Quick, true)));
        assert_eq!(parse(&["-n", "all"]), Ok((Mode::All, true)));
        assert_eq!(parse(&["-n", "--changed"]), Ok((Mode::Changed(None), true)));
        for (arguments, why) in [
            (&["--for"][..], "needs a path"),
            (&["--for", "a", "-n"], "-n must come first"),
            (&["--for", "a", "--for", "b"], "--for must come first"),
            (&["a", "--changed"], "--changed must come first"),
            (&["-n", "-n"], "-n must come first"),
            (&["--changed", "--for"], "--for must come first"),
            (&["--changed", "a", "b"], "at most one revision"),
            (&["all", "core"], "takes no other arguments"),
            (&[""], "names no leg"),
            (&["core", " \n"], "names no leg"),
            (&["-n", ""], "names no leg"),
            (&["--fro", "a"], "unknown option --fro"),
            (&["--for=a"], "unknown option --for=a"),
        ] {
            assert!(parse(arguments).unwrap_err().contains(why), "{arguments:?}: {:?}", parse(arguments));
        }
    }
}
