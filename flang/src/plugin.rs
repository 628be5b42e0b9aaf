//! The functions that LLVM calls to find and run the pass.

use crate::choice::choice;
use crate::escapes::Wanted;
use crate::keeps_not::KeepsNot;
use crate::llvm::{LLVMGetVersion, Module};
use crate::points_to::PointsTo;
use crate::report::{Remark, Severity};
use crate::{escapes, lower, names, promises, report, sites};
use statictramp_targets::TARGETS;
use std::ffi::{CStr, c_char, c_void};

/// `PassPluginLibraryInfo` from llvm/Passes/PassPlugin.h (llvm/Plugins/PassPlugin.h since LLVM 22).
#[repr(C)]
struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
    #[cfg(plugin_api = "2")]
    before_code_generation: *const c_void,
}

/// The major version of the LLVM headers with which the registration code was compiled.
const BUILT_FOR: &str = env!("STATICTRAMP_LLVM_MAJOR");

/// Returns the plugin's description. LLVM recognises a plugin by this function.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    unsafe extern "C" {
        fn statictramp_register(builder: *mut c_void);
    }
    reject_other_llvm();
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!(),
        };
    PluginInfo {
        api_version: if cfg!(plugin_api = "2") { 2 } else { 1 },
        name: c"statictramp".as_ptr(),
        version: VERSION.as_ptr(),
        register: statictramp_register,
        #[cfg(plugin_api = "2")]
        before_code_generation: std::ptr::null(),
    }
}

/// Exits unless the running LLVM has the major version for which the plugin was built. In any other version, LLVM's
/// classes have different layouts, so no other code in the plugin may run.
fn reject_other_llvm() {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    LLVMGetVersion(&mut major, &mut minor, &mut patch);
    if major.to_string() != BUILT_FOR {
        report::say(format_args!(
            "error: this statictramp plugin was built for LLVM {BUILT_FOR}, and this compiler is LLVM \
             {major}.{minor}.{patch}: load libstatictramp_flang-{major}.so, which flang/install.sh installs if \
             LLVM_CONFIG=llvm-config-{major} is set"
        ));
        std::process::exit(1)
    }
}

/// Runs the pass, as requested by the registration code (`registration.cpp`). Returns true if the pass changed the
/// module.
///
/// # Safety
/// The caller must ensure that no other code uses `module` during the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn statictramp_run(module: Module) -> bool {
    run(module)
}

/// Runs the last pass, which permits inlining of the helpers. Returns true if the pass changed the module.
///
/// # Safety
/// The caller must ensure that no other code uses `module` during the call.
#[unsafe(no_mangle)]
unsafe extern "C" fn statictramp_finish(module: Module, mark: bool) -> bool {
    names::finish(module, mark)
}

/// Runs all passes in sequence, for use without an optimizer.
pub fn run_alone(module: Module) {
    run(module);
    for function in module.functions() {
        function.make_calls_direct();
    }
    names::finish(module, false);
}

/// Rewrites a module and prints the remarks. Returns true if the module was changed.
pub fn run(module: Module) -> bool {
    let choices = Choices::new().unwrap_or_else(|why| {
        report::print(&[Remark::general(Severity::Error, why)]);
        Choices::default()
    });
    let pointers = PointsTo::new(module);
    let mut found = sites::find(&pointers);
    let mut remarks = match choices.escapes {
        Wanted::Off => Vec::new(),
        wanted => escapes::report(module, &found, wanted, &choices.keeps_not),
    };
    if let Some(name) = names::taken(module) {
        found = found.left(&format!("the program defines \"{name}\" itself"));
    }
    let processor = module.target().split('-').next().unwrap_or_default().to_owned();
    if passes_chain_as_argument(&processor) {
        found = found.left(&format!(
            "LLVM passes the static chain on {processor} as an ordinary first argument, which a trampoline cannot set"
        ));
    }
    let mut changed = lower::rewrite(&pointers, &found, choices.scratch);
    if choices.promise {
        changed |= promises::promise(module, &choices.keeps_not);
    }
    remarks.extend(found.remarks);
    report::print(&remarks);
    // A test reads this number to check that the analysis time is linear in the module's size.
    if std::env::var_os("STATICTRAMP_VISITS").is_some() {
        eprintln!("statictramp: {} trampolines, {} visits", found.sites.len(), pointers.steps.visits());
    }
    if choices.keeps_not.calls.removes_line_tables() {
        changed |= module.remove_debug_information();
    }
    changed
}

/// Returns whether LLVM 19 to 23 pass a `nest` argument as an ordinary first argument on `processor`, the first
/// component of a target triple.
fn passes_chain_as_argument(processor: &str) -> bool {
    TARGETS
        .iter()
        .any(|row| processor.starts_with(row.isa.arch) && row.isa.families.contains(&"chain_is_an_argument"))
}

/// Settings from the environment.
#[derive(Default)]
struct Choices {
    escapes: Wanted,
    /// Whether the library may write code to scratch memory in the frames of hosts.
    scratch: bool,
    /// Whether to add attributes to the arguments that a call does not keep.
    promise: bool,
    keeps_not: KeepsNot,
}

impl Choices {
    /// Reads the settings.
    ///
    /// # Errors
    /// Returns an error message if a variable has an unknown value, or if the requested list of procedures
    /// cannot be read.
    fn new() -> Result<Self, String> {
        let on_or_off = |variable| choice(variable, &[("off", false), ("on", true)], "off or on");
        let mut choices = Choices {
            escapes: escapes::wanted()?,
            scratch: on_or_off("STATICTRAMP_SCRATCH")?,
            promise: on_or_off("STATICTRAMP_TELL_OPTIMIZER")?,
            keeps_not: KeepsNot::default(),
        };
        if choices.escapes != Wanted::Off || choices.promise {
            choices.keeps_not = KeepsNot::new()?;
        }
        Ok(choices)
    }
}
