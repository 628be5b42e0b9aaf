//! Projects whose assembly source files lacked the stack note, recognised by a section or a symbol.

/// A project that contributed code to a file.
#[derive(PartialEq, Eq, Debug)]
pub struct Origin {
    sections: &'static [&'static [u8]],
    symbols: &'static [&'static [u8]],
    pub project: &'static str,
    /// The source files that lacked the note, and the version that added it.
    pub files: &'static str,
    pub fixed: &'static str,
    pub page: &'static str,
}

const ALL: [Origin; 2] = [
    Origin {
        sections: &[b".itt_notify_tab"],
        symbols: &[b"__itt_pt_mark", b"__itt_pt_write", b"__itt_pt_event"],
        project: "Intel's ittapi",
        files: "ittptmark64.S",
        fixed: "version 3.25.5",
        page: "https://github.com/intel/ittapi",
    },
    Origin {
        sections: &[],
        symbols: &[b"blasfeo_create_dmat", b"blasfeo_dgemm_nn", b"blasfeo_memsize_dmat"],
        project: "BLASFEO",
        files: "kernel_align_x64.S, kernel_dgemv_8_lib8.S and others",
        fixed: "May 2026",
        page: "https://github.com/giaf/blasfeo",
    },
];

/// Returns the project identified by a section's name.
pub fn of_section(name: &[u8]) -> Option<&'static Origin> {
    ALL.iter().find(|it| it.sections.contains(&name))
}

/// Returns the project identified by a symbol's name.
pub fn of_symbol(name: &[u8]) -> Option<&'static Origin> {
    ALL.iter().find(|it| it.symbols.contains(&name))
}
