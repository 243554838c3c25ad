//! The receipts of an import, and their counts.

use fields::vocabulary::vocabulary;
use kernel::{PutOutcome, SourceIdentifier};

use super::LineError;
use crate::posting::{Answer, IngestError, NoticeCounts};

/// The receipt of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The number of the line.
    pub line: u64,
    /// The identifier, if the line has one.
    pub id: Option<String>,
    /// The outcome.
    pub result: Result<Answer, LineError>,
}

impl Receipt {
    /// Whether the service could neither accept nor refuse the line.
    pub const fn is_failure(&self) -> bool {
        match &self.result {
            Err(LineError::Ingest(error)) => !matches!(error, IngestError::Rejected(_)),
            Ok(_) | Err(_) => false,
        }
    }
}

/// The receipts of an import by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines that are not blank.
    pub lines: u64,
    /// Lines that created a posting.
    pub created: u64,
    /// Lines that changed a posting or its company.
    pub updated: u64,
    /// Lines that changed nothing.
    pub unchanged: u64,
    /// Lines that expired their posting.
    pub expired: u64,
    /// Lines that reopened an expired posting.
    pub reopened: u64,
    /// Lines that were refused, by the rules or by the client's permissions.
    pub refused: u64,
    /// Refused or failed lines that may concern an unnamed posting.
    pub unattributed: u64,
    /// Lines that the service could not answer.
    pub failed: u64,
    /// Notices of accepted lines.
    pub notices: NoticeCounts,
}

impl LineCounts {
    /// Counts a receipt.
    pub fn add(&mut self, receipt: &Receipt) {
        self.lines += 1;
        if let Ok(answer) = &receipt.result {
            let notices = answer.notices.iter();
            notices.for_each(|notice| self.notices.add(notice));
        }
        let count = match &receipt.result {
            Ok(answer) => match answer.outcome {
                PutOutcome::Created => &mut self.created,
                PutOutcome::Updated => &mut self.updated,
                PutOutcome::Unchanged => &mut self.unchanged,
                PutOutcome::Expired => &mut self.expired,
                PutOutcome::Reopened => &mut self.reopened,
            },
            Err(_) if receipt.is_failure() => &mut self.failed,
            Err(_) => &mut self.refused,
        };
        *count += 1;
    }
}

/// The largest number of missing postings that a summary names.
pub const MOST_NAMED: usize = 100;

vocabulary! {
    /// Why an import of a catalogue expires no missing posting.
    HeldBecause {
        /// A large share of the catalogue is missing.
        Share = "share",
        /// No line names a posting of the catalogue.
        Empty = "empty",
        /// Refused lines may concern other postings.
        Unattributed = "unattributed",
    }
}

/// The postings of a catalogue that no line named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    /// The number of these postings that were open before the import and still belong to the
    /// catalogue.
    pub count: u64,
    /// The number of these postings that expired.
    pub expired: u64,
    /// The reason why no posting expires, if there is one.
    pub held: Option<HeldBecause>,
    /// Whether they were held back, and later released.
    pub released: bool,
    /// The identifiers of the first held-back postings, at most [`MOST_NAMED`].
    pub first: Vec<SourceIdentifier>,
}

impl Missing {
    /// The result as a sentence without a full stop; for a dry run, the expected result.
    pub fn sentence(&self, by_lines: u64, dry_run: bool) -> String {
        let &Self {
            count,
            expired,
            held,
            released,
            ..
        } = self;
        let (expire, stay) = if dry_run {
            ("would expire", "would not expire")
        } else {
            ("expired", "did not expire")
        };
        let is_one = count == 1;
        let none = if is_one {
            format!("it {stay}")
        } else {
            format!("none of them {expire}")
        };
        let of_others = match held {
            Some(HeldBecause::Share | HeldBecause::Empty) if is_one => {
                format!("too large a share, so it {stay}")
            }
            Some(HeldBecause::Share | HeldBecause::Empty) => format!("so many that {none}"),
            Some(HeldBecause::Unattributed) => {
                format!("and {none}, because lines were refused whose postings are not certain")
            }
            None if released && is_one => {
                let became = if expired == 1 { expire } else { stay };
                format!("was held back, and {became} when it was released")
            }
            None if released => {
                format!("were held back, and {expired} of them {expire} when they were released")
            }
            None if is_one && expired == 1 => format!("and it {expire}"),
            None if is_one => format!("and {none}"),
            None => format!("and {expired} of them {expire}"),
        };
        let lines = if by_lines == 1 {
            "its line"
        } else {
            "their lines"
        };
        let others = match count {
            1 => "1 other was missing".to_owned(),
            _ => format!("{count} others were missing"),
        };
        format!("{by_lines} {expire} by {lines}; {others}, {of_others}")
    }
}

