//! Where a pointer of the module points: to which variable, followed through parameters of local functions, through the
//! record in which an OpenMP region is given what it shares, and through what a host stores in its tuple.
//!
//! - [`steps`]: how one pointer is made of another;
//! - [`reach`]: all that is done with a variable;
//! - [`graph`]: to which places pointers point.
//!
//! A variable is believed to hold what the module stores there only if all that can write it is seen. Whatever is not of
//! one of these shapes is unknown, and nothing is done that relies on it.

mod graph;
mod reach;
mod steps;

use crate::llvm::*;
use graph::Graph;
pub use reach::Reaches;
use std::cell::RefCell;
use std::rc::Rc;
pub use steps::{Base, Place, Steps};

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

    /// All places to which a pointer may point, `None` where that is unknown.
    pub fn places(&self, pointer: Value) -> Option<Vec<Place>> {
        self.graph.borrow_mut().places(&self.reaches, pointer)
    }

    /// The parameters through which pointers come to where they are, as far as that is seen.
    pub fn parameters_on_the_way(&self, pointers: Vec<Value>) -> Vec<(Value, u32)> {
        self.graph.borrow_mut().way(&self.reaches, pointers)
    }
}
