//! Windows counterparts of the tool's Linux parts, or reasons why there are none.

pub mod kernel;

/// Processes can be read only through Linux's `/proc`.
pub mod dump {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Result<(), Failure> {
        Err(Failure::Unusable("dump is not there on Windows: it reads processes by Linux's /proc".into()))
    }
}

/// Running another program under the kernel's restriction.
pub mod run {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Failure {
        Failure::Unusable(
            "run is not there on Windows: PR_SET_MDWE is Linux's; the program was not run".into(),
        )
    }
}
