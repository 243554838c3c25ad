//! The scan for a page's postings. It may have to examine many postings.

use super::list::{ListEntry, ListQuery, Position};

/// The growth of a scan's steps. It bounds the statements for rare matches, and the postings that
/// are read for frequent matches.
const GROWTH: usize = 4;

/// The scan for a page's entries. A store reads entries [step](Self::step) by step, and
/// [adds](Self::add) them until no step follows.
#[derive(Debug)]
pub struct PageScan<'a> {
    query: &'a ListQuery,
    found: Vec<ListEntry>,
    /// The length of the next step.
    length: usize,
    is_at_end: bool,
}

/// Entries to read at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanStep {
    /// The query for the entries that follow those of earlier steps.
    pub query: ListQuery,
    /// The largest number of entries.
    pub length: usize,
}

impl<'a> PageScan<'a> {
    /// Begins a scan.
    pub const fn new(query: &'a ListQuery) -> Self {
        Self {
            query,
            found: Vec::new(),
            length: query.limit.saturating_add(1),
            is_at_end: false,
        }
    }

    /// The next step; `None` once the page is complete.
    pub fn step(&self) -> Option<ScanStep> {
        let most = self.query.looks_at().saturating_add(1);
        let left = most.saturating_sub(self.found.len());
        if self.is_at_end || left == 0 || self.query.page(&self.found).1.is_some() {
            return None;
        }
        let last = self.found.last().map(|entry| entry.position);
        Some(ScanStep {
            query: ListQuery {
                after: last.or(self.query.after),
                ..self.query.clone()
            },
            length: self.length.min(left),
        })
    }

    /// Adds the entries of a step.
    pub fn add(&mut self, step: &ScanStep, entries: impl IntoIterator<Item = ListEntry>) {
        let before = self.found.len();
        self.found.extend(entries);
        self.is_at_end = self.found.len() - before < step.length;
        self.length = step.length.saturating_mul(GROWTH);
    }

    /// The entries of the page, and the position of the next page.
    pub fn page(&self) -> (Vec<ListEntry>, Option<Position>) {
        self.query.page(&self.found)
    }
}

#[cfg(test)]
mod tests {
    use kernel::{Prefixes, testing::noon};
    use uuid::Uuid;

    use super::*;

    fn scan(
        query: &ListQuery,
        all: usize,
        is_wanted: impl Fn(usize) -> bool,
    ) -> (Vec<usize>, Vec<u128>, Option<u128>) {
        let mut scan = PageScan::new(query);
        let mut lengths = Vec::new();
        while let Some(step) = scan.step() {
            let after = step.query.after.map_or(0, |after| after.id.as_u128());
            let first = usize::try_from(after).unwrap() + 1;
            let entries = (first..=all).take(step.length).map(|n| ListEntry {
                position: Position {
                    updated_at: noon(),
                    id: Uuid::from_u128(n as u128),
                },
                bytes: 1,
                is_wanted: is_wanted(n),
            });
            scan.add(&step, entries);
            lengths.push(step.length);
        }
        let (page, next) = scan.page();
        let id = |position: Position| position.id.as_u128();
        let page = page.iter().map(|entry| id(entry.position)).collect();
        (lengths, page, next.map(id))
    }

    #[test]
    fn a_search_ends_with_its_page() {
        let all = ListQuery {
            limit: 50,
            ..ListQuery::default()
        };
        let some = ListQuery {
            prefixes: Prefixes::new(&["a-"]).unwrap(),
            ..all.clone()
        };
        let first: Vec<_> = (1..=50).collect();
        for query in [&all, &some] {
            let page = scan(query, 5_000, |_| true);
            assert_eq!(page, (vec![51], first.clone(), Some(50)));
            assert_eq!(scan(query, 50, |_| true), (vec![51], first.clone(), None));
            assert_eq!(scan(query, 51, |_| true).2, Some(50));
        }
        let every_second = (1..=50).map(|n| 2 * n).collect();
        let page = scan(&some, 5_000, |n| n % 2 == 0);
        assert_eq!(page, (vec![51, 204], every_second, Some(101)));
        let few = scan(&some, 5_000, |n| n % 400 == 0);
        assert_eq!(few, (vec![51, 204, 746], vec![400, 800], Some(1_000)));
        let few = scan(&some, 1_000, |n| n % 400 == 0);
        assert_eq!(few, (vec![51, 204, 746], vec![400, 800], None));
        assert_eq!(
            scan(&some, 255, |_| false),
            (vec![51, 204, 746], vec![], None)
        );
        assert_eq!(scan(&some, 254, |_| false), (vec![51, 204], vec![], None));
        let none = ListQuery { limit: 0, ..all };
        assert_eq!(scan(&none, 9, |_| true).0, [1]);
    }
}
