//! Ownership of slots: claiming, arming, releasing and looking up.
//!
//! Two pools implement one trait. [`hosted`] is for programs on an operating system, where there are many threads, a
//! table that may grow, and compiled code that may abandon trampolines without freeing them. [`bare`] is for targets
//! that have little memory and no operating system, and for targets without stubs. Neither pool contains the
//! addresses of stubs and slots. A pool gets these addresses from the table (`src/table/`), which implements
//! [`Stubs`].

#[cfg(any(compact, test))]
#[cfg_attr(not(compact), allow(dead_code))] // the tests do not use all of it
pub(crate) mod bare;
mod extra;
#[cfg(any(loom, test))]
pub(crate) mod fake;
#[cfg(not(compact))]
pub(crate) mod hosted;
mod slot_pool;
mod state;
#[cfg_attr(portable, allow(dead_code))] // a table without stubs has no addresses to compute with
pub(crate) mod stubs;

#[cfg(compact)]
pub(crate) use bare::{Pool, Slot};
#[cfg(feature = "__slot-extra")]
pub use extra::SlotExtra;
#[cfg(not(compact))]
pub(crate) use hosted::{Pool, Slot};
pub(crate) use slot_pool::SlotPool;
pub(crate) use state::{Claim, Generation, LIVE, Owner, SlotState};
pub(crate) use stubs::{NotAStub, SLOTS, Stubs};
