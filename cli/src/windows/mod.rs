//! Windows counterparts of the parts for Linux, or reasons why there are none.

pub mod kernel;

/// Processes can be read only through Linux's `/proc`.
pub mod dump {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Result<(), Failure> {
        Err(Failure::Unusable(
            "dump is not available on Windows: it reads processes through Linux's /proc".into(),
        ))
    }
}

/// Running another program under the kernel's restriction.
pub mod run {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Failure {
        Failure::Unusable(
            "run is not available on Windows: PR_SET_MDWE belongs to Linux; the program was not run".into(),
        )
    }
}