#[cfg(test)]
mod tests {
    use fields::validation::FieldErrors;
    use kernel::Prefixes;
    use kernel::testing::identifier;

    use super::*;
    use crate::{posting::Rejection, testing::answered};

    fn counted(result: Result<Answer, LineError>) -> LineCounts {
        let mut counts = LineCounts::default();
        counts.add(&Receipt {
            line: 1,
            id: None,
            result,
        });
        counts
    }

    #[test]
    fn a_receipt_counts_as_a_line_and_by_its_outcome() {
        let one = LineCounts {
            lines: 1,
            ..LineCounts::default()
        };
        for (outcome, expect) in [
            (PutOutcome::Created, LineCounts { created: 1, ..one }),
            (PutOutcome::Updated, LineCounts { updated: 1, ..one }),
            (
                PutOutcome::Unchanged,
                LineCounts {
                    unchanged: 1,
                    ..one
                },
            ),
            (PutOutcome::Expired, LineCounts { expired: 1, ..one }),
            (PutOutcome::Reopened, LineCounts { reopened: 1, ..one }),
        ] {
            assert_eq!(counted(Ok(answered("a", outcome))), expect);
        }
    }

    #[test]
    fn expiries_are_one_sentence() {
        // The columns: postings that their lines expired; missing postings; missing postings that
        // expired; why none expires; the sentence.
        for row in "\
            0 11 11 | 0 expired by their lines; 11 others were missing, and 11 of them expired
            1 1 1 | 1 expired by its line; 1 other was missing, and it expired
            1 1 0 dry | 1 would expire by its line; 1 other was missing, and it would not expire
            2 0 0 | 2 expired by their lines; 0 others were missing, and 0 of them expired
            2 11 0 share dry | 2 would expire by their lines; 11 others were missing, so many that none of them would expire
            2 1 0 share | 2 expired by their lines; 1 other was missing, too large a share, so it did not expire
            0 11 0 unattributed | 0 expired by their lines; 11 others were missing, and none of them expired, because lines were refused whose postings are not certain
            0 1 0 unattributed | 0 expired by their lines; 1 other was missing, and it did not expire, because lines were refused whose postings are not certain
            0 11 9 released | 0 expired by their lines; 11 others were missing, were held back, and 9 of them expired when they were released
            0 1 1 released | 0 expired by their lines; 1 other was missing, was held back, and expired when it was released"
            .lines()
        {
            let (counts, expect) = row.trim().split_once(" | ").unwrap();
            let words: Vec<_> = counts.split(' ').collect();
            let [by_lines, count, expired] = [0, 1, 2].map(|at| words[at].parse().unwrap());
            let missing = Missing {
                count,
                expired,
                held: words.iter().find_map(|word| HeldBecause::parse(word)),
                released: words.contains(&"released"),
                first: Vec::new(),
            };
            let dry_run = words.contains(&"dry");
            assert_eq!(missing.sentence(by_lines, dry_run), expect);
        }
    }

    #[test]
    fn what_the_rules_refuse_is_no_failure() {
        let one = LineCounts {
            lines: 1,
            ..LineCounts::default()
        };
        let prefixes = Prefixes::new(&["b"]).unwrap();
        let forbidden = prefixes.check(&identifier("a")).unwrap_err();
        for error in [
            LineError::TooLong(9),
            LineError::NotJson(String::new()),
            LineError::Invalid(FieldErrors::one("id", "is required")),
            LineError::Forbidden(forbidden),
            LineError::Ingest(IngestError::Rejected(Rejection::NotFound)),
        ] {
            let refused = LineCounts { refused: 1, ..one };
            assert_eq!(counted(Err(error.clone())), refused, "{error:?}");
        }
        for error in [
            IngestError::Overloaded,
            IngestError::Unavailable(String::new()),
            IngestError::Broken(String::new()),
        ] {
            let failed = LineCounts { failed: 1, ..one };
            assert_eq!(counted(Err(error.clone().into())), failed, "{error:?}");
        }
    }
}
