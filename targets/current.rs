//! The target that cargo builds for, as a build script sees it.

extern crate std;

use crate::{HOSTED, PORTABLE, Row, Slots, TARGETS};
use std::string::String;
use std::{env, format, println};

/// The target that cargo builds for.
#[derive(Debug)]
pub struct Target {
    /// The target's name, such as `x86_64-unknown-linux-gnu`.
    pub name: String,
    /// The processor (`target_arch`).
    pub arch: String,
    /// The operating system (`target_os`).
    pub os: String,
    /// The C library (`target_env`).
    pub env: String,
    /// The size of a pointer in bits.
    pub bits: u32,
    /// The target's row, if it has stubs. The build may nevertheless have no stubs (`has_stubs`).
    pub row: Option<&'static Row>,
    /// Whether this is a build for loom's models.
    pub is_loom: bool,
    /// Whether the target has no stubs, or the build was configured without them, so that compiler-generated functions
    /// replace them.
    pub is_portable: bool,
    /// Whether the build has no stubs because the linker cannot place them.
    pub is_rejected_by_linker: bool,
}

impl Target {
    /// Reads the target and the choice of STATICTRAMP_ASM from the variables that cargo sets for a build script.
    #[must_use]
    pub fn from_env() -> Self {
        println!("cargo:rerun-if-env-changed=STATICTRAMP_ASM");
        let (name, arch, os, env) = (
            get("TARGET"),
            get("CARGO_CFG_TARGET_ARCH"),
            get("CARGO_CFG_TARGET_OS"),
            get("CARGO_CFG_TARGET_ENV"),
        );
        let (endian, abi) = (get("CARGO_CFG_TARGET_ENDIAN"), get("CARGO_CFG_TARGET_ABI"));
        let bits = get("CARGO_CFG_TARGET_POINTER_WIDTH").parse().unwrap_or(64);
        let row = TARGETS.iter().find(|row| {
            (row.isa.arch, row.isa.bits, row.isa.endian, row.os) == (&*arch, bits, &*endian, &*os)
                && row.env.contains(&&*env)
                && (row.names.is_empty() || row.names.iter().any(|start| name.starts_with(start)))
                && !abi.ends_with("32e") // RISC-V with only 16 registers, because an adapter may need more
                && abi != "spe" // PowerPC with SPE, which passes floating-point numbers in other registers
        });
        let is_loom = env::var_os("CARGO_CFG_LOOM").is_some();
        let chosen = get("STATICTRAMP_ASM");
        let chosen = chosen.trim();
        let is_portable = !is_loom && (row.is_none() || chosen == "none");
        Self { name, arch, os, env, bits, row, is_loom, is_portable, is_rejected_by_linker: false }
    }

    /// Returns whether this build has stubs.
    #[must_use]
    pub fn has_stubs(&self) -> bool {
        !self.is_loom && !self.is_portable
    }

    /// Returns the reason why this build has no stubs, and the remedy, for messages that begin with "X needs stubs, and".
    #[must_use]
    pub fn missing_stubs(&self) -> Option<String> {
        if !self.is_portable {
            return None;
        }
        Some(match self.row {
            None => format!(
                "this build for the target {} has none; docs/targets.md lists the targets with stubs",
                self.name
            ),
            Some(_) if self.is_rejected_by_linker => format!(
                "this build for the target {} has none, because the linker cannot place them; use another linker",
                self.name
            ),
            Some(_) => format!(
                "this build for the target {} has none, because STATICTRAMP_ASM is none; remove the variable, or set it to \
                 rust or cc",
                self.name
            ),
        })
    }

    /// Returns whether the target uses the pool that takes little memory (`src/pool/bare.rs`).
    #[must_use]
    pub fn is_compact(&self) -> bool {
        (self.os == "none" || self.is_portable) && !self.is_loom
    }

    /// Returns whether the target's row lists a family.
    #[must_use]
    pub fn is(&self, family: &str) -> bool {
        self.row.is_some_and(|row| row.isa.families.contains(&family))
    }

    /// Returns the number of slots by default, and the maximum number.
    #[must_use]
    pub fn slots(&self) -> Slots {
        match self.row {
            _ if self.is_loom => HOSTED,
            Some(row) if !self.is_portable => row.slots,
            _ if self.os == "none" => Slots { default: 16, ..PORTABLE },
            _ => PORTABLE,
        }
    }

    /// Returns the size in bytes of the floating-point registers in which arguments are passed, or 0 if there are none.
    /// Only the family `leaves` distinguishes these sizes.
    #[must_use]
    pub fn float_bytes(&self) -> u32 {
        let Some(isa) = self.row.map(|row| row.isa).filter(|_| self.is("leaves")) else { return 0 };
        let features = get("CARGO_CFG_TARGET_FEATURE");
        let has = |wanted: &str, names: &[&str]| {
            features.split(',').any(|feature| feature == wanted)
                || names.iter().any(|start| self.name.starts_with(start))
        };
        if has("d", isa.doubles) {
            8
        } else if has("f", isa.singles) {
            4
        } else {
            0
        }
    }

    /// Sets the cfgs that depend only on the target and on STATICTRAMP_ASM: whether the build has stubs, and, if it does,
    /// the target's families.
    pub fn set_cfgs(&self) {
        if self.is_portable {
            set("portable");
        }
        if self.is_compact() {
            set("compact");
        }
        let Some(row) = self.row.filter(|_| self.has_stubs()) else { return };
        set("stubs");
        if self.os == "linux" {
            set("linux_stubs");
        }
        row.isa.families.iter().filter(|family| !is_for_memrefs(family)).for_each(|family| set(family));
        match self.float_bytes() {
            8 => set("doubles"),
            4 => set("singles"),
            _ => {}
        }
    }

    /// Sets the cfgs for closures over memrefs, which exist only on 64-bit Linux and on Windows. A processor that passes
    /// arguments in floating-point registers must have registers for `double`.
    pub fn set_memref_cfgs(&self) {
        let has_system = self.os == "linux" || self.os == "windows";
        let has_closures = has_system && !self.is_loom && (!self.is("leaves") || self.float_bytes() == 8);
        if let Some(row) = self.row.filter(|_| has_closures) {
            row.isa.families.iter().filter(|family| is_for_memrefs(family)).for_each(|family| set(family));
        }
    }
}

fn is_for_memrefs(family: &str) -> bool {
    family.starts_with("memref_")
}

fn set(cfg: &str) {
    println!("cargo:rustc-cfg={cfg}");
}

fn get(name: &str) -> String {
    env::var_os(name).map_or_else(String::new, |value| value.to_string_lossy().into_owned())
}
