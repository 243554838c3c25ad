use std::collections::BTreeMap;

use crate::{
    answer::{Answer, Changes, Missing, Receipt},
    counts::Counts,
};

#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The lines are all postings of this catalogue.
    pub catalogue: Option<Catalogue>,
    /// Adds the reopening `expiration` to each line without one.
    pub reopen: bool,
    pub handling: Handling,
    pub dry_run: bool,
    pub receipts: Receipts,
}

/// The preference `handling` of RFC 7240.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Handling {
    #[default]
    Usual,
    /// Refuses unknown fields.
    Strict,
    /// Asks for corrections: wrong values are replaced or left out.
    Lenient,
}

#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    pub name: String,
    /// The share of missing postings, in percent, up to which they expire.
    pub max_missing: Option<u8>,
    /// The number of missing postings up to which the share does not matter.
    pub min_missing: Option<u64>,
    /// The number of unattributed lines up to which missing postings expire.
    pub max_unattributed: Option<u64>,
    /// The number of imports in a row that must miss a posting before it expires.
    pub misses: Option<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Receipts {
    #[default]
    OfRefused,
    All,
}

impl Options {
    /// The values of `Prefer`: a dry run asks for previews.
    pub(crate) fn preferences(&self) -> impl Iterator<Item = &'static str> {
        let handling = match self.handling {
            Handling::Usual => None,
            Handling::Strict => Some("handling=strict"),
            Handling::Lenient => Some("handling=lenient"),
        };
        let preview = self.dry_run.then_some("return=representation");
        handling.into_iter().chain(preview)
    }

    pub(crate) fn path(&self) -> String {
        let mut parameters = Vec::new();
        let mut path = "api/job-board/imports".to_owned();
        if let Some(catalogue) = &self.catalogue {
            path = format!("api/job-board/catalogues/{}", catalogue.name);
            parameters.push("require_end=true".to_owned());
            for (name, number) in [
                ("max_missing", catalogue.max_missing.map(u64::from)),
                ("min_missing", catalogue.min_missing),
                ("max_unattributed", catalogue.max_unattributed),
                ("misses", catalogue.misses.map(u64::from)),
            ] {
                parameters.extend(number.map(|number| format!("{name}={number}")));
            }
        }
        if self.receipts == Receipts::All {
            parameters.push("receipts=all".to_owned());
        }
        if self.dry_run {
            parameters.push("dry_run=true".to_owned());
        }
        if parameters.is_empty() {
            return path;
        }
        format!("{path}?{}", parameters.join("&"))
    }
}

#[derive(Debug, Default)]
pub struct Import {
    pub counts: Counts,
    /// Refused lines whose identifier is not certain.
    pub unattributed: u64,
    pub missing: Option<Missing>,
    pub changes: Option<Changes>,
    pub degraded: Vec<String>,
    pub notices: BTreeMap<String, u64>,
    pub receipts: Vec<Receipt>,
    /// Receipts that the service left out because they were too many.
    pub receipts_omitted: u64,
}

impl Import {
    /// Adds an answer's outcomes. `done` are the outcomes of the request's earlier attempts.
    pub(crate) fn add(&mut self, answer: Answer, done: &Counts) {
        let summary = answer.summary.unwrap_or_default();
        self.counts.add(&summary.counts.after(done));
        self.unattributed += summary.unattributed;
        self.missing = summary.missing;
        self.changes = summary.changes;
        self.degraded = summary.degraded;
        for (code, count) in summary.notices {
            *self.notices.entry(code).or_default() += count;
        }
        self.receipts.extend(answer.receipts);
        self.receipts_omitted += summary.receipts_omitted;
    }

    /// Whether every line was taken or expires an unknown posting, and nothing was held back.
    pub fn is_clean(&self) -> bool {
        let needless = self.receipts.iter().filter(|receipt| receipt.is_needless());
        let all_refused = self.counts.refused == needless.count() as u64;
        all_refused && self.counts.failed == 0 && !self.is_held()
    }

    /// Whether unlisted postings of a catalogue were kept from expiring.
    pub fn is_held(&self) -> bool {
        self.missing.as_ref().is_some_and(|missing| missing.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parameters() {
        let mut options = Options::default();
        assert_eq!(options.path(), "api/job-board/imports");
        options.receipts = Receipts::All;
        options.dry_run = true;
        assert_eq!(
            options.path(),
            "api/job-board/imports?receipts=all&dry_run=true"
        );
        options = Options::default();
        options.catalogue = Some(Catalogue {
            name: "c".to_owned(),
            max_missing: Some(5),
            min_missing: None,
            max_unattributed: None,
            misses: Some(3),
        });
        assert_eq!(
            options.path(),
            "api/job-board/catalogues/c?require_end=true&max_missing=5&misses=3"
        );
    }
}
