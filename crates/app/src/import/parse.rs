//! Parses lines, on threads that may compute for a while.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use domain::{
    client::Prefixes,
    import::{Line, LineError, Wishes},
    posting::{PostingId, PutPosting, SourceIdentifier},
    usecase::IngestError,
};
use uuid::Uuid;

use crate::panics;

/// Lines that were taken together.
#[derive(Debug)]
pub(super) struct Taken {
    pub lines: Vec<Line>,
    /// The identifiers that the client may use.
    pub prefixes: Arc<Prefixes>,
}

/// A parsed line.
pub(super) struct Entry {
    /// The number of the line.
    pub line: u64,
    /// The identifier as it was sent.
    pub id: Option<String>,
    /// The posting that a line of a catalogue names, whether it is refused or not.
    pub named: Option<SourceIdentifier>,
    pub put: Result<Arc<PutPosting>, LineError>,
}

/// Parses lines in their order. A panic is the failure of one line.
pub(super) fn parse(taken: Vec<Taken>, wishes: &Wishes) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(taken.iter().map(|taken| taken.lines.len()).sum());
    for Taken { lines, prefixes } in taken {
        entries.extend(lines.iter().map(|line| entry(line, &prefixes, wishes)));
    }
    entries
}

fn entry(line: &Line, prefixes: &Prefixes, wishes: &Wishes) -> Entry {
    let new_id = PostingId::new(Uuid::now_v7());
    let parsed = catch_unwind(AssertUnwindSafe(|| line.parse(wishes, prefixes, new_id)));
    let (id, put) = parsed.unwrap_or_else(|panic| {
        let why = panics::message(panic.as_ref());
        (None, Err(IngestError::Broken(why).into()))
    });
    let named = match (wishes.catalogue, &put, &id) {
        (Some(_), Ok(put), _) => Some(put.identifier.clone()),
        (Some(_), Err(_), Some(id)) => SourceIdentifier::new(id).ok(),
        _ => None,
    };
    Entry {
        line: line.number,
        id,
        named,
        put: put.map(Arc::new),
    }
}
