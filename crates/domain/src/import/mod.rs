//! Imports: many commands in one request, one a line, each with a receipt.

mod line;
mod receipt;

pub use self::{
    line::{Line, LineError, LineOptions, LineText},
    receipt::{Counts, Missing, Receipt, Summary},
};
