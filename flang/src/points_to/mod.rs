//! Points-to analysis: finds the variable to which a pointer points. Pointers are followed through parameters of local
//! functions, through the record that passes shared variables to an OpenMP region, and through a host's stores to its
//! tuple.
//!
//! - [`steps`]: single steps from one pointer to another;
//! - [`reach`]: all uses of a variable;
//! - [`graph`]: the locations to which pointers may point.
//!
//! The analysis relies on the stores to a variable only if every instruction that can write the variable is visible. If
//! any relevant code is unsupported, the result is unknown, and the code is not transformed.

mod graph;
mod reach;
mod steps;

use crate::llvm::*;
use graph::Graph;
pub use reach::Reaches;
use std::cell::RefCell;
use std::rc::Rc;
pub use steps::{Base, Location, Steps};

/// Follows pointers in one module.
pub struct PointsTo {
    pub steps: Rc<Steps>,
    pub reaches: Reaches,
    graph: RefCell<Graph>,
}

impl PointsTo {
    pub fn new(module: Module) -> Self {
        let steps = Rc::new(Steps::new(module));
        PointsTo { reaches: Reaches::new(steps.clone()), steps, graph: RefCell::default() }
    }

    /// Returns all locations to which a pointer may point, or `None` if they are unknown.
    pub fn locations(&self, pointer: Value) -> Option<Vec<Location>> {
        self.graph.borrow_mut().locations(&self.reaches, pointer)
    }

    /// Returns the parameters, among those visible in the module, through which `pointers` have passed.
    pub fn parameters_passed(&self, pointers: Vec<Value>) -> Vec<(Value, u32)> {
        self.graph.borrow_mut().parameters(&self.reaches, pointers)
    }
}
