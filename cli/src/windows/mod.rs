//! What Windows has in place of Linux's parts of the tool, or why it has not.

pub mod kernel;

/// Processes are read by Linux's `/proc` only.
pub mod dump {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Result<(), Failure> {
        Err(Failure::Unusable("dump is not there on Windows: it reads processes by Linux's /proc".into()))
    }
}

/// Another program under the kernel's rule.
pub mod run {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Failure {
        Failure::Unusable(
            "run is not there on Windows: PR_SET_MDWE is Linux's; the program was not run".into(),
        )
    }
}
