//! Imports: many commands in one request, one a line, each with a receipt.

mod line;
mod receipt;

pub use self::{
    line::{Line, LineError, LineText, Wishes},
    receipt::{Counts, Missing, Receipt, Summary},
};
