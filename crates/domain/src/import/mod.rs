//! Imports: many commands in one request. Each line is a command, and gets a receipt.

mod changes;
mod hidden;
mod line;
mod names;
mod proof;
mod receipt;
mod summary;

pub use self::{
    changes::{ChangeCounter, Changes},
    hidden::LongLine,
    line::{Line, LineError, LineOptions, LineText, Parsed, TooLong},
    names::Names,
    proof::{BrokenOff, Ending, Proof},
    receipt::{HeldBecause, LineCounts, MOST_NAMED, Missing, Receipt},
    summary::Summary,
};
