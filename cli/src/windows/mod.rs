//! Windows counterparts of the Linux code, and messages that explain why some commands have no counterpart.

pub mod kernel;

/// Reports that processes can be read only through Linux's `/proc`.
pub mod dump {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Result<(), Failure> {
        Err(Failure::Unusable(
            "dump is not available on Windows: it reads processes through Linux's /proc".into(),
        ))
    }
}

/// Reports that programs can be run under the kernel's restriction only on Linux.
pub mod run {
    use crate::out::Failure;
    use clap::ArgMatches;

    pub fn run(_: &ArgMatches) -> Failure {
        Failure::Unusable(
            "run is not available on Windows, because PR_SET_MDWE exists only on Linux; the program was not run".into(),
        )
    }
}
