//! Imports: many commands in one request, one a line, each with a receipt.

mod line;
mod proof;
mod receipt;

pub use self::{
    line::{Line, LineError, LineOptions, LineText},
    proof::{BrokenOff, Proof},
    receipt::{Counts, Missing, Receipt, Summary},
};
