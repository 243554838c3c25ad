//! Imports: many commands in one request, one a line, each with a receipt.

mod hidden;
mod line;
mod names;
mod proof;
mod receipt;

pub use self::{
    hidden::LongLine,
    line::{Line, LineError, LineOptions, LineText, Parsed, TooLong},
    names::Names,
    proof::{BrokenOff, Ending, Proof},
    receipt::{Counts, HeldBecause, MOST_NAMED, Missing, Receipt, Summary},
};
