use std::collections::VecDeque;

use domain::{
    import::{ChangeCounter, Changes, LineCounts, LineError, Receipt},
    posting::Answer,
};
use kernel::SourceIdentifier;

use super::naming::CompanyKey;

/// A line's offset in an import. Blank lines do not count.
pub(super) type Offset = u64;

/// Lines and their results; receipts come out in line order.
#[derive(Default)]
pub(super) struct Ledger {
    first: Offset,
    rows: VecDeque<Row>,
    counts: LineCounts,
    changes: ChangeCounter,
}

struct Row {
    line: u64,
    id: Option<String>,
    is_uncertain: bool,
    company: Option<CompanyKey>,
    result: Option<Result<Answer, LineError>>,
}

impl Ledger {
    pub fn add(
        &mut self,
        line: u64,
        id: Option<String>,
        company: Option<CompanyKey>,
        is_uncertain: bool,
    ) -> Offset {
        self.rows.push_back(Row {
            line,
            id,
            is_uncertain,
            company,
            result: None,
        });
        self.first + self.rows.len() as u64 - 1
    }

    pub fn settle(&mut self, offset: Offset, result: Result<Answer, LineError>) {
        let at = usize::try_from(offset - self.first).ok();
        if let Some(row) = at.and_then(|at| self.rows.get_mut(at)) {
            row.result = Some(result);
        }
    }

    pub fn company_of(&self, posting: &SourceIdentifier) -> Option<CompanyKey> {
        let open = self.rows.iter().rev().filter(|row| row.result.is_none());
        let mut of_it = open.filter(|row| row.id.as_deref() == Some(posting.as_str()));
        of_it.find_map(|row| row.company)
    }

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
            let is_unattributed = row.is_uncertain && receipt.result.is_err();
            self.counts.unattributed += u64::from(is_unattributed);
            self.counts.add(&receipt);
            self.changes.add(&receipt);
            receipts.push(receipt);
        }
        receipts
    }

    pub fn is_settled(&self) -> bool {
        self.rows.is_empty()
    }

    pub const fn counts(&self) -> LineCounts {
        self.counts
    }

    pub fn changes(&self) -> Changes {
        self.changes.changes()
    }
}
