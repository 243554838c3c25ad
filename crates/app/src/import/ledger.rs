//! The receipts of an import, in the order of its lines.

use std::collections::VecDeque;

use domain::{
    import::{Counts, LineError, Receipt},
    posting::Answer,
};

/// The place of a line among those of an import, blank ones left out.
pub(super) type Place = u64;

/// Lines and their results. Receipts are given out in the order of the lines.
#[derive(Default)]
pub(super) struct Ledger {
    first: Place,
    rows: VecDeque<Row>,
    counts: Counts,
}

struct Row {
    line: u64,
    id: Option<String>,
    result: Option<Result<Answer, LineError>>,
}

impl Ledger {
    /// Adds the next line.
    pub fn add(&mut self, line: u64, id: Option<String>) -> Place {
        self.rows.push_back(Row {
            line,
            id,
            result: None,
        });
        self.first + self.rows.len() as u64 - 1
    }

    /// Notes what became of a line.
    pub fn settle(&mut self, place: Place, result: Result<Answer, LineError>) {
        let at = usize::try_from(place - self.first).ok();
        if let Some(row) = at.and_then(|at| self.rows.get_mut(at)) {
            row.result = Some(result);
        }
    }

    /// The receipts whose turn it is.
    pub fn take(&mut self) -> Vec<Receipt> {
        let mut receipts = Vec::new();
        while let Some(row) = self.rows.pop_front_if(|row| row.result.is_some()) {
            let Some(result) = row.result else { break };
            let receipt = Receipt {
                line: row.line,
                id: row.id,
                result,
            };
            self.first += 1;
            self.counts.add(&receipt);
            receipts.push(receipt);
        }
        receipts
    }

    /// Whether every line has its receipt.
    pub fn is_settled(&self) -> bool {
        self.rows.is_empty()
    }

    /// The receipts that were given out, by outcome.
    pub const fn counts(&self) -> Counts {
        self.counts
    }
}
