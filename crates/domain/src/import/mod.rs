//! Imports: many commands in one request, one a line, each with a receipt.

mod line;
mod names;
mod proof;
mod receipt;

pub use self::{
    line::{Line, LineError, LineOptions, LineText, Parsed, TooLong},
    names::Names,
    proof::{BrokenOff, Ending, Proof},
    receipt::{Counts, HeldBecause, MOST_NAMED, Missing, Receipt, Summary},
};
