//! The shapes of the statement that writes a commit.
//!
//! PostgreSQL starts every part of a statement at each execution, also one without rows, and checks
//! what it would write: a lone new posting costs a third less without the parts that it does not
//! need. Each shape is prepared once for each connection, so they are few.

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use sql_common::{
    company::CompanySent,
    event::EventRow,
    outbox::EffectAsked,
    posting::{HistoryRow, PostingRow, TextsRow, VersionSent},
    statement,
};

use crate::statement::{NamedValue, execute};

const WHOLE: &str = include_str!("write.sql");

statement! {
    WriteLeased = WHOLE,
    over [
        CompanySent, PostingRow, TextsRow, VersionSent, HistoryRow, EffectAsked, EventRow
    ]
}

statement! {
    Write = &without(WHOLE, &["leases"]),
    over [
        CompanySent, PostingRow, TextsRow, VersionSent, HistoryRow, EffectAsked, EventRow
    ]
}

statement! {
    WriteNew = &without(WHOLE, &["leases", "companies", "changed", "versions", "texts"]),
    over [PostingRow, HistoryRow, EffectAsked, EventRow]
}

statement! {
    WriteChanged = &without(WHOLE, &["leases", "companies", "new", "texts"]),
    over [PostingRow, VersionSent, HistoryRow, EffectAsked, EventRow]
}

statement! {
    WriteBoth = &without(WHOLE, &["leases", "companies", "texts"]),
    over [PostingRow, VersionSent, HistoryRow, EffectAsked, EventRow]
}

/// Which parts a commit needs, besides tasks and events.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// All of them, and leases of imports. Such a commit has many lines, so unneeded parts cost
    /// little a line.
    Leased,
    /// All of them.
    Whole,
    /// New postings.
    New,
    /// Postings that are there.
    Changed,
    /// Postings of either kind.
    Both,
}

/// Writes a commit by the statement of its shape.
pub(super) async fn write(
    conn: &mut AsyncPgConnection,
    shape: Shape,
    values: &[NamedValue<'_>],
) -> QueryResult<usize> {
    match shape {
        Shape::Leased => execute::<WriteLeased>(conn, values).await,
        Shape::Whole => execute::<Write>(conn, values).await,
        Shape::New => execute::<WriteNew>(conn, values).await,
        Shape::Changed => execute::<WriteChanged>(conn, values).await,
        Shape::Both => execute::<WriteBoth>(conn, values).await,
    }
}

/// A statement without some of its parts. Instead of the lines from `--[ part` to `--] part` it has
/// what follows the latter and a colon.
fn without(text: &str, parts: &[&str]) -> String {
    let mut lines = text.lines();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        let part = line.trim().strip_prefix("--[ ");
        let Some(part) = part.filter(|part| parts.contains(part)) else {
            kept.extend([line, "\n"]);
            continue;
        };
        let end = format!("--] {part}");
        let instead = lines.find_map(|line| line.trim().strip_prefix(&end));
        let instead = instead.and_then(|instead| instead.strip_prefix(": "));
        kept.extend([instead.unwrap_or_default(), "\n"]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use sql_common::sql::{Dialect, Sql};

    use super::*;

    #[test]
    fn a_part_is_left_out_with_those_in_it() {
        let text = "WITH\n--[ a\na AS (\n    --[ b\n    1\n    --] b: 2\n),\n--] a\nSELECT 3";
        for (parts, left) in [
            (&[][..], text),
            (&["a"], "WITH\n\nSELECT 3"),
            (&["b"], "WITH\n--[ a\na AS (\n2\n),\n--] a\nSELECT 3"),
        ] {
            assert_eq!(without(text, parts).trim_end(), left, "{parts:?}");
        }
    }

    #[test]
    fn a_shape_has_no_more_than_its_parts() {
        fn has<S: Sql>() -> [bool; 5] {
            let text = S::texts().of(Dialect::Postgres).with_marks();
            let parts = [
                "FROM leases",
                "companies",
                "INTO postings ",
                "UPDATE postings ",
                "posting_texts",
            ];
            parts.map(|part| text.contains(part))
        }
        assert_eq!(has::<WriteLeased>(), [true; 5]);
        assert_eq!(has::<Write>(), [false, true, true, true, true]);
        assert_eq!(has::<WriteNew>(), [false, false, true, false, false]);
        assert_eq!(has::<WriteChanged>(), [false, false, false, true, false]);
        assert_eq!(has::<WriteBoth>(), [false, false, true, true, false]);
    }
}
